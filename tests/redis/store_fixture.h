// A store on the tests' Redis server, with direct access to the server.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/ids/uuid.h"
#include "core/time/clock.h"
#include "redis/server.h"
#include "store/redis/keys.h"
#include "store/redis/reader.h"
#include "store/redis/store.h"

namespace longshore::redis_test {

inline constexpr Instant start = Instant::millis(1'800'000'000'000);

class RedisStore : public testing::Test {
 protected:
  RedisStore() : RedisStore("") {}
  // `options` of the URL, "&name=value...".
  explicit RedisStore(const std::string& options)
      : RedisStore(AtUrl{server_url("prefix=" + prefix() + options)}) {}
  // On a separate server.
  struct AtUrl {
    std::string url;
  };
  explicit RedisStore(const AtUrl& at) : url_(at.url) {
    backend_ = open();
    channel_ = *redis::connect(*redis::parse_url(url_), {});
  }

  static std::string prefix() {
    static int made = 0;
    return "s" + std::to_string(::getpid()) + "_" + std::to_string(++made);
  }
  std::unique_ptr<Backend> open() {
    auto opened = open_redis({.url = url_, .alarm = {}, .clock = &clock_}, Rules());
    if (!opened) ADD_FAILURE() << opened.error().message;
    return std::move(*opened);
  }

  Verdict send(const Command& command) { return send(*backend_, command); }
  static Verdict send(Backend& backend, const Command& command) {
    const auto committed = backend.store().commit({&command, 1});
    EXPECT_TRUE(committed.ok()) << (committed ? "" : committed.error().message);
    return committed ? committed->verdicts.at(0) : Verdict(Refusal{.code = Code::internal});
  }
  JobId enqueue(const NewJob& job) {
    EXPECT_TRUE(std::holds_alternative<Enqueued>(send(Enqueue{.ns = "default", .jobs = {job}})));
    return job.id;
  }
  JobId enqueue(Duration delay = {}) {
    return enqueue(
        {.id = ids_.next(start), .type = "work", .body = {.payload = "1"}, .delay = delay});
  }
  std::vector<Lease> lease(int limit, std::optional<std::vector<std::string>> types = {}) {
    const Verdict verdict = send(Claim{.id = random_id<RequestId>(random_),
                                       .ns = "default",
                                       .worker = "w",
                                       .types = std::move(types),
                                       .limit = limit});
    return std::get<Leased>(verdict).leases;
  }
  std::vector<JobId> claim(int limit) {
    std::vector<JobId> jobs;
    for (const Lease& held : lease(limit)) jobs.push_back(held.job);
    return jobs;
  }
  // Sends one command directly to Redis.
  redis::Reply ask(const redis::Words& words) {
    auto replies = redis::Reader(*channel_, keys()).read({words});
    EXPECT_TRUE(replies.ok());
    return replies ? replies->at(0) : redis::Reply();
  }
  redis::Keys keys() const { return {redis::parse_url(url_)->prefix, "default"}; }
  std::string ready_list() const {
    return keys().ready({.queue = "default", .priority = 5, .type = "work"});
  }
  std::set<std::string> findings() {
    std::set<std::string> rules;
    const auto audit = backend_->catalog().audit();
    EXPECT_TRUE(audit.ok());
    if (!audit) return {"unreadable"};
    for (const Finding& finding : audit->findings) rules.insert(finding.rule);
    return rules;
  }
  Swept sweep() { return std::get<Swept>(send(Sweep{})); }

  SeededRandom random_{7};
  JobIds ids_{random_};
  ManualClock clock_{start};
  const std::string url_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<redis::Channel> channel_;
};

}  // namespace longshore::redis_test
