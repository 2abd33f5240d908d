#include "unit/core/situations.h"

#include <utility>

#include "core/rules/lifecycle.h"

namespace longshore {
namespace {

constexpr Instant born = table_now - Duration::hours(1);
constexpr Instant started = table_now - Duration::seconds(10);

// Builds the history of one job.
class Story {
 public:
  Story(std::string name, const Rules& rules) : rules_(rules) {
    situation_.name = std::move(name);
    situation_.token = {.epoch = 1, .claim = table_claim};
    JobRecord& record = situation_.record;
    record.body.payload = "null";
    Job& job = record.job;
    job.id = {0x019B'0000'0000'7000, 0x8000'0000'0000'0001};
    job.content = job.id;
    job.number = 1;
    job.ns = "default";
    job.type = "report.build";
    job.queue = "default";
    job.job_key = "report-7";
    job.policy.backoff = rules.policy.backoff;
    job.created_at = born;
    job.run_at = born;
    moves(State::created, Cause::enqueue);
  }

  Job& job() { return situation_.record.job; }

  Story& moves(State to, Cause cause, std::string worker = {}) {
    JobRecord& record = situation_.record;
    const std::optional<State> from =
        record.history.empty() ? std::nullopt : std::optional(job().state);
    const Instant at = from ? started : born;
    job().state = to;
    job().version += 1;
    job().history_count += 1;
    job().updated_at = at;
    record.history.push_back({.seq = job().history_count,
                              .from = from,
                              .to = to,
                              .cause = cause,
                              .at = at,
                              .epoch = job().epoch,
                              .worker = std::move(worker)});
    return *this;
  }

  Story& runs_at(Instant at) {
    job().run_at = at;
    return *this;
  }
  Story& expires_now() {
    job().expires_at = table_now;
    return *this;
  }
  Story& accepted() { return moves(State::queued, Cause::accept); }
  Story& scheduled() { return moves(State::scheduled, Cause::accept); }

  Story& claimed() {
    job().attempt += 1;
    owned_by("w-1");
    job().claim = table_claim;
    job().lease = Duration::seconds(30);
    job().lease_expires_at = table_now + Duration::seconds(20);
    job().deadline_at = started + job().policy.timeout;
    situation_.token = {.epoch = job().epoch, .claim = table_claim};
    return *this;
  }
  Story& claimed_by_system() { return owned_by("system"); }

  Story& lease_ends(Instant at) {
    job().lease_expires_at = at;
    return *this;
  }
  Story& out_of_time() {
    if (job().state == State::running) job().lease_expires_at = table_now;
    job().deadline_at = table_now;
    return *this;
  }
  Story& silent() {
    job().heartbeat_due_at = table_now - Duration::millis(1);
    return out_of_time();
  }
  Story& cancel_requested() {
    job().cancel_requested = true;
    job().version += 1;
    return *this;
  }
  Story& handed_off() {
    moves(State::waiting, Cause::hand_off, "w-1");
    job().lease_expires_at.reset();
    return settled(Settlement::Kind::hand_off);
  }

  // The attempt is over; what follows says how.
  Story& leaves(State to, Cause cause, std::string worker = "w-1") {
    moves(to, cause, std::move(worker));
    job().claim = {};
    job().worker.clear();
    job().lease_expires_at.reset();
    job().deadline_at.reset();
    if (is_terminal(to)) ended();
    return *this;
  }
  Story& failed() {
    job().failures += 1;
    error("BOOM");
    situation_.record.errors.push_back(
        {.attempt = job().attempt, .at = started, .error = *situation_.record.error});
    return leaves(State::retry, Cause::fail);
  }
  Story& granted_a_retry() {
    job().retry_count += 1;
    return *this;
  }
  Story& due() { return moves(State::queued, Cause::due); }
  Story& failed_before(int times) {
    for (int i = 0; i < times; ++i) claimed().failed().granted_a_retry().due();
    return *this;
  }
  Story& lost_before(int times) {
    for (int i = 0; i < times; ++i) {
      claimed().leaves(State::retry, Cause::lease_lost).due();
      job().crashes += 1;
    }
    return *this;
  }

