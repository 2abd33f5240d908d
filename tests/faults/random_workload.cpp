#include "faults/random_workload.h"

#include <fmt/format.h>

#include <algorithm>

namespace longshore::faults {
namespace {

const Actor operator_name{.name = "ops", .request_id = "r-1"};

}  // namespace

RandomWorkload::RandomWorkload(std::uint64_t seed)
    : random_(seed), node_(random_id<NodeId>(random_)) {}

// Leases, retries and timeouts expire during a workload, retention now and then.
Duration RandomWorkload::pause() {
  if (chance(0.02)) return Duration::days(8);
  if (chance(0.1)) return Duration::seconds(40);
  return Duration::millis(below(3000));
}

std::vector<Command> RandomWorkload::next(Instant now) {
  now_ = now;
  std::vector<Command> commands;
  switch (commits_++) {
    case 0:
      commands = {StartNode{.node = node_, .name = "harbour"}, configure()};
      break;
    case 1:
    case 2:
      commands = {enqueue_group()};
      break;
    default:
      do {
        commands.push_back(any());
      } while (chance(0.3) && commands.size() < 8);
  }
  sent_ = commands;
  return commands;
}

void RandomWorkload::learn(const Committed& committed) {
  for (std::size_t at = 0; at < committed.verdicts.size() && at < sent_.size(); ++at) {
    if (const auto* leased = std::get_if<Leased>(&committed.verdicts[at])) {
      const auto* claim = std::get_if<Claim>(&sent_[at]);
      for (const Lease& lease : leased->leases) {
        leases_.push_back({claim->ns, lease.job, lease.token});
      }
    }
    if (const auto* enqueued = std::get_if<Enqueued>(&committed.verdicts[at])) {
      const auto* enqueue = std::get_if<Enqueue>(&sent_[at]);
      for (const EnqueuedJob& job : enqueued->jobs) jobs_.push_back({enqueue->ns, job.id});
    }
  }
}

Command RandomWorkload::any() {
  static constexpr Choice choices[] = {
      {20, &RandomWorkload::enqueue},      {8, &RandomWorkload::enqueue_group},
      {20, &RandomWorkload::claim},        {7, &RandomWorkload::heartbeat},
      {14, &RandomWorkload::complete},     {9, &RandomWorkload::fail},
      {5, &RandomWorkload::release},       {4, &RandomWorkload::hand_off},
      {4, &RandomWorkload::finish_by_key}, {5, &RandomWorkload::cancel},
      {3, &RandomWorkload::promote},       {3, &RandomWorkload::resolve},
      {3, &RandomWorkload::redrive},       {2, &RandomWorkload::pause_queue},
      {14, &RandomWorkload::sweeps},       {2, &RandomWorkload::nodes},
      {3, &RandomWorkload::observe},       {1, &RandomWorkload::configure},
  };
  int total = 0;
  for (const Choice& choice : choices) total += choice.weight;
  int drawn = below(total);
  for (const Choice& choice : choices) {
    if (drawn < choice.weight) return (this->*choice.make)();
    drawn -= choice.weight;
  }
  return enqueue();
}

// ---- Producing --------------------------------------------------------------------------------

Command RandomWorkload::enqueue() { return Enqueue{.ns = ns(), .jobs = {job()}}; }

Command RandomWorkload::enqueue_group() {
  Enqueue enqueue{.ns = ns(), .reject_mismatch = chance(0.3)};
  for (int count = 2 + below(7); count > 0; --count) enqueue.jobs.push_back(job());
  return enqueue;
}

NewJob RandomWorkload::job() {
  NewJob job;
  job.id = ids_.next(now_);
  job.type = one_of({"mail", "bill", "pack"});
  job.queue = one_of({"default", "slow"});
  job.priority = below(10);
  job.body.payload = payload();
  if (chance(0.3)) job.body.tags = {"t1", one_of({"t2", "t3"})};
  if (chance(0.2)) job.body.metadata = R"({"k":"v"})";
  job.policy.max_retries = below(3);
  job.policy.timeout = Duration::seconds(60);
  if (chance(0.3)) job.job_key = fmt::format("key-{}", below(12));
  if (chance(0.4)) job.idempotency_key = fmt::format("once-{}", below(30));
  job.body_hash = static_cast<std::uint64_t>(below(3));
  job.on_conflict = static_cast<OnConflict>(below(3));
  if (chance(0.2)) job.delay = Duration::millis(below(5000));
  if (chance(0.1)) job.expires_at = now_ + Duration::seconds(below(60));
  if (chance(0.1)) job.callback = Callback{.url = "https://example.org/done"};
  return job;
}

// Mostly small; sometimes larger than a page, so that it uses overflow pages.
std::string RandomWorkload::payload() {
  const int bytes = chance(0.06) ? 4000 + below(9000) : below(250);
  return fmt::format(R"("{}:{}")", ++serial_, std::string(static_cast<std::size_t>(bytes), 'x'));
}

// ---- Working ----------------------------------------------------------------------------------

Command RandomWorkload::claim() {
  Claim claim{.id = request(), .ns = ns(), .worker = one_of({"anna", "bert"})};
  if (chance(0.5)) claim.queues = {"slow", "default"};
  if (chance(0.2)) claim.types = std::vector<std::string>{"mail", "bill"};
  if (chance(0.3)) claim.node = node_;
  claim.limit = 1 + below(5);
  return claim;
}

// Mostly a valid lease, sometimes an expired or invented one.
RandomWorkload::Held RandomWorkload::lease() {
  if (leases_.empty()) return {"main", known_job().id, {.epoch = 1, .claim = request()}};
  const std::size_t recent = std::min<std::size_t>(leases_.size(), chance(0.9) ? 6 : 60);
  return leases_[leases_.size() - 1 - random_.below(recent)];
}

Command RandomWorkload::heartbeat() {
  const Held held = lease();
  Heartbeat beat{.id = request(), .ns = held.ns, .job = held.job, .token = held.token};
  beat.log = chance(0.5) ? fmt::format("line {}\n", ++serial_) : "";
  if (chance(0.4)) beat.checkpoint = payload();
  if (chance(0.4)) beat.progress = below(101);
  return beat;
}

Command RandomWorkload::complete() {
  const Held held = lease();
  return Complete{.ns = held.ns, .job = held.job, .token = held.token, .result = payload()};
}

Command RandomWorkload::fail() {
  const Held held = lease();
  Fail fail{.ns = held.ns, .job = held.job, .token = held.token};
  fail.error = {.code = one_of({"E_NET", "E_DATA"}), .message = fmt::format("no {}", ++serial_)};
  fail.retryable = chance(0.8);
  if (chance(0.2)) fail.retry_after = Duration::seconds(1);
  return fail;
}

Command RandomWorkload::release() {
  const Held held = lease();
  Release release{.ns = held.ns, .job = held.job, .token = held.token};
  if (chance(0.5)) release.delay = Duration::millis(below(2000));
  if (chance(0.5)) release.checkpoint = payload();
  return release;
}

Command RandomWorkload::hand_off() {
  const Held held = lease();
  return HandOff{.ns = held.ns, .job = held.job, .token = held.token};
}

Command RandomWorkload::finish_by_key() {
  FinishByKey finish{.id = request(), .ns = ns(), .type = one_of({"mail", "bill", "pack"})};
  finish.key = fmt::format("key-{}", below(12));
  if (chance(0.7)) finish.outcome.result = payload();
  finish.outcome.error.code = "E_REPLY";
  return finish;
}

// ---- Operating --------------------------------------------------------------------------------

RandomWorkload::Known RandomWorkload::known_job() {
  if (jobs_.empty()) return {"main", ids_.next(now_)};
  return jobs_[random_.below(jobs_.size())];
}

Command RandomWorkload::cancel() {
  const Known known = known_job();
  Cancel cancel{.ns = known.ns, .job = known.id, .force = chance(0.5)};
  if (chance(0.7)) cancel.actor = operator_name;
  return cancel;
}

Command RandomWorkload::promote() {
  const Known known = known_job();
  return Promote{.ns = known.ns, .job = known.id, .actor = operator_name};
}

Command RandomWorkload::resolve() {
  const Known known = known_job();
  Resolve resolve{.id = request(), .ns = known.ns, .job = known.id, .actor = operator_name};
  if (chance(0.5)) resolve.outcome.result = payload();
  resolve.outcome.error.code = "E_OPS";
  resolve.outcome.retryable = chance(0.5);
  return resolve;
}

Command RandomWorkload::redrive() {
  const Known known = known_job();
  Redrive redrive{.ns = known.ns, .job = known.id, .successor = ids_.next(now_)};
  if (chance(0.3)) redrive.payload = payload();
  redrive.actor = operator_name;
  return redrive;
}

Command RandomWorkload::pause_queue() {
  return PauseQueue{.ns = ns(), .queue = "slow", .paused = chance(0.4), .actor = operator_name};
}

// ---- Time and observation ---------------------------------------------------------------------

Command RandomWorkload::sweeps() {
  const int limit = chance(0.5) ? 1000 : 1 + below(3);
  switch (below(4)) {
    case 0:
      return Due{.limit = limit};
    case 1:
      return Reap{.limit = limit};
    case 2:
      return Sweep{.limit = limit};
    default:
      return Prune{.limit = limit};
  }
}

Command RandomWorkload::nodes() {
  if (chance(0.5)) return SeeNode{.node = node_, .name = "harbour"};
  return StartNode{.node = node_, .name = "harbour"};
}

Command RandomWorkload::observe() {
  if (chance(0.5)) {
    return SeeWorkers{{{.ns = "main", .worker = "anna", .queues = {"default"}, .slots = 4}}};
  }
  if (++serial_ % 4 == 0) {
    return RecordAudit{.ns = "main",
                       .actor = operator_name,
                       .action = "cancel",
                       .target = std::to_string(serial_)};
  }
  MinuteRow row{.minute = Instant::millis(now_.count() / 60000 * 60000), .node = node_};
  row.ns = "main", row.queue = "default", row.type = "mail", row.enqueued = ++serial_;
  return RecordMinutes{{row}};
}

Command RandomWorkload::configure() {
  Configure configure;
  configure.queues.push_back({.ns = "main", .queue = "slow", .max_running = 2 + below(4)});
  configure.types.push_back({.ns = "main", .type = "pack", .keep_dead = Duration::days(3)});
  return configure;
}

std::string RandomWorkload::one_of(std::initializer_list<const char*> words) {
  return *(words.begin() + random_.below(words.size()));
}

}  // namespace longshore::faults
