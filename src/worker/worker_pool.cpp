#include "worker/worker_pool.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/text/names.h"
#include "worker/outcome.h"
#include "worker/program/child.h"

namespace longshore {
namespace {

constexpr Duration poll = Duration::seconds(20);
constexpr Duration pause_min = Duration::millis(50);
constexpr Duration pause_max = Duration::seconds(1);

Error invalid(std::string message) { return {Errc::invalid, std::move(message)}; }

std::optional<Error> fault_in(const WorkerOptions& options) {
  if (options.concurrency < 0) return invalid("concurrency must not be negative");
  if (options.queues.empty()) return invalid("a worker needs at least one queue");
  for (const QueueOptions& queue : options.queues) {
    if (auto fault = queue_fault(queue.name)) return invalid("queue: " + *fault);
    if (queue.concurrency < 0) return invalid("a queue's concurrency must not be negative");
    if (queue.weight < 0) return invalid("a queue's weight must not be negative");
  }
  if (options.lease &&
      (*options.lease < Duration::seconds(1) || *options.lease > Duration::days(1))) {
    return invalid("a lease lasts from 1 second to 1 day");
  }
  if (options.grace < Duration() || options.patience < Duration()) {
    return invalid("grace and patience must not be negative");
  }
  return std::nullopt;
}

WorkerInfo info_of(const WorkerOptions& options,
                   const std::vector<ConcurrencyLimits::Limit>& types) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  WorkerInfo info{.worker = options.name,
                  .slots = options.concurrency,
                  .host = host.data(),
                  .version = LONGSHORE_VERSION};
  for (const QueueOptions& queue : options.queues) info.queues.push_back(queue.name);
  for (const ConcurrencyLimits::Limit& type : types) info.types.push_back(type.name);
  return info;
}

// What to say instead of what was refused.
std::vector<Command> instead_of(const std::vector<Command>& words,
                                const std::vector<Verdict>& verdicts) {
  std::vector<Command> instead;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const auto* refusal = std::get_if<Refusal>(&verdicts[i]);
    const auto* hand_off = std::get_if<HandOff>(&words[i]);
    if (refusal == nullptr || hand_off == nullptr) continue;
    if (refusal->code == Code::not_in_profile) {
      instead.push_back(fail_instead(*hand_off, *refusal));
    }
  }
  return instead;
}

std::string job_of(const Command& word) {
  return std::visit(
      []<class Word>(const Word& said) -> std::string {
        if constexpr (requires { to_text(said.job); }) return to_text(said.job);
        return "";
      },
      word);
}

}  // namespace

WorkerPool::WorkerPool(std::shared_ptr<Leases> leases, WorkerOptions options)
    : leases_(std::move(leases)), options_(std::move(options)) {}

void WorkerPool::add(std::string type, Handler handler, HandlerOptions options,
                     PlainHandler plain) {
  // The threads read the table without a lock.
  if (heart_) return trouble(invalid("the handler for " + type + " came after the start"));
  handlers_.add(std::move(type), std::move(handler), options, plain);
}

void WorkerPool::add_own(std::string type, Handler handler, HandlerOptions options) {
  handlers_.add_own(std::move(type), std::move(handler), options);
}

Result<Nothing> WorkerPool::prepare() {
  if (heart_) return Nothing();
  if (auto fault = handlers_.fault()) return *fault;
  if (auto fault = fault_in(options_)) return *fault;
  if (options_.concurrency == 0) {
    options_.concurrency = std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
  }
  std::vector<ConcurrencyLimits::Limit> queues;
  for (const QueueOptions& queue : options_.queues) {
    queues.push_back({queue.name, queue.concurrency});
  }
  seats_ = std::make_unique<ConcurrencyLimits>(queues, handlers_.limits());
  order_ = std::make_unique<QueueOrder>(options_.queues);
  heart_ = std::make_unique<Heartbeater>(
      *leases_, HeartbeaterOptions{.info = info_of(options_, handlers_.limits()),
                                   .patience = options_.patience,
                                   .on_stuck = [this](const AttemptRef& stuck) { replace(stuck); },
                                   .on_trouble = [this](const Error& error) { trouble(error); }});
  return Nothing();
}

Result<Nothing> WorkerPool::start() {
  MutexLock lock(starting_);
  if (stopping_) return Error{Errc::refused, "this worker has been stopped; make another one"};
  if (started_) return Nothing();
  if (Result<Nothing> prepared = prepare(); !prepared) return prepared;
  started_ = true;
  // Before the first question, since a server hears with that who asks. The heart says it again.
  leases_->begin_turn({.words = {SeeWorkers{.workers = {info_of(options_, handlers_.limits())}}}},
                      {}, [](const Result<Turned>&) {});
  heart_->start();
  for (int i = 0; i < options_.concurrency; ++i) add_slot();
  return Nothing();
}

void WorkerPool::add_slot() {
  auto slot = std::make_shared<Slot>();
  MutexLock lock(mutex_);
  slots_.push_back(slot);
  slot->thread = std::thread([crew = shared_from_this(), slot] {
    crew->serve(slot);
    crew->leave(slot);
  });
}

