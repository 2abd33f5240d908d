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

// Replacements for the commands that were refused.
std::vector<Command> replacements_for(const std::vector<Command>& words,
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
  if (heartbeater_)
    return report_error(invalid("the handler for " + type + " was added after start()"));
  handlers_.add(std::move(type), std::move(handler), options, plain);
}

void WorkerPool::add_own(std::string type, Handler handler, HandlerOptions options) {
  handlers_.add_own(std::move(type), std::move(handler), options);
}

Result<Nothing> WorkerPool::prepare() {
  if (heartbeater_) return Nothing();
  if (auto fault = handlers_.fault()) return *fault;
  if (auto fault = fault_in(options_)) return *fault;
  if (options_.concurrency == 0) {
    options_.concurrency = std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
  }
  std::vector<ConcurrencyLimits::Limit> queues;
  for (const QueueOptions& queue : options_.queues) {
    queues.push_back({queue.name, queue.concurrency});
  }
  limits_ = std::make_unique<ConcurrencyLimits>(queues, handlers_.limits());
  order_ = std::make_unique<QueueOrder>(options_.queues);
  heartbeater_ = std::make_unique<Heartbeater>(
      *leases_,
      HeartbeaterOptions{.info = info_of(options_, handlers_.limits()),
                         .patience = options_.patience,
                         .on_stuck = [this](const AttemptRef& stuck) { replace(stuck); },
                         .on_trouble = [this](const Error& error) { report_error(error); }});
  return Nothing();
}

Result<Nothing> WorkerPool::start() {
  MutexLock lock(starting_);
  if (stopping_) return Error{Errc::refused, "this worker has been stopped; create a new one"};
  if (started_) return Nothing();
  if (Result<Nothing> prepared = prepare(); !prepared) return prepared;
  started_ = true;
  // Before the first claim, so that a server knows the worker. The heartbeater repeats it.
  leases_->begin_turn({.words = {SeeWorkers{.workers = {info_of(options_, handlers_.limits())}}}},
                      {}, [](const Result<Turned>&) {});
  heartbeater_->start();
  for (int i = 0; i < options_.concurrency; ++i) add_slot();
  return Nothing();
}

void WorkerPool::add_slot() {
  auto slot = std::make_shared<Slot>();
  MutexLock lock(mutex_);
  slots_.push_back(slot);
  slot->thread = std::thread([pool = shared_from_this(), slot] {
    pool->run_slot(slot);
    pool->leave(slot);
  });
}

// ---- One slot ---------------------------------------------------------------------------------

// Each thread keeps one claim in flight; the reply it takes may belong to another thread's claim.
void WorkerPool::run_slot(const SlotRef& slot) {
  bool more = claim_next({}, {});
  while (more) {
    TurnReply reply = inbox_.take();
    std::optional<Lease> lease = take_lease(reply);
    if (lease && stopping_) {
      release_unstarted(*lease);
      lease.reset();
    }
    if (!lease) {
      more = claim_next(limits_->abandon(reply.scope), std::move(reply.unsent));
      continue;
    }
    const ConcurrencyLimits::Reservation reservation =
        limits_->assign(reply.scope, lease->queue, lease->type);
    {
      MutexLock lock(mutex_);
      slot->reservation = reservation;
    }
    Unsent unsent = run(*slot, std::move(*lease), reply.turned->at);
    if (is_replaced(slot)) return send(unsent);
    more = claim_next(reservation, std::move(unsent));
  }
}

// False once there is nothing more to claim; everything pending has then been sent.
bool WorkerPool::claim_next(const ConcurrencyLimits::Reservation& finished, Unsent unsent) {
  const ConcurrencyLimits::ClaimScopeRef scope = next_scope(finished, unsent);
  if (!scope) {
    send(unsent);
    return false;
  }
  Turn turn{.words = unsent.words, .wait = poll};
  turn.claim = Claim{.worker = options_.name,
                     .queues = order_->arrange(scope->queues),
                     .types = scope->types,
                     .lease = options_.lease};
  leases_->begin_turn(std::move(turn), scope->stop.get_token(),
                      [pool = shared_from_this(), scope,
                       unsent = std::move(unsent)](Result<Turned> turned) mutable {
                        pool->inbox_.put({scope, std::move(unsent), std::move(turned)});
                      });
  return true;
}

