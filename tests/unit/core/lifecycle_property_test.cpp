// What must hold in every life a job can have: random rules, random events, a clock that only
// advances and likes to stop at the edges.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdio>
#include <set>
#include <tuple>

#include "core/record/soundness.h"
#include "core/rules/enqueue.h"
#include "core/rules/lifecycle.h"
#include "unit/core/apply.h"

namespace longshore {
namespace {

constexpr Instant life_begins = Instant::millis(1'800'000'000'000);
constexpr JobId life_id{0x019B'0000'0000'7000, 0x8000'0000'1234'5678};

using Move = std::tuple<std::optional<State>, State, Cause>;
std::set<Move> moves_seen;  // over all runs, to show that they cover the table

template <class Enum>
Enum any_of(std::initializer_list<Enum> values) {
  return *rc::gen::elementOf(std::vector<Enum>(values));
}

Rules any_rules() {
  Rules rules;
  rules.lease_is_timeout = *rc::gen::arbitrary<bool>();
  rules.delay_on_timeout = any_of({Rules::DelayOnTimeout::none, Rules::DelayOnTimeout::backoff});
  rules.on_lease_lost =
      any_of({Rules::OnLeaseLost::requeue, Rules::OnLeaseLost::requeue,
              Rules::OnLeaseLost::count_failure, Rules::OnLeaseLost::wait_timeout});
  if (*rc::gen::arbitrary<bool>()) {
    rules.max_crashes.reset();
  } else {
    rules.max_crashes = *rc::gen::inRange(0, 4);
  }
  rules.checkpoint_survives = *rc::gen::arbitrary<bool>();
  rules.cancel_path = any_of({Rules::CancelPath::direct, Rules::CancelPath::system_claim});
  rules.terminal = any_of({Rules::Terminal::fixed, Rules::Terminal::reopen});
  rules.accept = any_of({Rules::Accept::one_phase, Rules::Accept::two_phase});
  rules.count_no_handler = *rc::gen::arbitrary<bool>();
  return rules;
}

NewJob any_new_job() {
  NewJob job;
  job.id = life_id;
  job.type = "report.build";
  job.body.payload = "null";
  job.job_key = "report-7";
  job.policy.max_retries = *rc::gen::inRange(0, 4);
  job.policy.timeout = Duration::seconds(*rc::gen::inRange(20, 60));
  job.policy.backoff.kind =
      any_of({Backoff::Kind::exponential, Backoff::Kind::fixed, Backoff::Kind::none});
  job.delay = Duration::seconds(*rc::gen::inRange(0, 2) * 40);
  if (*rc::gen::inRange(0, 3) == 0) {
    job.expires_at = life_begins + Duration::seconds(*rc::gen::inRange(40, 400));
  }
  if (*rc::gen::arbitrary<bool>()) job.callback = Callback{.url = "https://example.com/done"};
  return job;
}

// The same moves for the same reasons, or the same refusal.
bool same_kind(const Decision& a, const Decision& b) {
  if (a.index() != b.index()) return false;
  if (const auto* refusal = std::get_if<Refusal>(&a)) {
    return refusal->code == std::get<Refusal>(b).code;
  }
  const auto* change = std::get_if<Change>(&a);
  if (change == nullptr) return true;
  const auto& others = std::get<Change>(b).transitions;
  if (change->transitions.size() != others.size()) return false;
  for (std::size_t i = 0; i < others.size(); ++i) {
    const Transition& move = change->transitions[i];
    if (move.to != others[i].to || move.cause != others[i].cause) return false;
  }
  return true;
}

class Life {
 public:
  Life(Rules rules, NewJob wanted) : rules_(std::move(rules)), wanted_(std::move(wanted)) {
    const auto born = decide_enqueue("default", wanted_, {}, false, rules_, now_);
    const auto& change = std::get<Change>(born);
    record_.job.number = 1;
    apply(record_, change);
    remember(change);
    sound();
  }

  void step(int what, int wait, int chance) {
    advance(wait);
    chance_ = chance;
    const Job before = record_.job;
    happen(what);
    never_back(before);
  }

 private:
  // ---- What may happen ----

  void happen(int what) {
    switch (what) {
      case 0:
        return decided(DueEvent{});
      case 1:
        return decided(LeaseEndEvent{});
      case 2:
        return decided(ExpiryEvent{});
      case 3:
        return decided(AcceptEvent{});
      case 4:
        return decided(RecoverEvent{});
      case 5:
        return decided(GraceEvent{});
      case 6:
        return grant();
      case 7:
        return owner(beat());
      case 8:
        return owner(Complete{.token = token(), .result = std::to_string(chance_ % 2), .log = {}});
      case 9:
        return owner(fail());
      case 10:
        return owner(Release{.token = token(), .delay = maybe_wait(), .log = {}});
      case 11:
        return owner(HandOff{.token = token(), .timeout = maybe_wait()});
      case 12:
        return decided(finish());
      case 13:
        return decided(Cancel{.force = chance_ % 3 == 0});
      case 14:
        return decided(Promote{});
      case 15:
        return decided(Resolve{.id = request(), .outcome = outcome()});
      case 16:
        return decided(Redrive{.successor = {1, 2}, .delay = maybe_wait().value_or(Duration())});
      case 17:
        return replace();
      default:
        return grant();  // most runs need starts
    }
  }