// ---- One slot ---------------------------------------------------------------------------------

// Each thread keeps one question on its way; the answer it takes may be to another's.
void WorkerPool::serve(const SlotRef& slot) {
  bool more = ask({}, {});
  while (more) {
    Answered answered = arrivals_.take();
    std::optional<Lease> lease = lease_in(answered);
    if (lease && stopping_) {
      give_back(*lease);
      lease.reset();
    }
    if (!lease) {
      more = ask(seats_->give_up(answered.ask), std::move(answered.rest));
      continue;
    }
    const ConcurrencyLimits::Place place = seats_->take(answered.ask, lease->queue, lease->type);
    {
      MutexLock lock(mutex_);
      slot->place = place;
    }
    Rest rest = run(*slot, std::move(*lease), answered.turned->at);
    if (is_replaced(slot)) return say(rest);
    more = ask(place, std::move(rest));
  }
}

// False, and everything is said, once there is nothing more to ask for.
bool WorkerPool::ask(const ConcurrencyLimits::Place& leaving, Rest rest) {
  const ConcurrencyLimits::AskRef ask = next_ask(leaving, rest);
  if (!ask) {
    say(rest);
    return false;
  }
  Turn turn{.words = rest.words, .wait = poll};
  turn.claim = Claim{.worker = options_.name,
                     .queues = order_->arrange(ask->queues),
                     .types = ask->types,
                     .lease = options_.lease};
  leases_->begin_turn(
      std::move(turn), ask->stop.get_token(),
      [crew = shared_from_this(), ask, rest = std::move(rest)](Result<Turned> turned) mutable {
        crew->arrivals_.put({ask, std::move(rest), std::move(turned)});
      });
  return true;
}

// Null once there is nothing more to ask for. What is to be said meanwhile does not wait.
ConcurrencyLimits::AskRef WorkerPool::next_ask(const ConcurrencyLimits::Place& leaving,
                                               Rest& rest) {
  if (ConcurrencyLimits::AskRef ask = seats_->try_ask(leaving)) return ask;
  say(rest);
  return seats_->wait_ask();
}

// It was on its way when the worker began to stop; it may even be a job that was just released.
void WorkerPool::give_back(const Lease& lease) {
  Rest rest{.words = {Release{.job = lease.job, .token = lease.token}},
            .until = leases_->now() + options_.patience};
  say(rest);
}

// What was given, if anything. What could not be said is said, or the trouble waited out.
std::optional<Lease> WorkerPool::lease_in(Answered& answered) {
  auto& [ask, rest, turned] = answered;
  const auto pause = [&] {
    leases_->wait_until(leases_->now() + pause_max, ask->stop.get_token());
  };
  if (!turned) {
    trouble(turned.error());
    if (rest.words.empty()) pause();
    say(rest);
    return std::nullopt;
  }
  look_at(rest.words, turned->verdicts);
  rest.words.clear();
  if (!turned->leases) {
    trouble(turned->leases.error());
    pause();
    return std::nullopt;
  }
  if (turned->leases->empty()) return std::nullopt;
  return std::move(turned->leases->front());
}

WorkerPool::Rest WorkerPool::run(Slot& slot, Lease lease, Instant at) {
  const auto attempt = std::make_shared<Attempt>(
      std::move(lease), at,
      Attempt::Surroundings{.leases = *leases_, .heart = *heart_, .worker_stopping = stopping_});
  {
    MutexLock lock(mutex_);
    slot.attempt = attempt;
  }
  heart_->add(attempt);
  Context context(*attempt);
  Ending ending = handlers_.run(context);
  heart_->remove(*attempt);
  {
    MutexLock lock(mutex_);
    slot.attempt = nullptr;
  }
  if (!attempt->finish()) {
    tell_if_lost(*attempt);
    return {};
  }
  Rest rest{.words = last_words(*attempt, std::move(ending)), .until = attempt->deadline};
  // Not with the next question: if it is refused, the job has to fail before its lease ends.
  if (std::holds_alternative<HandOff>(rest.words.back())) say(rest);
  return rest;
}

// Until it is heard, or the lease is over and nobody would listen.
void WorkerPool::say(Rest& rest) {
  Duration pause = pause_min;
  while (!rest.words.empty()) {
    Result<std::vector<Verdict>> told = leases_->tell(rest.words);
    if (told) {
      look_at(rest.words, *told);
      rest.words = instead_of(rest.words, *told);
      continue;
    }
    trouble(told.error());
    const bool in_vain = told.error().code == Errc::refused || stop_.stop_requested() ||
                         leases_->now() >= rest.until;
    if (in_vain) return rest.words.clear();
    leases_->wait_until(leases_->now() + pause, stop_.get_token());
    pause = std::min(pause + pause, pause_max);
  }
}

void WorkerPool::look_at(const std::vector<Command>& words, const std::vector<Verdict>& verdicts) {
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const auto* refusal = std::get_if<Refusal>(&verdicts[i]);
    if (refusal == nullptr) continue;
    trouble({Errc::refused,
             std::string(to_text(refusal->code)) + ": the outcome of job " + job_of(words[i]) +
                 " was refused: " + refusal->detail,
             refusal->code});
  }
}