  Story& dies(Cause cause) {
    moves(State::dead, cause);
    return ended();
  }
  Story& succeeds(std::string worker) {
    situation_.record.result = "\"done\"";
    situation_.record.error.reset();
    return leaves(State::success, Cause::complete, std::move(worker));
  }
  Story& withdrawn(std::string code) {
    error(std::move(code));
    job().withdrawn = true;
    return *this;
  }
  Story& redriven() {
    job().successor_id = table_successor;
    job().version += 1;
    return *this;
  }

  Story& settled(Settlement::Kind kind, std::uint64_t outcome = 0) {
    job().settled = Settlement{
        .by = situation_.token, .kind = kind, .outcome = outcome, .status = status_of(job().state)};
    return *this;
  }
  // Remembers `said` as what the token settled; the hash of it is the rules' own business.
  template <class Command>
  Story& settled_by(const Command& said, const Job& owner) {
    Rules rules = rules_;
    rules.other_moves = Rules::OtherMoves::allowed;
    const auto change = std::get<Change>(decide(owner, said, rules, table_now));
    job().settled = change.after.settled;
    job().settled->status = status_of(job());
    return *this;
  }

  Situation told() && { return std::move(situation_); }
  const Situation& so_far() const { return situation_; }

 private:
  Story& owned_by(std::string worker) {
    job().epoch += 1;
    job().worker = worker;
    job().started_at = started;
    if (!job().first_started_at) job().first_started_at = started;
    return moves(State::running, Cause::claim, std::move(worker));
  }
  Story& ended() {
    job().completed_at = started;
    return *this;
  }
  void error(std::string code) {
    situation_.record.error = JobError{.code = std::move(code), .message = "told by the story"};
  }

