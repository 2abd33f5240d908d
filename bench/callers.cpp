#include "bench/callers.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "bench/measure.h"

namespace longshore::bench {
namespace {

constexpr int group_max = 10'000;
constexpr int claim_max = 1000;

const std::string& payload() {
  static const std::string text =
      R"({"to":"somebody@example.org","body":")" + std::string(payload_bytes - 39, 'x') + R"("})";
  return text;
}

// No two callers of one run draw the same ids.
std::uint64_t next_seed() {
  static std::atomic<std::uint64_t> seed = static_cast<std::uint64_t>(SystemClock().now().count())
                                           << 20U;
  return seed.fetch_add(1);
}

}  // namespace

void give_up(const std::string& why) {
  fmt::print(stderr, "{}\n", why);
  std::exit(1);
}

NewJob Caller::new_job(Kind kind) {
  NewJob job{.id = ids_.next(clock_.now()), .type = "work"};
  job.body.payload = payload();
  if (kind.keyed)
    job.idempotency_key = fmt::format("{:016x}{:016x}", random_.next(), random_.next());
  return job;
}

Claim Caller::new_claim(int limit) {
  return {
      .id = random_id<RequestId>(random_), .ns = "default", .worker = "worker-1", .limit = limit};
}

std::vector<Verdict> Caller::commit(const std::vector<Command>& commands) {
  auto committed = store_.commit(commands);
  if (!committed) give_up("the store failed: " + committed.error().message);
  for (const Verdict& verdict : committed->verdicts) {
    if (const auto* refusal = std::get_if<Refusal>(&verdict)) {
      give_up("the store refused: " + refusal->detail);
    }
  }
  return std::move(committed->verdicts);
}

void Caller::enqueue(int count, Kind kind) {
  std::vector<Command> commands;
  commands.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    Enqueue enqueue{.ns = "default"};
    enqueue.jobs.push_back(new_job(kind));
    commands.emplace_back(std::move(enqueue));
  }
  commit(commands);
}

void Caller::enqueue_group(int count, Kind kind) {
  Enqueue enqueue{.ns = "default"};
  enqueue.jobs.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) enqueue.jobs.push_back(new_job(kind));
  commit({std::move(enqueue)});
}

std::vector<Lease> Caller::claim(int count) {
  std::vector<Command> commands;
  for (int i = 0; i < count; ++i) commands.emplace_back(new_claim(1));
  std::vector<Lease> leases;
  for (Verdict& verdict : commit(commands)) {
    for (Lease& lease : std::get<Leased>(verdict).leases) leases.push_back(std::move(lease));
  }
  return leases;
}

std::vector<Lease> Caller::claim_many(int limit) {
  auto verdicts = commit({new_claim(limit)});
  return std::move(std::get<Leased>(verdicts.front()).leases);
}

void Caller::complete(const std::vector<Lease>& leases) {
  std::vector<Command> commands;
  commands.reserve(leases.size());
  for (const Lease& lease : leases) {
    commands.emplace_back(Complete{.ns = "default", .job = lease.job, .token = lease.token});
  }
  commit(commands);
}

OpenStore::OpenStore(const std::string& path) : path_(path) {
  auto opened = open_sqlite({.path = path}, clock_, Rules());
  if (!opened) give_up(opened.error().message);
  backend_ = std::move(*opened);
}

double OpenStore::run(const Crowd& crowd, std::int64_t jobs,
                      const std::function<void(Caller&)>& act) {
  std::atomic<std::int64_t> left = jobs;
  const Stopwatch watch;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < crowd.callers; ++i) {
      threads.emplace_back([&] {
        Caller caller(store(), next_seed());
        while (left.fetch_sub(crowd.outstanding) > 0) act(caller);
      });
    }
  }
  return watch.seconds();
}

void OpenStore::fill(std::int64_t jobs, Kind kind) {
  Caller caller(store(), next_seed());
  for (; jobs > 0; jobs -= group_max) {
    caller.enqueue_group(static_cast<int>(std::min<std::int64_t>(jobs, group_max)), kind);
  }
}

void OpenStore::drain(std::int64_t jobs) {
  Caller caller(store(), next_seed());
  while (jobs > 0) {
    const auto leases =
        caller.claim_many(static_cast<int>(std::min<std::int64_t>(jobs, claim_max)));
    if (leases.empty()) give_up("fewer jobs were waiting than were put there");
    caller.complete(leases);
    jobs -= std::ssize(leases);
  }
}

void remove_store(const std::string& path) {
  for (const char* end : {"", "-wal", "-shm", ".lock", ".reserve"}) {
    std::filesystem::remove(path + end);
  }
}

}  // namespace longshore::bench
