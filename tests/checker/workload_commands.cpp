// The next requests of the producers, workers and operators of a workload.
#include <algorithm>
#include <utility>

#include "checker/workload.h"
#include "core/rules/enqueue.h"
#include "core/text/hash.h"

namespace longshore::checker {
namespace {

constexpr const char* types[] = {"mail", "slow", "report"};
constexpr const char* codes[] = {"", "E_NET", "E_DB", "NO_HANDLER", "CANCELED"};

}  // namespace

std::optional<Workload::Request> Workload::next_request(Client& client) {
  switch (client.role) {
    case Role::producer:
      return produce(client);
    case Role::worker:
      return work(client);
    case Role::steward:
      return oversee(client);
    case Role::keeper:
      return keep(client);
  }
  return std::nullopt;
}

const Workload::Known* Workload::any_known(const std::string& ns) {
  if (known_.empty()) return nullptr;
  // Prefers the newest.
  const bool any = options_.wide && random_.chance(0.3);
  const std::size_t window = any ? known_.size() : std::min<std::size_t>(known_.size(), 12);
  const Known& known = known_[known_.size() - 1 - random_.below(window)];
  // Sometimes uses another namespace.
  return known.ns == ns || random_.chance(0.2) ? &known : nullptr;
}

Actor Workload::actor() { return {"steward", "r" + std::to_string(++counter_)}; }

Outcome Workload::outcome() {
  Outcome outcome;
  if (random_.chance(0.6)) {
    outcome.result = "{\"r\":" + std::to_string(++counter_) + "}";
  } else {
    outcome.error.code = "E_OUTSIDE";
    outcome.retryable = random_.chance(0.7);
  }
  return outcome;
}

// ---- Producing --------------------------------------------------------------------------------

NewJob Workload::new_job(const std::string& ns) {
  NewJob job;
  job.id = ids_.next(clock_.now());
  job.type = types[random_.below(3)];
  job.queue = random_.chance(0.3) ? "narrow" : "default";
  job.priority = static_cast<int>(random_.below(10));
  job.body.payload = "{\"n\":" + std::to_string(++counter_) + "}";
  job.body_hash = hash64(job.body.payload);
  job.policy = rules_.policy;
  job.policy.max_retries = static_cast<int>(random_.below(4));
  if (unlucky(0.2)) job.policy.timeout = Duration::seconds(4);
  job.policy.backoff.base = Duration::millis(800);
  if (random_.chance(0.25)) job.job_key = "k" + std::to_string(random_.below(6));
  if (random_.chance(0.2)) job.on_conflict = OnConflict::replace;
  if (random_.chance(0.2)) job.on_conflict = OnConflict::reject;
  if (random_.chance(0.25)) job.idempotency_key = "i" + std::to_string(random_.below(8));
  if (random_.chance(0.25))
    job.delay = Duration::millis(static_cast<std::int64_t>(random_.below(6000)));
  if (random_.chance(0.05)) job.run_at = clock_.now() + Duration::seconds(3);
  if (random_.chance(0.1)) {
    job.expires_at =
        clock_.now() + Duration::millis(6500 + static_cast<std::int64_t>(random_.below(9000)));
  }
  // A delivery's own timeout is long. Where a lost lease waits for it, so would the run.
  const bool waits = rules_.on_lease_lost == Rules::OnLeaseLost::wait_timeout;
  if (!waits && random_.chance(0.08)) job.callback = Callback{.url = "http://example.test/done"};
  known_.push_back({ns, job.id, job.type, job.job_key});
  return job;
}

std::optional<Workload::Request> Workload::produce(Client& client) {
  if (random_.chance(0.35)) {
    const Known* known = any_known(client.ns);
    if (known == nullptr) return std::nullopt;
    if (random_.chance(0.8)) return Get{client.ns, known->id};
    return Command(Cancel{.ns = client.ns, .job = known->id});
  }
  if (known_.size() > (options_.wide ? 110 : 70)) return std::nullopt;
  Enqueue enqueue{.ns = client.ns, .reject_mismatch = random_.chance(0.3)};
  const std::size_t count = random_.chance(0.2) ? 2 + random_.below(3) : 1;
  for (std::size_t i = 0; i < count; ++i) enqueue.jobs.push_back(new_job(client.ns));
  return Command(std::move(enqueue));
}

// ---- Working ----------------------------------------------------------------------------------

Command Workload::settle(Held& held) {
  const std::string& ns = held.ns;
  const JobId job = held.lease.job;
  const LeaseToken token = held.lease.token;
  // Callback jobs have a long timeout and would wait beyond any horizon.
  const bool delivery = is_platform_type(held.lease.type);
  const std::uint64_t dice = healed_ ? 0 : random_.below(delivery ? 9 : 10);
  if (dice < 4) {
    return Complete{ns, job, token, "{\"r\":" + std::to_string(++counter_) + "}", ""};
  }
  if (dice < 8) {
    Fail fail{.ns = ns, .job = job, .token = token};
    fail.error.code = codes[random_.below(std::size(codes))];
    fail.retryable = random_.chance(0.85);
    if (random_.chance(0.2)) fail.retry_after = Duration::millis(1500);
    return fail;
  }
  if (dice == 8) {
    Release release{.ns = ns, .job = job, .token = token};
    if (random_.chance(0.5)) release.delay = Duration::millis(900);
    return release;
  }
  HandOff hand_off{.ns = ns, .job = job, .token = token};
  if (!unlucky(0.5)) hand_off.timeout = Duration::seconds(3);
  return hand_off;
}

std::optional<Workload::Request> Workload::work(Client& client) {
  if (client.held.empty() || random_.chance(0.2)) {
    Claim claim{.id = random_id<RequestId>(random_), .ns = client.ns, .worker = client.name};
    claim.node = client.node;
    claim.queues = {"default", "narrow", "longshore.callbacks"};
    if (random_.chance(0.2) && !healed_) claim.types = {{"mail", "report"}};
    claim.limit = std::min(rules_.claim_limit, 1 + static_cast<int>(random_.below(3)));
    return Command(std::move(claim));
  }
  Held& held = client.held[random_.below(client.held.size())];
  const bool silent = unlucky(0.1);  // sends nothing for this job again
  if (silent) {
    client.held.erase(client.held.begin() + (&held - client.held.data()));
    return std::nullopt;
  }
  if (!held.last && random_.chance(healed_ ? 0.2 : 0.45)) {
    Heartbeat beat{.id = random_id<RequestId>(random_), .ns = client.ns};
    beat.job = held.lease.job;
    beat.token = held.lease.token;
    if (random_.chance(0.3)) beat.progress = 50;
    return Command(std::move(beat));
  }
  if (held.last && random_.chance(0.6)) {  // done with it
    client.held.erase(client.held.begin() + (&held - client.held.data()));
    return std::nullopt;
  }
  if (!held.last) held.last = settle(held);
  return *held.last;
}

// ---- Operating --------------------------------------------------------------------------------

Command Workload::reply_by_key(const Known& known) {
  FinishByKey finish{.id = random_id<RequestId>(random_), .ns = known.ns};
  finish.type = known.type;
  finish.key = known.key;
  finish.outcome = outcome();
  if (random_.chance(0.2)) finish.fence = static_cast<std::int64_t>(random_.below(3));
  return finish;
}

std::optional<Workload::Request> Workload::oversee(Client& client) {
  const Known* known = any_known(client.ns);
  if (known == nullptr) return std::nullopt;
  switch (random_.below(8)) {
    case 0:
      return Command(Cancel{client.ns, known->id, random_.chance(0.3), actor()});
    case 1:
      return Command(Promote{client.ns, known->id, actor()});
    case 2:
      if (random_.chance(0.5)) return Get{client.ns, known->id};
      return Command(
          Resolve{random_id<RequestId>(random_), client.ns, known->id, outcome(), actor()});
    case 3: {
      Redrive redrive{.ns = client.ns, .job = known->id, .successor = ids_.next(clock_.now())};
      if (random_.chance(0.3)) redrive.payload = "{\"n\":" + std::to_string(++counter_) + "}";
      if (random_.chance(0.3)) redrive.delay = Duration::millis(1200);
      if (options_.wide && random_.chance(0.4)) redrive.queue = "narrow";
      redrive.actor = actor();
      return Command(std::move(redrive));
    }
    case 4:
      return Command(PauseQueue{client.ns, random_.chance(0.5) ? "default" : "narrow",
                                random_.chance(0.3), actor()});
    case 5:
    case 6:
      if (!known->key.empty()) return reply_by_key(*known);
      return std::nullopt;
    default:
      return Get{client.ns, known->id};
  }
}

}  // namespace longshore::checker