  std::optional<Duration> maybe_wait() const {
    if (chance_ % 2 == 0) return std::nullopt;
    return Duration::seconds(chance_ % 50);
  }
  // Mostly fresh, sometimes one that came before.
  RequestId request() {
    if (chance_ % 4 != 0) requests_ += 1;
    return {7, requests_};
  }
  // Mostly the latest, sometimes an older one, sometimes a guess.
  LeaseToken token() const {
    if (tokens_.empty() || chance_ % 11 == 0) return {record_.job.epoch, {9, 9}};
    if (chance_ % 7 == 0) return tokens_[static_cast<std::size_t>(chance_) % tokens_.size()];
    return tokens_.back();
  }
  JobError error() const {
    constexpr const char* codes[] = {"BOOM", "BOOM", "", "NO_HANDLER", "CANCELED", "TIMEOUT"};
    return {.code = codes[chance_ % 6], .message = "it went wrong"};
  }
  Outcome outcome() const {
    Outcome told;
    if (chance_ % 3 == 0) told.result = "1";
    told.error = error();
    told.retryable = chance_ % 5 != 0;
    return told;
  }
  Heartbeat beat() {
    Heartbeat beat{.id = request(), .token = token(), .extend = maybe_wait(), .log = {}};
    if (chance_ % 3 == 0) beat.progress = chance_ % 100;
    return beat;
  }
  Fail fail() const {
    return {.token = token(),
            .error = error(),
            .retryable = chance_ % 5 != 0,
            .retry_after = maybe_wait(),
            .log = {}};
  }
  FinishByKey finish() {
    FinishByKey finish{.id = request(), .outcome = outcome()};
    if (chance_ % 3 == 0) finish.fence = record_.job.epoch + (chance_ % 2);
    return finish;
  }

  void grant() {
    Claim claim{.id = {5, tokens_.size() + 1}, .worker = "w"};
    if (chance_ % 3 == 0) claim.lease = Duration::seconds(1 + chance_ % 50);
    decided(GrantEvent{&claim});
    const Job& job = record_.job;
    if (job.state == State::running && job.claim == claim.id) {
      tokens_.push_back({job.epoch, job.claim});
    }
  }

  void replace() {
    if (is_terminal(record_.job.state)) return;  // its key is free: this would be another job
    NewJob again = wanted_;
    again.id.low += static_cast<std::uint64_t>(chance_) + 1;
    again.on_conflict = OnConflict::replace;
    again.expires_at.reset();
    again.delay = maybe_wait().value_or(Duration());
    const auto decision =
        decide_enqueue("default", again, {.holder_of_key = &record_.job}, false, rules_, now_);
    if (const auto* change = std::get_if<Change>(&decision)) {
      RC_ASSERT(record_.job.attempt == 0);
      changed(*change);
    }
  }

  // ---- What must hold ----

  // Only the token of the last claim is accepted, and only until its lease expires.
  template <class Command>
  void owner(const Command& command) {
    const Job& job = record_.job;
    const bool latest =
        !tokens_.empty() && command.token == tokens_.back() && job.claim == command.token.claim;
    const bool valid = (job.state == State::running && now_ < *job.lease_expires_at) ||
                       (job.state == State::waiting && now_ < *job.deadline_at);
    const Decision decision = decide(job, command, rules_, now_);
    if (std::holds_alternative<Change>(decision)) RC_ASSERT(latest && valid);
    decided(command);
  }

  template <class What>
  void decided(const What& what) {
    const Job before = record_.job;
    const Decision decision = decide(before, what, rules_, now_);
    RC_ASSERT(same_kind(decision, decide(before, what, rules_, now_)));
    const auto* change = std::get_if<Change>(&decision);
    if (change == nullptr) return;
    guarded(what, decision, change->guard);
    changed(*change);
  }

  template <class What>
  void guarded(const What& what, const Decision& decision, const Guard& guard) {
    const auto same_at = [&](Instant at) {
      return same_kind(decision, decide(record_.job, what, rules_, at));
    };
    RC_ASSERT(guard.version == record_.job.version);
    RC_ASSERT(guard.not_before <= now_ && now_ < guard.before);
    RC_ASSERT(same_at(guard.not_before));
    const Instant last = std::min(guard.before, now_ + Duration::days(3650)) - Duration::millis(1);
    RC_ASSERT(same_at(last));
    RC_ASSERT(same_at(now_ + Duration::millis((last - now_).count() / 2)));
    if (guard.not_before > Instant::millis(0)) {
      RC_ASSERT(!same_at(guard.not_before - Duration::millis(1)));
    }
    if (guard.before < Instant::never()) RC_ASSERT(!same_at(guard.before));
  }

