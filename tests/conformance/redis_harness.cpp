#include "conformance/redis_harness.h"

#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "core/assert.h"
#include "core/clock.h"
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
    const auto url = redis::parse_url(url_);
    auto channel = redis::connect(*url, {});
    if (!channel) return;
    const auto names = redis::read_namespaces(**channel);
    if (!names) return;
    for (const std::string& ns : *names) wipe(**channel, redis::Keys(url->prefix, ns));
    wipe(**channel, redis::Keys::shared(url->prefix));
  }

  Backend& backend() override { return *backend_; }
  Capabilities promised() const override {
    return {.name = "redis",
            .durability = Durability::a,
            .lanes = redis_lanes,
            .shared = true,
            .injected_clock = false,
            .survives_reopen = true};
  }
  void advance(Duration by) override { clock_.advance(by); }
  Instant now() override { return clock_.now(); }

  Result<Nothing> reopen() override {
    backend_.reset();
    auto opened = open_redis({.url = url_, .alarm = {}, .clock = &clock_}, rules);
    if (!opened) return opened.error();
    backend_ = std::move(*opened);
    return Nothing{};
  }

 private:
  ManualClock clock_;
  std::string url_;
  std::unique_ptr<Backend> backend_;
};

}  // namespace

std::unique_ptr<StoreHarness> open_redis_harness(const Rules& rules) {
  return std::make_unique<RedisHarness>(rules, false);
}

std::unique_ptr<StoreHarness> open_redis_cluster_harness(const Rules& rules) {
  return std::make_unique<RedisHarness>(rules, true);
}

}  // namespace longshore::conformance