// Null once there is nothing more to claim. Pending commands are sent before it waits.
ConcurrencyLimits::ClaimScopeRef WorkerPool::next_scope(
    const ConcurrencyLimits::Reservation& finished, Unsent& unsent) {
  if (ConcurrencyLimits::ClaimScopeRef scope = limits_->try_claim(finished)) return scope;
  send(unsent);
  return limits_->wait_claim();
}

// The lease arrived while the worker was stopping; it may even be of a job that was just released.
void WorkerPool::release_unstarted(const Lease& lease) {
  Unsent unsent{.words = {Release{.job = lease.job, .token = lease.token}},
                .until = leases_->now() + options_.patience};
  send(unsent);
}

// The lease, if one was granted. Resends commands after an error, or waits before the next claim.
std::optional<Lease> WorkerPool::take_lease(TurnReply& reply) {
  auto& [scope, unsent, turned] = reply;
  const auto pause = [&] {
    leases_->wait_until(leases_->now() + pause_max, scope->stop.get_token());
  };
  if (!turned) {
    report_error(turned.error());
    if (unsent.words.empty()) pause();
    send(unsent);
    return std::nullopt;
  }
  report_refusals(unsent.words, turned->verdicts);
  unsent.words.clear();
  if (!turned->leases) {
    report_error(turned->leases.error());
    pause();
    return std::nullopt;
  }
  if (turned->leases->empty()) return std::nullopt;
  return std::move(turned->leases->front());
}

WorkerPool::Unsent WorkerPool::run(Slot& slot, Lease lease, Instant at) {
  const auto attempt = std::make_shared<Attempt>(
      std::move(lease), at,
      Attempt::Dependencies{
          .leases = *leases_, .heartbeats = *heartbeater_, .worker_stopping = stopping_});
  {
    MutexLock lock(mutex_);
    slot.attempt = attempt;
  }
  heartbeater_->add(attempt);
  Context context(*attempt);
  Ending ending = handlers_.run(context);
  heartbeater_->remove(*attempt);
  {
    MutexLock lock(mutex_);
    slot.attempt = nullptr;
  }
  if (!attempt->finish()) {
    report_if_lost(*attempt);
    return {};
  }
  Unsent unsent{.words = settling_commands(*attempt, std::move(ending)),
                .until = attempt->deadline};
  // Not with the next claim: if it is refused, the job must fail before its lease ends.
  if (std::holds_alternative<HandOff>(unsent.words.back())) send(unsent);
  return unsent;
}

// Retries until the commands are answered or the lease has ended.
void WorkerPool::send(Unsent& unsent) {
  Duration pause = pause_min;
  while (!unsent.words.empty()) {
    Result<std::vector<Verdict>> sent = leases_->tell(unsent.words);
    if (sent) {
      report_refusals(unsent.words, *sent);
      unsent.words = replacements_for(unsent.words, *sent);
      continue;
    }
    report_error(sent.error());
    const bool useless = sent.error().code == Errc::refused || stop_.stop_requested() ||
                         leases_->now() >= unsent.until;
    if (useless) return unsent.words.clear();
    leases_->wait_until(leases_->now() + pause, stop_.get_token());
    pause = std::min(pause + pause, pause_max);
  }
}

void WorkerPool::report_refusals(const std::vector<Command>& words,
                                 const std::vector<Verdict>& verdicts) {
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const auto* refusal = std::get_if<Refusal>(&verdicts[i]);
    if (refusal == nullptr) continue;
    report_error({Errc::refused,
                  std::string(to_text(refusal->code)) + ": the outcome of job " + job_of(words[i]) +
                      " was refused: " + refusal->detail,
                  refusal->code});
  }
}