  const Rules& rules_;
  Situation situation_;
};

void add_unstarted(std::vector<Situation>& all, const Rules& rules) {
  const Instant later = table_now + Duration::seconds(60);
  const auto story = [&](std::string name) { return Story(std::move(name), rules); };
  const auto add = [&](Story& told) { all.push_back(std::move(told).told()); };
  add(story("created").runs_at(table_now));
  add(story("created-later").runs_at(later));
  add(story("created-expired").expires_now());
  add(story("scheduled").runs_at(later).scheduled());
  add(story("scheduled-due").runs_at(table_now).scheduled());
  add(story("scheduled-expired").scheduled().expires_now());
  Story again = story("scheduled-again");
  again.runs_at(later).accepted().claimed().failed().dies(Cause::fatal);
  again.moves(State::scheduled, Cause::reopen);
  again.job().completed_at.reset();
  again.job().failures = 0;
  add(again);
  add(story("queued").accepted());
  add(story("queued-expired").accepted().expires_now());
  add(story("queued-lost").accepted().lost_before(1));
  Story released = story("queued-released");
  released.accepted().claimed().leaves(State::retry, Cause::release).due();
  released.job().progress = 40;
  add(released.settled(Settlement::Kind::release));
}

void add_running(std::vector<Situation>& all, const Rules& rules) {
  const auto story = [&](std::string name) {
    Story told(std::move(name), rules);
    told.accepted();
    return told;
  };
  const auto add = [&](Story& told) { all.push_back(std::move(told).told()); };
  add(story("running").claimed());
  add(story("running-last").failed_before(3).claimed());
  add(story("running-cancel").claimed().cancel_requested());
  add(story("running-lost").claimed().lease_ends(table_now));
  add(story("running-shaken").lost_before(4).claimed().lease_ends(table_now));
  add(story("running-silent").claimed().silent());
  add(story("running-overdue").claimed().out_of_time());
  add(story("running-last-overdue").failed_before(3).claimed().out_of_time());
  add(story("running-crashed").lost_before(5).claimed().lease_ends(table_now));
  add(story("running-cancel-lost").claimed().lease_ends(table_now).cancel_requested());
  add(story("running-cancel-overdue").claimed().out_of_time().cancel_requested());
  add(story("waiting").claimed().handed_off());
  add(story("waiting-last").failed_before(3).claimed().handed_off());
  add(story("waiting-overdue").claimed().handed_off().out_of_time());
  add(story("waiting-last-overdue").failed_before(3).claimed().handed_off().out_of_time());
}

void add_tried(std::vector<Situation>& all, const Rules& rules) {
  const auto retry = [&](std::string name, Instant run_at) {
    Story told(std::move(name), rules);
    told.accepted().claimed();
    const Situation owner = told.so_far();
    told.failed().granted_a_retry().runs_at(run_at);
    told.settled_by(told_fail(owner), owner.record.job);
    return told;
  };
  const Instant later = table_now + Duration::seconds(60);
  all.push_back(retry("retry", later).told());
  all.push_back(retry("retry-due", table_now).told());
  Story expired = retry("retry-expired", later);
  all.push_back(std::move(expired.expires_now()).told());
}

void add_ended(std::vector<Situation>& all, const Rules& rules) {
  const auto running = [&](std::string name) {
    Story told(std::move(name), rules);
    told.accepted().claimed();
    return told;
  };
  const auto dead = [&](std::string name) {
    Story told = running(std::move(name));
    const Situation owner = told.so_far();
    told.failed().dies(Cause::fatal);
    Fail fatal = told_fail(owner);
    fatal.retryable = false;
    told.settled_by(fatal, owner.record.job);
    return told;
  };
  const auto canceled = [&](std::string name) {
    Story told(std::move(name), rules);
    told.accepted().withdrawn("CANCELED").leaves(State::canceled, Cause::cancel, "");
    return told;
  };
  const auto add = [&](Story& told) { all.push_back(std::move(told).told()); };

  Story success = running("success");
  const Situation owner = success.so_far();
  add(success.succeeds("w-1").settled_by(told_complete(owner), owner.record.job));
  Story by_key = running("success-by-key");
  add(by_key.succeeds("external").settled_by(told_finish(), owner.record.job));
  all.push_back(dead("dead").told());
  Story unwanted("dead-withdrawn", rules);
  unwanted.accepted().claimed_by_system().withdrawn("CANCELED");
  add(unwanted.leaves(State::retry, Cause::fail, "system").dies(Cause::fatal));
  Story redriven = dead("dead-redriven");
  add(redriven.redriven());
  all.push_back(canceled("canceled").told());
  Story by_worker = running("canceled-by-worker");
  by_worker.withdrawn("CANCELED").leaves(State::canceled, Cause::cancel);
  add(by_worker.settled_by(told_fail_canceled(owner), owner.record.job));
  Story handed_off = running("canceled-handed-off");
  handed_off.withdrawn("CANCELED").leaves(State::canceled, Cause::cancel);
  add(handed_off.settled(Settlement::Kind::hand_off));
  Story repeated = canceled("canceled-redriven");
  add(repeated.redriven());
}

}  // namespace

Complete told_complete(const Situation& situation) {
  const Job& job = situation.record.job;
  return {.ns = job.ns, .job = job.id, .token = situation.token, .result = "\"done\"", .log = {}};
}

Fail told_fail(const Situation& situation) {
  const Job& job = situation.record.job;
  Fail fail{.ns = job.ns, .job = job.id, .token = situation.token};
  fail.error = {.code = "BOOM", .message = "it went wrong"};
  return fail;
}

Fail told_fail_canceled(const Situation& situation) {
  Fail fail = told_fail(situation);
  fail.error = {.code = "CANCELED", .message = "stopped as asked"};
  return fail;
}

FinishByKey told_finish() {
  FinishByKey finish{.id = table_reply, .ns = "default", .type = "report.build", .key = "report-7"};
  finish.outcome.result = "\"done\"";
  return finish;
}

std::vector<Situation> situations(const Rules& rules) {
  std::vector<Situation> all;
  add_unstarted(all, rules);
  add_running(all, rules);
  add_tried(all, rules);
  add_ended(all, rules);
  return all;
}

}  // namespace longshore
