#include "conformance/redis_harness.h"

#include <unistd.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/assert.h"
#include "core/time/clock.h"
#include "must.h"
#include "redis/server.h"
#include "store/redis/reader.h"
#include "store/redis/store.h"

namespace longshore::conformance {
namespace {

constexpr std::int64_t redis_start = 1'800'000'000'000;
constexpr int redis_lanes = 4;

std::string new_prefix() {
  static int made = 0;
  return "t" + std::to_string(::getpid()) + "_" + std::to_string(++made);
}

// Deletes the keys of one hash tag on the primary that has them.
void wipe(redis::Channel& channel, const redis::Keys& keys) {
  const redis::Reader reader(channel, keys);
  std::string cursor = "0";
  do {
    const auto page = reader.read({{"SCAN", cursor, "MATCH", keys.one("*"), "COUNT", "1000"}});
    if (!page) return;
    cursor = (*page)[0].items[0].text;
    std::vector<redis::Words> calls;
    for (const redis::Reply& key : (*page)[0].items[1].items) calls.push_back({"UNLINK", key.text});
    if (!reader.read(calls)) return;
  } while (cursor != "0");
}

// docs/redis.md: what HGETALL shows by name.
void compare_names(const Job& job, const std::vector<redis::Reply>& fields,
                   std::vector<std::string>& differences) {
  const std::map<std::string, std::string> expected = {
      {"state", std::string(to_text(job.state))},
      {"type", job.type},
      {"queue", job.queue},
      {"attempt", std::to_string(job.attempt)},
      {"run_at", std::to_string(job.run_at.count())}};
  std::map<std::string, std::string> shown;
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) shown[fields[i].text] = fields[i + 1].text;
  for (const auto& [name, value] : expected) {
    if (shown.contains(name) && shown[name] == value) continue;
    differences.push_back(to_text(job.id) + " shows " + name + " '" + shown[name] +
                          "', expected '" + value + "'");
  }
}

class RedisHarness final : public StoreHarness {
 public:
  RedisHarness(const Rules& wanted, bool cluster)
      : StoreHarness(wanted), clock_(Instant::millis(redis_start)) {
    const std::string options = "prefix=" + new_prefix() + "&lanes=" + std::to_string(redis_lanes);
    url_ = cluster ? redis_test::cluster_url(options) : redis_test::server_url(options);
    const auto opened = reopen();
    LONGSHORE_ASSERT(opened.ok(), "an empty store takes any rules");
  }
  ~RedisHarness() override {
    backend_.reset();
    redis::Channel& channel = own_channel();
    const std::string& prefix = channel.url().prefix;
    const auto names = redis::read_namespaces(channel);
    if (!names) return;
    for (const std::string& ns : *names) wipe(channel, redis::Keys(prefix, ns));
    wipe(channel, redis::Keys::shared(prefix));
  }

  Backend& backend() override { return *backend_; }
  Capabilities promised() const override {
    return {.name = "redis",
            .durability = Durability::a,
            .max_concurrent_commits = redis_lanes,
            .shared = true,
            .injected_clock = false,
            .survives_reopen = true};
  }
  void advance(Duration by) override { clock_.advance(by); }
  void step(Duration by) override { clock_.step(by); }
  Instant now() override { return clock_.now(); }

  Result<Nothing> reopen() override {
    backend_.reset();
    auto opened = open();
    if (!opened) return opened.error();
    backend_ = std::move(*opened);
    return Nothing{};
  }
  std::unique_ptr<Backend> another() override { return must(open()); }

  std::vector<std::string> misread(const std::vector<JobRecord>& jobs) override {
    std::vector<std::string> differences;
    for (const JobRecord& record : jobs) {
      const redis::Keys keys(own_channel().url().prefix, record.job.ns);
      const auto fields =
          redis::Reader(own_channel(), keys).read({{"HGETALL", keys.job(record.job.id)}});
      if (!fields) return {fields.error().message};
      compare_names(record.job, (*fields)[0].items, differences);
    }
    return differences;
  }

 private:
  // Behind the store's back.
  redis::Channel& own_channel() {
    if (!channel_) {
      auto channel = redis::connect(*redis::parse_url(url_), {});
      LONGSHORE_ASSERT(channel.ok(), "the server that the store is on answers");
      channel_ = std::move(*channel);
    }
    return *channel_;
  }

  Result<std::unique_ptr<Backend>> open() {
    return open_redis({.url = url_, .alarm = {}, .clock = &clock_}, rules);
  }

  ManualClock clock_;
  std::string url_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<redis::Channel> channel_;
};

}  // namespace

std::unique_ptr<StoreHarness> open_redis_harness(const Rules& rules) {
  return std::make_unique<RedisHarness>(rules, false);
}

std::unique_ptr<StoreHarness> open_redis_cluster_harness(const Rules& rules) {
  return std::make_unique<RedisHarness>(rules, true);
}

}  // namespace longshore::conformance
