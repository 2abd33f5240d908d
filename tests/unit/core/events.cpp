#include "unit/core/events.h"

#include <utility>

#include "core/rules/lifecycle.h"

namespace longshore {
namespace {

constexpr RequestId new_claim{0xC1A1, 0x2};
constexpr RequestId operator_reply{0x3E91, 0x3};

template <class What>
Event clock_event(std::string name, What what) {
  return {.name = std::move(name),
          .has_asker = false,
          .happens = [what](const Situation& situation, const Rules& rules) {
            return decide(situation.record.job, what, rules, table_now);
          }};
}

// An event made for each situation by `make`, since tokens and fences differ.
template <class Make>
Event said(std::string name, Make make) {
  return {.name = std::move(name),
          .happens = [make](const Situation& situation, const Rules& rules) {
            return decide(situation.record.job, make(situation), rules, table_now);
          }};
}

template <class Make>
Event stale(std::string name, Make make) {
  return said(std::move(name), [make](const Situation& situation) {
    auto command = make(situation);
    command.token.epoch -= 1;
    return command;
  });
}

Heartbeat heartbeat(const Situation& situation) {
  return {.id = new_claim,
          .ns = "default",
          .job = situation.record.job.id,
          .token = situation.token,
          .log = {}};
}

Fail fail_with(const Situation& situation, std::string code, bool retryable = true) {
  Fail fail = told_fail(situation);
  fail.error.code = std::move(code);
  fail.retryable = retryable;
  return fail;
}

Release release(const Situation& situation) {
  return {.ns = "default", .job = situation.record.job.id, .token = situation.token, .log = {}};
}

HandOff hand_off(const Situation& situation) {
  return {.ns = "default", .job = situation.record.job.id, .token = situation.token};
}

Outcome error_outcome(std::string code, bool retryable = true) {
  Outcome outcome;
  outcome.error = {.code = std::move(code), .message = "it went wrong"};
  outcome.retryable = retryable;
  return outcome;
}

FinishByKey finish_with(Outcome outcome) {
  FinishByKey finish = told_finish();
  finish.outcome = std::move(outcome);
  return finish;
}

Resolve resolve_with(Outcome outcome) {
  return {.id = operator_reply, .ns = "default", .outcome = std::move(outcome)};
}

Redrive redrive_after(Duration delay) {
  return {.ns = "default", .successor = table_successor, .delay = delay};
}

void add_clock(std::vector<Event>& all) {
  all.push_back(clock_event("due", DueEvent{}));
  all.push_back(clock_event("lease end", LeaseEndEvent{}));
  all.push_back(clock_event("deadline", LeaseEndEvent{.lost_leases = false}));
  all.push_back(clock_event("expiry", ExpiryEvent{}));
  all.push_back(clock_event("accept", AcceptEvent{}));
  all.push_back(clock_event("recover", RecoverEvent{}));
  all.push_back(clock_event("grace", GraceEvent{}));
  static const Claim claim{.id = new_claim, .ns = "default", .worker = "w-2"};
  all.push_back(clock_event("grant", GrantEvent{&claim}));
  all.push_back(clock_event("claim again", ClaimAgainEvent{}));
}

void add_heartbeats(std::vector<Event>& all) {
  all.push_back(said("heartbeat", heartbeat));
  all.push_back(stale("heartbeat stale", heartbeat));
  all.push_back(said("heartbeat shorter", [](const Situation& situation) {
    Heartbeat beat = heartbeat(situation);
    beat.extend = Duration::seconds(5);
    return beat;
  }));
  all.push_back(said("heartbeat longer", [](const Situation& situation) {
    Heartbeat beat = heartbeat(situation);
    beat.extend = Duration::seconds(86400);
    return beat;
  }));
  all.push_back(said("heartbeat with progress", [](const Situation& situation) {
    Heartbeat beat = heartbeat(situation);
    beat.progress = 50;
    beat.checkpoint = "7";
    beat.log = "half way\n";
    return beat;
  }));
}

void add_settling(std::vector<Event>& all) {
  all.push_back(said("complete", told_complete));
  all.push_back(stale("complete stale", told_complete));
  all.push_back(said("complete different", [](const Situation& situation) {
    Complete complete = told_complete(situation);
    complete.result = "\"something else\"";
    return complete;
  }));
  all.push_back(said("fail", told_fail));
  all.push_back(stale("fail stale", told_fail));
  all.push_back(said("fail CANCELED", told_fail_canceled));
  const auto add_fail = [&](std::string name, std::string code, bool retryable) {
    all.push_back(said(std::move(name), [code, retryable](const Situation& situation) {
      return fail_with(situation, code, retryable);
    }));
  };
  add_fail("fail fatal", "BOOM", false);
  add_fail("fail NO_HANDLER", "NO_HANDLER", true);
  add_fail("fail NO_HANDLER fatal", "NO_HANDLER", false);
  add_fail("fail TIMEOUT", "TIMEOUT", true);
  all.push_back(said("fail later", [](const Situation& situation) {
    Fail fail = told_fail(situation);
    fail.retry_after = Duration::seconds(90);
    return fail;
  }));
}

void add_letting_go(std::vector<Event>& all) {
  all.push_back(said("release", release));
  all.push_back(stale("release stale", release));
  all.push_back(said("release later", [](const Situation& situation) {
    Release later = release(situation);
    later.delay = Duration::seconds(60);
    later.checkpoint = "7";
    later.log = "let go\n";
    return later;
  }));
  all.push_back(said("hand off", hand_off));
  all.push_back(stale("hand off stale", hand_off));
  all.push_back(said("hand off briefly", [](const Situation& situation) {
    HandOff brief = hand_off(situation);
    brief.timeout = Duration::seconds(60);
    return brief;
  }));
}

void add_finishes(std::vector<Event>& all) {
  all.push_back(said("finish", [](const Situation&) { return told_finish(); }));
  const auto add = [&](std::string name, Outcome outcome) {
    all.push_back(
        said(std::move(name), [outcome](const Situation&) { return finish_with(outcome); }));
  };
  add("finish different", {.result = "\"something else\"", .error = {}});
  add("finish error", error_outcome("BOOM"));
  add("finish fatal", error_outcome("BOOM", false));
  add("finish NO_HANDLER", error_outcome("NO_HANDLER"));
  add("finish CANCELED", error_outcome("CANCELED"));
  add("finish TIMEOUT", error_outcome("TIMEOUT"));
  const auto add_fence = [&](std::string name, std::int64_t off_by) {
    all.push_back(said(std::move(name), [off_by](const Situation& situation) {
      FinishByKey finish = told_finish();
      finish.fence = situation.record.job.epoch + off_by;
      return finish;
    }));
  };
  add_fence("finish right fence", 0);
  add_fence("finish wrong fence", 1);
}

void add_operators(std::vector<Event>& all) {
  all.push_back(said("cancel", [](const Situation&) { return Cancel{.ns = "default"}; }));
  all.push_back(said("force cancel",
                     [](const Situation&) { return Cancel{.ns = "default", .force = true}; }));
  all.push_back(said("promote", [](const Situation&) { return Promote{.ns = "default"}; }));
  const auto add = [&](std::string name, Outcome outcome) {
    all.push_back(
        said(std::move(name), [outcome](const Situation&) { return resolve_with(outcome); }));
  };
  add("resolve", {.result = "\"by hand\"", .error = {}});
  add("resolve error", error_outcome("BOOM"));
  add("resolve NO_HANDLER", error_outcome("NO_HANDLER"));
  add("resolve CANCELED", error_outcome("CANCELED"));
  add("resolve TIMEOUT", error_outcome("TIMEOUT"));
  all.push_back(said("redrive", [](const Situation&) { return redrive_after(Duration()); }));
  all.push_back(
      said("redrive later", [](const Situation&) { return redrive_after(Duration::seconds(60)); }));
}

}  // namespace

std::vector<Event> events() {
  std::vector<Event> all;
  add_clock(all);
  add_heartbeats(all);
  add_settling(all);
  add_letting_go(all);
  add_finishes(all);
  add_operators(all);
  return all;
}

}  // namespace longshore
