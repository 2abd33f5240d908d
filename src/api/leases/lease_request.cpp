#include "api/leases/lease_request.h"

#include <utility>

#include "api/leases/lease_json.h"

namespace longshore {
namespace {

constexpr std::size_t answer_bytes_max = 16 * 1024 * 1024;
// Larger answers are written on the read pool, not on the committing thread.
constexpr std::size_t quick_answer = 64 * 1024;

std::size_t bytes_of(const std::vector<Lease>& leases) {
  std::size_t bytes = 0;
  for (const Lease& lease : leases) {
    bytes += lease.body.payload.size() + 1024;
    if (lease.checkpoint) bytes += lease.checkpoint->size();
  }
  return bytes;
}

// Moves the leases that do not fit to `rest`; the first lease always fits.
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

void LeaseRequest::report_worker(WorkerInfo worker, bool has_details) {
  {
    MutexLock lock(mutex_);
    reporting_worker_ = true;
  }
  // On failure, the next request of the worker reports it.
  api_.lease_polls().workers().report_seen(api_.node().engine(), std::move(worker), has_details,
                                           api_.timers().now(),
                                           [self = self()] { self->worker_reported(); });
}

void LeaseRequest::worker_reported() {
  std::optional<Result<Answered>> arrived;
  {
    MutexLock lock(mutex_);
    reporting_worker_ = false;
    arrived = std::exchange(arrived_, std::nullopt);
  }
  if (arrived) write(std::move(*arrived));
}

void LeaseRequest::start(Claim claim, Duration wait, bool named) {
  std::shared_ptr<NamedPoll> poll;
  if (named) poll = api_.lease_polls().poll(claim.id, api_.node().engine(), call_->caller.ns);
  call_->exchange->on_gone([weak = std::weak_ptr<LeaseRequest>(self())] {
    if (const auto self = weak.lock()) self->disconnect();
  });
  open_ = api_.open_calls().add(call_->caller.token, [weak = std::weak_ptr<LeaseRequest>(self())] {
    if (const auto self = weak.lock()) self->lose_token();
  });
  LeaseCall::start(std::move(claim), wait, std::move(poll));
}

// Makes the claim answer at once; its leases are released.
void LeaseRequest::lose_token() {
  token_gone_ = true;
  answer_now();
}

void LeaseRequest::deliver(Result<Answered> answered) {
  {
    MutexLock lock(mutex_);
    if (reporting_worker_) {
      arrived_ = std::move(answered);
      return;
    }
  }
  write(std::move(answered));
}

void LeaseRequest::write(Result<Answered> answered) {
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
  ReadPool::Read read = [self = self(), many](Catalog&) { self->hand_over(std::move(*many)); };
  // Leases are never refused: if the pool is full, this thread writes.
  if (!api_.read_pool().push(ReadKind::point, read)) hand_over(std::move(*many));
}

void LeaseRequest::hand_over(std::vector<Lease> leases) {
  std::vector<Lease> rest;
  HttpResponse response{.body = leases_json(leases, rest)};
  give_back(rest);  // a repeated call does not get these either
  if (leases.empty()) return api_.answer(call_, std::move(response));
  api_.answer(
      call_, std::move(response),
      [self = self(), leases = std::move(leases)](bool written) { self->end(leases, written); });
}

}  // namespace longshore
