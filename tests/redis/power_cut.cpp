#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <map>

#include "core/assert.h"
#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "core/time/clock.h"
#include "redis/server.h"
#include "redis/storm.h"
#include "store/redis/store.h"

namespace longshore::redis_test {
namespace {

constexpr std::int64_t loss_millis_max = 2000;
constexpr Duration between_cuts = Duration::seconds(3);

// The log that the server has written since its last rewrite.
std::filesystem::path log_of(const OwnServers& servers) {
  for (const auto& entry :
       std::filesystem::directory_iterator(servers.folder() + "/0/appendonlydir")) {
    if (entry.path().string().ends_with(".incr.aof")) return entry.path();
  }
  return {};
}

// One producer, and when each of its jobs was acknowledged.
class Producer {
 public:
  explicit Producer(Backend& backend) : backend_(backend) {}

  // Errors are expected while the server is down.
  void enqueue() {
    NewJob job{.id = ids_.next(clock_.now()), .type = "work"};
    job.body.payload = "{}";
    const JobId id = job.id;
    const Command command = Enqueue{.ns = "main", .jobs = {std::move(job)}};
    const auto committed = backend_.store().commit({&command, 1});
    if (!committed) return;
    const auto* refusal = std::get_if<Refusal>(&committed->verdicts.front());
    LONGSHORE_ASSERT(refusal == nullptr, "such a job is valid");
    acknowledged_[id] = clock_.now();
  }
  std::int64_t count() const { return std::ssize(acknowledged_); }

  // Drops lost jobs, so that each counts once.
  Result<std::int64_t> find_lost(Instant cut, std::int64_t& oldest_millis) {
    std::int64_t lost = 0;
    for (auto at = acknowledged_.begin(); at != acknowledged_.end();) {
      const auto found = backend_.catalog().glance("main", at->first);
      if (!found && found.error().code != Errc::not_found) return found.error();
      if (found) {
        ++at;
        continue;
      }
      ++lost;
      oldest_millis = std::max(oldest_millis, (cut - at->second).count());
      at = acknowledged_.erase(at);
    }
    return lost;
  }

 private:
  Backend& backend_;
  SystemClock clock_;
  SeededRandom random_{7};
  JobIds ids_{random_};
  std::map<JobId, Instant> acknowledged_;
};

}  // namespace

Cuts cut_power(int times) {
  OwnServers servers({.fsync = "everysec"});
  std::atomic<int> alarms = 0;
  auto opened = open_redis(
      {.url = servers.url("timeout=2&lanes=1"), .alarm = [&](const std::string&) { ++alarms; }},
      Rules());
  if (!opened) return {.problem = opened.error().message};
  Cuts cuts;
  SystemClock clock;
  Producer producer(**opened);
  for (int i = 0; i < times && cuts.problem.empty(); ++i) {
    // Redis syncs its log every second. A power cut leaves at least the size that the log had a
    // second and a half ago.
    std::map<Instant, std::uintmax_t> sizes;
    const Instant begun = clock.now();
    while (clock.now() < begun + between_cuts) {
      producer.enqueue();
      sizes[clock.now()] = std::filesystem::file_size(log_of(servers));
    }
    servers.kill();
    const Instant cut = clock.now();
    const auto kept = sizes.lower_bound(cut - Duration::millis(1500));
    std::filesystem::resize_file(log_of(servers), kept->second);
    servers.start();
    const int before = alarms;
    producer.enqueue();
    producer.enqueue();
    const auto lost = producer.find_lost(cut, cuts.oldest_millis);
    if (!lost) cuts.problem = lost.error().message;
    if (lost && *lost > 0 && alarms == before) ++cuts.silent;
    cuts.lost += lost ? *lost : 0;
  }
  cuts.acknowledged = producer.count() + cuts.lost;
  return cuts;
}

std::string to_text(const Cuts& cuts, const std::string& faults) {
  return fmt::format(
      "storm: {}: {} jobs acknowledged, {} lost, the earliest {} ms before a cut, {} losses "
      "unreported{}{}\n",
      faults, cuts.acknowledged, cuts.lost, cuts.oldest_millis, cuts.silent,
      cuts.problem.empty() ? "" : "; ", cuts.problem);
}

bool bounded(const Cuts& cuts) {
  return cuts.problem.empty() && cuts.lost > 0 && cuts.lost < cuts.acknowledged &&
         cuts.oldest_millis <= loss_millis_max && cuts.silent == 0;
}

}  // namespace longshore::redis_test