  void changed(const Change& change) {
    const Job before = record_.job;
    const bool ended = is_terminal(before.state);
    visible_changes_raise_the_version(before, change);
    if (ended && rules_.terminal == Rules::Terminal::fixed) stays_as_it_is(before, change);
    std::size_t ends = 0;
    for (const Transition& move : change.transitions) ends += is_terminal(move.to) ? 1 : 0;
    RC_ASSERT(ends <= 1u);
    RC_ASSERT(change.spawn.has_value() == (ends == 1 && before.callback.has_value()));
    apply(record_, change);
    remember(change);
    RC_ASSERT(record_.job.attempt == worker_claims_);
    RC_ASSERT(record_.job.failures <= 1 + record_.job.policy.max_retries);
    sound();
  }

  static void visible_changes_raise_the_version(const Job& before, const Change& change) {
    Job seen = change.after;
    seen.version = before.version;
    seen.lease_expires_at = before.lease_expires_at;  // moves with every plain heartbeat
    seen.heartbeat_due_at = before.heartbeat_due_at;
    seen.lease = before.lease;
    seen.settled = before.settled;
    const bool visible = seen != before || !change.transitions.empty() || change.error ||
                         change.result || change.checkpoint || change.drop_result ||
                         change.drop_error || change.drop_checkpoint;
    RC_ASSERT((change.after.version > before.version) == visible);
  }

  static void stays_as_it_is(const Job& before, const Change& change) {
    Job seen = change.after;
    RC_ASSERT(seen.successor_id.has_value() && !before.successor_id);
    seen.successor_id.reset();
    seen.version = before.version;
    RC_ASSERT(seen == before);
    RC_ASSERT(change.transitions.empty() && !change.error && !change.result && !change.spawn);
  }

  void never_back(const Job& before) const {
    const Job& job = record_.job;
    RC_ASSERT(job.epoch >= before.epoch);
    RC_ASSERT(job.attempt >= before.attempt);
    RC_ASSERT(job.crashes >= before.crashes);
    RC_ASSERT(job.version >= before.version);
    RC_ASSERT(job.updated_at >= before.updated_at);
    RC_ASSERT(job.execution >= before.execution);
  }

  void remember(const Change& change) {
    for (const Transition& move : change.transitions) {
      moves_seen.insert({move.from, move.to, move.cause});
      if (move.cause == Cause::claim && move.worker == "w") worker_claims_ += 1;
    }
  }

  void sound() const {
    std::vector<Finding> findings;
    check_record(record_, rules_, findings);
    for (const Finding& finding : findings)
      RC_LOG() << finding.rule << ": " << finding.what << "\n";
    RC_ASSERT(findings.empty());
  }

  // ---- The clock ----

  void advance(int wait) {
    const std::optional<Instant> edge =
        wait < 6 ? wakes_at(record_.job, rules_) : record_.job.expires_at;
    switch (wait) {
      case 0:
        return;
      case 1:
        return jump(now_ + Duration::millis(1));
      case 2:
        return jump(now_ + Duration::seconds(7));
      case 3:
      case 6:
        return jump(edge.value_or(now_));
      case 4:
        return jump(edge.value_or(now_) - Duration::millis(1));
      case 5:
        return jump(edge.value_or(now_) + Duration::millis(1));
      default:
        return;
    }
  }
  void jump(Instant to) { now_ = std::max(now_, to); }

  Rules rules_;
  NewJob wanted_;
  Instant now_ = life_begins;
  JobRecord record_;
  std::vector<LeaseToken> tokens_;
  std::uint64_t requests_ = 0;
  int worker_claims_ = 0;
  int chance_ = 0;
};

TEST(LifecycleProperty, HoldsForEveryHistory) {
  std::size_t steps = 0;
  const bool held = rc::check("a job's life", [&] {
    Life life(any_rules(), any_new_job());
    using Step = std::tuple<int, int, int>;
    const auto any_step =
        rc::gen::tuple(rc::gen::inRange(0, 24), rc::gen::inRange(0, 9), rc::gen::inRange(0, 1000));
    const auto all = *rc::gen::resize(200, rc::gen::container<std::vector<Step>>(any_step));
    for (const auto& [what, wait, chance] : all) life.step(what, wait, chance);
    steps += all.size();
  });
  EXPECT_TRUE(held);
  std::printf("lifecycle properties: %zu steps, %zu of the legal moves seen\n", steps,
              moves_seen.size());
  EXPECT_GE(moves_seen.size(), 25u) << "the lives were too dull to prove anything";
}

}  // namespace
}  // namespace longshore
