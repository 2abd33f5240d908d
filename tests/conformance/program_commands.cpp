// Converts the numbers of a program to commands. Pools are small, so that commands interact: two
// namespaces, two queues, two types, few keys.
#include "conformance/program.h"
#include "core/policy/profiles.h"

namespace longshore::conformance {
namespace {

template <class T, std::size_t count>
const T& pick(const T (&pool)[count], std::uint8_t choice) {
  return pool[choice % count];
}

const std::string queues[] = {"q", "r"};
const std::string types[] = {"a", "b"};
const std::string job_keys[] = {"", "", "k1", "k2"};
const std::string workers[] = {"alice", "bob"};
const Actor ops{.name = "ops", .request_id = "r"};

}  // namespace

Rules rules_of(const Program& program) {
  const auto names = profile_names();
  const std::size_t choice = program.rules % (names.size() + 4);
  if (choice < names.size()) return *profile(names[choice]);
  Rules rules;
  if (choice == names.size()) rules.accept = Rules::Accept::two_phase;
  if (choice == names.size() + 1) rules.on_lease_lost = Rules::OnLeaseLost::count_failure;
  if (choice == names.size() + 2) rules.terminal = Rules::Terminal::reopen;
  if (choice == names.size() + 3) rules.max_crashes = 1;
  return rules;
}

JobId ProgramRun::any_job(std::uint8_t choice) {
  if (jobs_.empty()) return ids_.next(left_.now());
  return jobs_[choice % jobs_.size()];
}

ProgramRun::Held ProgramRun::any_lease(std::uint8_t choice) {
  if (leases_.empty()) return {.ns = "default", .lease = {.job = any_job(choice)}};
  // Mostly the latest ones: older tokens are stale more often than not.
  const std::size_t back = choice % 4 == 0 ? choice / 4 : choice / 4 % 3;
  Held held = leases_[leases_.size() - 1 - back % leases_.size()];
  if (choice == 255) held.lease.token.claim.low ^= 1;
  return held;
}

Command ProgramRun::command_of(const Instruction& choice) {
  int kind = choice[0] % 32;
  // Sweeps and store-wide commands would affect the others.
  if (stage_.shared && kind >= 26 && kind != 29 && kind != 30) kind = choice[1] % 26;
  if (kind < 8) return enqueue(choice);
  if (kind < 13) return claim(choice);
  if (kind < 21) return work(choice);
  if (kind < 26) return operate(choice);
  if (kind < 29) return sweep(choice);
  if (kind < 31 && !said_.empty()) return said_[choice[1] % said_.size()];
  return stage_.shared ? claim(choice) : observe(choice);
}

NewJob ProgramRun::plain_job(const Instruction& choice) {
  NewJob job;
  job.id = ids_.next(left_.now());
  job.type = pick(types, choice[2]);
  job.queue = queues[0];
  job.priority = 4 + choice[2] / 4 % 3;
  job.body.payload = "[" + std::to_string(choice[1]) + "]";
  job.policy = left_.rules.policy;
  return job;
}

NewJob ProgramRun::new_job(const Instruction& choice, int shift) {
  if (plain_ && choice[1] % 16 != 0) return plain_job(choice);
  static const std::string keys[] = {"", "", "i1", "i2", "i3"};
  const auto c = [&](int i) {
    return static_cast<std::uint8_t>(choice[1 + (i + shift) % 5] >> shift);
  };
  NewJob job;
  job.id = ids_.next(left_.now());
  job.type = pick(types, c(0));
  job.queue = pick(queues, static_cast<std::uint8_t>(c(0) >> 1));
  job.priority = 4 + c(0) / 4 % 3;
  job.body = {.payload = "[" + std::to_string(c(1)) + "]", .tags = {pick(types, c(1))}};
  job.policy = left_.rules.policy;
  if (c(1) % 3 == 0) job.policy.max_retries = c(1) / 3 % 3;
  if (c(1) % 5 == 0) job.policy.timeout = Duration::seconds(20);
  job.job_key = pick(job_keys, c(2));
  job.idempotency_key = pick(keys, static_cast<std::uint8_t>(c(2) / 4));
  job.body_hash = c(2) / 32;
  job.on_conflict = static_cast<OnConflict>(c(3) % 3);
  if (c(3) % 5 == 0) job.delay = Duration::seconds(1 + c(3) / 16);
  if (wide_ && c(3) % 5 == 1) job.run_at = left_.now() + Duration::seconds(c(3) / 8 - 4);
  if (c(4) % 4 == 0) job.expires_at = left_.now() + Duration::seconds(c(4));
  if (c(4) % 7 == 0) job.callback = Callback{.url = "https://example.org/"};
  return job;
}

Command ProgramRun::enqueue(const Instruction& choice) {
  Enqueue enqueue{.ns = ns(choice[5]), .reject_mismatch = choice[4] % 5 == 0};
  int count = choice[3] % 4 == 0 ? 3 : 1;
  if (large_ && choice[3] % 8 == 0) count = 20 + choice[2] + choice[4] % 25;  // up to 300
  for (int i = 0; i < count; ++i) enqueue.jobs.push_back(new_job(choice, i));
  return enqueue;
}

Command ProgramRun::claim(const Instruction& choice) {
  Claim claim{.id = request(), .ns = ns(choice[1]), .worker = pick(workers, choice[2])};
  claim.queues =
      choice[2] % 3 == 0 ? std::vector<std::string>{"r", "q"} : std::vector<std::string>{"q", "r"};
  if (plain_ && choice[2] % 16 != 0) claim.queues = {"q"};
  if (choice[3] % 4 == 0) claim.types = {pick(types, choice[3] / 4)};
  if (choice[3] % 3 == 0) claim.node = NodeId{1, 1};
  const int most = left_.rules.claim_limit;
  claim.limit = choice[4] % 16 == 15 ? most + 1 : 1 + choice[4] % std::min(most, 3);
  if (large_ && choice[4] % 4 == 0) claim.limit = 1 + choice[2] % std::min(most, 100);
  if (choice[5] % 4 == 0) claim.lease = Duration::seconds(1 + choice[5]);
  if (choice[5] % 9 == 0) claim.bytes_max = 10;
  if (choice[5] % 7 == 0) claim.queued_for = Duration::seconds(choice[5] / 7 % 12);
  return claim;
}

Outcome ProgramRun::outcome(std::uint8_t choice) {
  static const std::string codes[] = {"E", "F", "NO_HANDLER", "CANCELED", "TIMEOUT", ""};
  if (choice % 3 == 0) return {.result = "[" + std::to_string(choice / 64) + "]"};
  return {.error = {.code = pick(codes, choice), .message = "m"}, .retryable = choice % 7 != 0};
}

Command ProgramRun::work(const Instruction& choice) {
  const Held held = any_lease(choice[1]);
  const std::string where = choice[5] == 7 ? "other" : held.ns;
  const JobId job = held.lease.job;
  const LeaseToken token = held.lease.token;
  const std::string log = choice[4] % 3 == 0 ? "line " + std::to_string(choice[4]) : "";
  const std::optional<Duration> wait =
      choice[3] % 2 == 0 ? std::nullopt : std::optional(Duration::seconds(choice[3] / 8));
  switch (choice[2] % 8) {
    case 0: {
      Heartbeat beat{.id = request(), .ns = where, .job = job, .token = token, .log = log};
      if (choice[3] % 3 == 0) beat.progress = choice[3] / 2;
      if (choice[3] % 5 == 0) beat.checkpoint = "[" + std::to_string(choice[3]) + "]";
      if (choice[3] % 7 == 0) beat.extend = Duration::seconds(choice[3]);
      return beat;
    }
    case 1:
    case 2:
      return Complete{.ns = where,
                      .job = job,
                      .token = token,
                      .result = "[" + std::to_string(choice[3] % 2) + "]",
                      .log = log};
    case 3:
    case 4: {
      const Outcome said = outcome(static_cast<std::uint8_t>(choice[4] | 1));
      return Fail{.ns = where,
                  .job = job,
                  .token = token,
                  .error = said.error,
                  .retryable = said.retryable,
                  .retry_after = wait,
                  .log = log};
    }
    case 5:
      return Release{.ns = where, .job = job, .token = token, .delay = wait, .log = log};
    case 6:
      return HandOff{.ns = where, .job = job, .token = token, .timeout = wait};
    default: {
      FinishByKey finish{.id = request(),
                         .ns = where,
                         .type = pick(types, choice[3]),
                         .key = choice[3] % 3 == 0 ? "k1" : "k2",
                         .outcome = outcome(choice[4])};
      if (choice[4] % 4 == 0) finish.fence = choice[5] % 3;
      return finish;
    }
  }
}

Command ProgramRun::operate(const Instruction& choice) {
  const JobId job = any_job(choice[1]);
  const std::string where = ns(choice[2]);
  switch (choice[3] % 6) {
    case 0:
    case 1:
      return Cancel{.ns = where,
                    .job = job,
                    .force = choice[4] % 3 == 0,
                    .actor = choice[4] % 4 == 0 ? std::nullopt : std::optional(ops)};
    case 2:
      return Promote{.ns = where, .job = job, .actor = ops};
    case 3:
      return Resolve{
          .id = request(), .ns = where, .job = job, .outcome = outcome(choice[4]), .actor = ops};
    case 4: {
      Redrive redrive{.ns = where, .job = job, .successor = ids_.next(left_.now()), .actor = ops};
      if (choice[4] % 3 == 0) redrive.queue = pick(queues, choice[5]);
      if (choice[4] % 4 == 0) redrive.payload = "[9]";
      if (choice[4] % 5 == 0) redrive.delay = Duration::seconds(choice[5] % 30);
      return redrive;
    }
    default:
      return PauseQueue{.ns = where,
                        .queue = pick(queues, choice[4]),
                        .paused = choice[5] % 2 == 0,
                        .actor = ops};
  }
}

Command ProgramRun::sweep(const Instruction& choice) {
  const int limit = choice[2] % 4 == 0 ? 1 : 1000;
  switch (choice[1] % 6) {
    case 0:
      return Due{.limit = limit};
    case 1:
      return Reap{.limit = limit};
    case 5:
      return Reap{.lost_leases = false};
    case 2:
      return Sweep{.limit = limit};
    case 3:
      return Prune{.limit = limit};
    default:
      return Accept{.ns = ns(choice[3]), .jobs = {any_job(choice[4]), any_job(choice[5])}};
  }
}

// Rules that a store can change while jobs exist.
Command ProgramRun::set_rules(const Instruction& choice) {
  SetRules set{.source = choice[2] % 4 == 0 ? "ops" : "default", .actor = ops};
  const std::string few = std::to_string(1 + choice[3] % 60);
  switch (choice[4] % 5) {
    case 0:
      set.rules["leaseSeconds"] = few;
      break;
    case 1:
      set.rules["keepSuccess"] = few;
      break;
    case 2:
      set.rules["maxCrashes"] = std::to_string(choice[3] % 4);
      break;
    case 3:
      set.rules = {{"keepCanceled", few}, {"stuckAfterSeconds", few}};
      break;
    default:
      set.rules["cancelPath"] = "direct";  // the profile's, and refused where it is another
  }
  if (choice[2] % 3 != 0) set.revision = choice[2] % 7;
  set.only_if_newer = choice[3] % 2 == 0;
  return set;
}

Command ProgramRun::observe(const Instruction& choice) {
  const NodeId node{1, choice[2] % 2 + 1u};
  const std::string token = choice[2] % 2 == 0 ? "t1" : "t2";
  if (wide_ && choice[5] % 8 == 0) return set_rules(choice);
  switch (choice[1] % 9) {
    case 0:
      return StartNode{.node = node, .name = "n"};
    case 1:
      return SeeNode{.node = node, .name = "n"};
    case 2: {
      Configure rules;
      if (choice[3] % 2 == 0) {
        rules.queues = {{.ns = "default",
                         .queue = "q",
                         .max_running = choice[3] % 3,
                         .keep_dead = Duration::days(1)}};
      }
      if (choice[4] % 2 == 0) {
        rules.types = {{.ns = "default",
                        .type = "a",
                        .max_running = 1 + choice[4] % 2,
                        .keep_success = Duration::seconds(10)}};
      }
      return rules;
    }
    case 3:
      return SeeWorkers{
          .workers = {{.ns = "default", .worker = pick(workers, choice[2]), .slots = choice[3]}}};
    case 4:
      return RecordMinutes{
          .rows = {{.minute = Instant::millis(left_.now().count() / 60'000 * 60'000),
                    .node = node,
                    .ns = "default",
                    .queue = "q",
                    .enqueued = choice[3]}}};
    case 5:
      return PutToken{
          .token = {.id = token, .ns = "default", .role = choice[3] % 2 == 0 ? "a" : "b"},
          .actor = ops};
    case 6:
      return RevokeToken{.ns = "default", .id = token, .actor = ops};
    case 7:
      return RecordAudit{.ns = ns(choice[2]),
                         .actor = ops,
                         .action = "cancel",
                         .target = std::to_string(choice[3] % 4) + " jobs: {}"};
    default:
      return TouchToken{.id = token};
  }
}

}  // namespace longshore::conformance