void WorkerPool::report_if_lost(const Attempt& attempt) {
  if (attempt.stop_reason() != StopReason::lease_lost) return;
  report_error({Errc::refused,
                "LEASE_LOST: the outcome of job " + to_text(attempt.lease.job) +
                    " was discarded: its lease was lost in the meantime",
                Code::lease_lost});
}

void WorkerPool::report_error(const Error& error) {
  if (options_.on_trouble) options_.on_trouble(error);
}

// ---- All slots --------------------------------------------------------------------------------

// A stuck handler holds its thread but not the worker's capacity: the worker replaces as many stuck
// slots as its concurrency.
void WorkerPool::replace(const AttemptRef& stuck) {
  {
    MutexLock lock(mutex_);
    const auto found =
        std::ranges::find(slots_, stuck, [](const SlotRef& s) { return s->attempt; });
    if (found == slots_.end() || stopping_ || stuck_ >= options_.concurrency) return;
    (*found)->replaced = true;
    stuck_ += 1;
    limits_->release((*found)->reservation);
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
    all_ended_.request_stop();
  }
}

StopReport WorkerPool::stop() {
  MutexLock lock(starting_);
  if (stopping_.exchange(true)) return report_;
  if (!heartbeater_) return report_;
  limits_->stop();
  wait_for_slots(options_.grace, hurried_.get_token());
  report_.released = release_running();
  released_ = true;
  if (hurried_.stop_requested()) kill_all_children();
  stop_.request_stop();
  wait_for_slots(options_.patience, {});
  report_.abandoned = join_or_detach_threads();
  heartbeater_->stop();
  return report_;
}

void WorkerPool::hurry() {
  hurried_.request_stop();
  // Releases the jobs first: otherwise the death of a child would be reported as a failure.
  if (released_) kill_all_children();
}

void WorkerPool::wait_for_slots(Duration longest, const std::stop_token& enough) {
  {
    MutexLock lock(mutex_);
    if (std::ranges::all_of(slots_, [](const SlotRef& slot) { return slot->gone; })) return;
  }
  std::stop_source over;
  const auto end = [&over] { over.request_stop(); };
  const std::stop_callback gone(all_ended_.get_token(), end);
  const std::stop_callback cut(enough, end);
  leases_->wait_until(leases_->now() + longest, over.get_token());
}

int WorkerPool::release_running() {
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
  Unsent unsent{.words = std::move(words), .until = leases_->now() + options_.patience};
  send(unsent);
  return count;
}

// Joins threads that are done; the others keep the pool alive until they are.
int WorkerPool::join_or_detach_threads() {
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
    if (stopping_) return Error{Errc::refused, "this worker has been stopped; create a new one"};
    if (Result<Nothing> prepared = prepare(); !prepared) return prepared.error();
    heartbeater_->start();
  }
  Slot here;
  Unsent unsent;
  int count = 0;
  while (const ConcurrencyLimits::ClaimScopeRef scope = limits_->try_claim({})) {
    const std::vector<Command> words = std::exchange(unsent.words, {});
    Turn turn{.words = words};
    turn.claim = Claim{.worker = options_.name,
                       .queues = order_->arrange(scope->queues),
                       .types = scope->types,
                       .lease = options_.lease};
    Result<Turned> turned = leases_->turn(std::move(turn), scope->stop.get_token());
    limits_->release(limits_->abandon(scope));
    if (!turned) return turned.error();
    report_refusals(words, turned->verdicts);
    if (!turned->leases) return turned->leases.error();
    if (turned->leases->empty()) break;
    unsent = run(here, std::move(turned->leases->front()), turned->at);
    count += 1;
  }
  return count;
}

}  // namespace longshore