void WorkerPool::tell_if_lost(const Attempt& attempt) {
  if (attempt.stop_reason() != StopReason::lease_lost) return;
  trouble({Errc::refused,
           "LEASE_LOST: what became of job " + to_text(attempt.lease.job) +
               " is dropped: its lease was lost meanwhile",
           Code::lease_lost});
}

void WorkerPool::trouble(const Error& error) {
  if (options_.on_trouble) options_.on_trouble(error);
}

// ---- All of them ------------------------------------------------------------------------------

// A handler that does not return holds its thread, but not the worker's capacity: as many may be
// stuck as the worker has slots.
void WorkerPool::replace(const AttemptRef& stuck) {
  {
    MutexLock lock(mutex_);
    const auto found =
        std::ranges::find(slots_, stuck, [](const SlotRef& s) { return s->attempt; });
    if (found == slots_.end() || stopping_ || stuck_ >= options_.concurrency) return;
    (*found)->replaced = true;
    stuck_ += 1;
    seats_->leave((*found)->place);
  }
  add_slot();
}

bool WorkerPool::is_replaced(const SlotRef& slot) {
  MutexLock lock(mutex_);
  return slot->replaced;
}

void WorkerPool::leave(const SlotRef& slot) {
  MutexLock lock(mutex_);
  slot->gone = true;
  if (slot->replaced) stuck_ -= 1;
  if (std::ranges::all_of(slots_, &Slot::gone, [](const SlotRef& s) -> Slot& { return *s; })) {
    all_gone_.request_stop();
  }
}

StopReport WorkerPool::stop() {
  MutexLock lock(starting_);
  if (stopping_.exchange(true)) return report_;
  if (!heart_) return report_;
  seats_->stop();
  wait_for_slots(options_.grace, hurried_.get_token());
  report_.released = release_rest();
  released_ = true;
  if (hurried_.stop_requested()) kill_all_children();
  stop_.request_stop();
  wait_for_slots(options_.patience, {});
  report_.abandoned = part_with_threads();
  heart_->stop();
  return report_;
}

void WorkerPool::hurry() {
  hurried_.request_stop();
  // What a child's end would be told as is told as a release first.
  if (released_) kill_all_children();
}

void WorkerPool::wait_for_slots(Duration longest, const std::stop_token& enough) {
  {
    MutexLock lock(mutex_);
    if (std::ranges::all_of(slots_, [](const SlotRef& slot) { return slot->gone; })) return;
  }
  std::stop_source over;
  const auto end = [&over] { over.request_stop(); };
  const std::stop_callback gone(all_gone_.get_token(), end);
  const std::stop_callback cut(enough, end);
  leases_->wait_until(leases_->now() + longest, over.get_token());
}

int WorkerPool::release_rest() {
  std::vector<Command> words;
  {
    MutexLock lock(mutex_);
    for (const SlotRef& slot : slots_) {
      const AttemptRef& attempt = slot->attempt;
      if (!attempt || !attempt->lose(StopReason::worker_stopped)) continue;
      words.emplace_back(Release{.job = attempt->lease.job,
                                 .token = attempt->lease.token,
                                 .checkpoint = attempt->checkpoint(),
                                 .log = attempt->take_log()});
    }
  }
  if (words.empty()) return 0;
  const int count = static_cast<int>(words.size());
  Rest rest{.words = std::move(words), .until = leases_->now() + options_.patience};
  say(rest);
  return count;
}

// Threads that are done are joined; the others keep the crew alive until they are.
int WorkerPool::part_with_threads() {
  std::vector<SlotRef> slots;
  {
    MutexLock lock(mutex_);
    slots = slots_;
  }
  int abandoned = 0;
  for (const SlotRef& slot : slots) {
    bool gone = false;
    {
      MutexLock lock(mutex_);
      gone = slot->gone;
    }
    if (gone) {
      slot->thread.join();
    } else {
      slot->thread.detach();
      abandoned += 1;
    }
  }
  return abandoned;
}

Result<int> WorkerPool::run_pending() {
  {
    MutexLock lock(starting_);
    if (stopping_) return Error{Errc::refused, "this worker has been stopped; make another one"};
    if (Result<Nothing> prepared = prepare(); !prepared) return prepared.error();
    heart_->start();
  }
  Slot here;
  Rest rest;
  int count = 0;
  while (const ConcurrencyLimits::AskRef ask = seats_->try_ask({})) {
    const std::vector<Command> words = std::exchange(rest.words, {});
    Turn turn{.words = words};
    turn.claim = Claim{.worker = options_.name,
                       .queues = order_->arrange(ask->queues),
                       .types = ask->types,
                       .lease = options_.lease};
    Result<Turned> turned = leases_->turn(std::move(turn), ask->stop.get_token());
    seats_->leave(seats_->give_up(ask));
    if (!turned) return turned.error();
    look_at(words, turned->verdicts);
    if (!turned->leases) return turned->leases.error();
    if (turned->leases->empty()) break;
    rest = run(here, std::move(turned->leases->front()), turned->at);
    count += 1;
  }
  return count;
}

}  // namespace longshore
