#include "api/lending.h"

#include <utility>

#include "api/lease_json.h"

namespace longshore {
namespace {

constexpr std::size_t answer_bytes_max = 16 * 1024 * 1024;
// Larger answers are written by a thread that nobody's commit waits for.
constexpr std::size_t quick_answer = 64 * 1024;

std::size_t bytes_of(const std::vector<Lease>& leases) {
  std::size_t bytes = 0;
  for (const Lease& lease : leases) {
    bytes += lease.body.payload.size() + 1024;
    if (lease.checkpoint) bytes += lease.checkpoint->size();
  }
  return bytes;
}

// Moves to `rest` what does not fit any more; the first lease always does.
std::string leases_json(std::vector<Lease>& leases, std::vector<Lease>& rest) {
  std::string text = "{\"leases\":[";
  for (std::size_t i = 0; i < leases.size(); ++i) {
    JsonOut out;
    write_lease(out, leases[i]);
    const std::string one = out.take();
    if (i > 0 && text.size() + one.size() + 3 >= answer_bytes_max) {
      rest.assign(leases.begin() + static_cast<std::ptrdiff_t>(i), leases.end());
      leases.resize(i);
      break;
    }
    if (i > 0) text += ',';
    text += one;
  }
  return text + "]}";
}

}  // namespace

Lending::~Lending() { end({}, false); }

void Lending::tell_of(WorkerInfo worker, bool introduced) {
  {
    MutexLock lock(mutex_);
    telling_ = true;
  }
  // Whatever comes of it: the worker will be seen again.
  api_.desk().sightings().tell(api_.node().engine(), std::move(worker), introduced,
                               api_.timers().now(), [self = shared_from_this()] { self->told(); });
}

void Lending::told() {
  std::optional<Result<Answered>> arrived;
  {
    MutexLock lock(mutex_);
    telling_ = false;
    arrived = std::exchange(arrived_, std::nullopt);
  }
  if (arrived) write(std::move(*arrived));
}

void Lending::start(Claim claim, Duration wait, bool named) {
  claim_ = std::move(claim);
  wait_ = wait;
  if (named) poll_ = api_.desk().poll(claim_.id, api_.node().engine(), call_->caller.ns);
  call_->exchange->on_gone([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->leave();
  });
  open_ = api_.open_calls().add(call_->caller.token, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->lose_token();
  });
  if (poll_) {
    poll_->enter(shared_from_this());
  } else {
    begin();
  }
}

void Lending::begin() {
  const Dispatcher::Ticket ticket =
      api_.node().engine().claim(std::move(claim_), api_.timers().now(), wait_,
                                 [self = shared_from_this()](Result<Answered> answered) {
                                   self->arrived(std::move(answered));
                                 });
  bool gone = false;
  bool hurried = false;
  {
    MutexLock lock(mutex_);
    ticket_ = ticket;
    gone = gone_;
    hurried = hurried_;
  }
  if (hurried) api_.node().engine().hasten(ticket);
  if (gone) leave();
}

void Lending::hurry() {
  Dispatcher::Ticket ticket = 0;
  {
    MutexLock lock(mutex_);
    hurried_ = true;
    ticket = ticket_;
  }
  api_.node().engine().hasten(ticket);
}

// The claim answers at once, with what was on its way to it; that goes back.
void Lending::lose_token() {
  token_gone_ = true;
  hurry();
}

// What a named poll is given after all may be another call's too: the poll knows what goes back.
void Lending::leave() {
  if (poll_) hurry();
  Dispatcher::Ticket ticket = 0;
  {
    MutexLock lock(mutex_);
    gone_ = true;
    ticket = ticket_;
  }
  if (!poll_ && ticket != 0) api_.node().engine().forget(ticket);
}

void Lending::arrived(Result<Answered> answered) {
  if (poll_) poll_->claimed();
  {
    MutexLock lock(mutex_);
    if (telling_) {
      arrived_ = std::move(answered);
      return;
    }
  }
  write(std::move(answered));
}

void Lending::write(Result<Answered> answered) {
  if (!answered) return api_.answer(call_, api_.problem_of(answered.error()));
  if (const auto* refusal = std::get_if<Refusal>(&answered->verdict)) {
    return api_.answer(call_, to_problem(*refusal));
  }
  std::vector<Lease> leases = std::move(std::get<Leased>(answered->verdict).leases);
  if (token_gone_) {
    end(leases, false);
    return api_.answer(call_, token_is_gone());
  }
  if (bytes_of(leases) <= quick_answer) return hand_over(std::move(leases));
  const auto many = std::make_shared<std::vector<Lease>>(std::move(leases));
  ReadLanes::Read read = [self = shared_from_this(), many](Catalog&) {
    self->hand_over(std::move(*many));
  };
  // Leases are never turned away: without a thread to spare this one writes.
  if (!api_.lanes().push(Lane::point, read)) hand_over(std::move(*many));
}

void Lending::hand_over(std::vector<Lease> leases) {
  std::vector<Lease> rest;
  HttpResponse response{.body = leases_json(leases, rest)};
  give_back(rest);  // a repeated call is given as many, and so not these
  if (leases.empty()) return api_.answer(call_, std::move(response));
  api_.answer(call_, std::move(response),
              [self = shared_from_this(), leases = std::move(leases)](bool written) {
                self->end(leases, written);
              });
}

void Lending::end(const std::vector<Lease>& leases, bool written) {
  if (ended_.exchange(true)) return;
  if (poll_) return poll_->leave(leases, written);
  if (!written) give_back(leases);
}

void Lending::give_back(const std::vector<Lease>& leases) {
  for (const Lease& lease : leases) {
    api_.node().engine().submit(
        Release{.ns = call_->caller.ns, .job = lease.job, .token = lease.token},
        [](const Result<Answered>&) {
          // If this is lost too, the lease ends by itself.
        });
  }
}

}  // namespace longshore
