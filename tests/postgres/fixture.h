// A separate schema on the tests' server, and stores opened on it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "longshore/store.h"
#include "postgres/server.h"
#include "store/postgres/store.h"

namespace longshore::postgres_test {

class PostgresTest : public testing::Test {
 protected:
  PostgresTest() : schema_("u" + std::to_string(::getpid()) + "_" + std::to_string(++made)) {}
  ~PostgresTest() override {
    run_sql("SET client_min_messages = warning; DROP SCHEMA IF EXISTS " + schema_ + " CASCADE");
  }

  std::string url(const std::string& more = "listen=off") const {
    return server_url("schema=" + schema_ + "&application_name=" + schema_ + "&" + more);
  }
  Result<std::unique_ptr<Backend>> try_open(const std::string& more = "listen=off") {
    auto opened = open_postgres({.url = url(more)}, Rules());
    if (opened) (*opened)->listen_for_losses([this](const auto& how) { alarm_ = how; });
    return opened;
  }
  std::unique_ptr<Backend> open(const std::string& more = "listen=off") {
    auto opened = try_open(more);
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    return opened ? std::move(*opened) : nullptr;
  }
  // Replaces @ by the schema.
  std::string sql(std::string text) const {
    for (std::size_t at = 0; (at = text.find('@', at)) != std::string::npos;) {
      text.replace(at, 1, schema_ + ".");
    }
    return run_sql(text);
  }

  Result<Committed> enqueue(Backend& backend) {
    NewJob job{.id = ids_.next(Instant::millis(1'800'000'000'000)), .type = "work"};
    job.body.payload = "{}";
    const Command command = Enqueue{.ns = "default", .jobs = {job}};
    return backend.store().commit({&command, 1});
  }
  std::vector<Lease> claim(Backend& backend) {
    const Command command =
        Claim{.id = random_id<RequestId>(random_), .ns = "default", .worker = "w"};
    const auto committed = backend.store().commit({&command, 1});
    EXPECT_TRUE(committed.ok());
    return committed ? std::get<Leased>(committed->verdicts[0]).leases : std::vector<Lease>();
  }
  // Ends every connection of this test's stores, but not that of the test itself.
  void cut_connections() const {
    run_sql(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = '" +
        schema_ + "'");
  }

  const std::string schema_;
  std::string alarm_;

 private:
  static inline int made = 0;
  SeededRandom random_{7};
  JobIds ids_{random_};
};

}  // namespace longshore::postgres_test
