#include "conformance/postgres_harness.h"

#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "conformance/postgres_view.h"
#include "core/assert.h"
#include "core/time/clock.h"
#include "must.h"
#include "postgres/server.h"
#include "store/postgres/store.h"

namespace longshore::conformance {
namespace {

using postgres_test::run_sql;

constexpr std::int64_t postgres_start = 1'800'000'000'000;
constexpr int postgres_lanes = 4;

std::string url_of(const std::string& schema) {
  return postgres_test::server_url("schema=" + schema + "&lanes=" + std::to_string(postgres_lanes) +
                                   "&listen=off");
}

// Schemas of this process. Emptying one is much quicker than making one.
class Schemas {
 public:
  ~Schemas() {
    for (const std::string& name : idle_) {
      run_sql("SET client_min_messages = warning; DROP SCHEMA " + name + " CASCADE");
    }
  }

  std::string take(const Rules& rules) {
    if (idle_.empty()) return make(rules);
    std::string name = std::move(idle_.back());
    idle_.pop_back();
    return name;
  }

  // Everything but the version of the schema goes.
  void give_back(const std::string& name) {
    static const std::string list = run_sql(
        "SELECT string_agg('DELETE FROM $.' || tablename, '; ') FROM pg_tables "
        "WHERE schemaname = '" +
        name + "' AND tablename <> 'migration'");
    std::string wipe = list;
    for (std::size_t at = 0; (at = wipe.find('$', at)) != std::string::npos;) {
      wipe.replace(at, 1, name);
    }
    run_sql(wipe + "; INSERT INTO " + name + ".test_clock VALUES (" +
            std::to_string(postgres_start) + ")");
    idle_.push_back(name);
  }

 private:
  // The store creates its tables; then the test replaces its clock.
  std::string make(const Rules& rules) {
    const std::string name = "t" + std::to_string(::getpid()) + "_" + std::to_string(++made_);
    {
      const auto opened = open_postgres({.url = url_of(name)}, rules);
      LONGSHORE_ASSERT(opened.ok(), "a new schema takes any rules");
    }
    run_sql("CREATE TABLE " + name + ".test_clock(at bigint); CREATE OR REPLACE FUNCTION " + name +
            ".store_time() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT at FROM " + name +
            ".test_clock'; CREATE OR REPLACE FUNCTION " + name +
            ".store_micros() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT at * 1000 FROM " +
            name + ".test_clock'");
    give_back(name);
    idle_.pop_back();
    return name;
  }

  int made_ = 0;
  std::vector<std::string> idle_;
};

Schemas& schemas() {
  postgres_test::server_folder();  // before the schemas, so that it outlives them
  run_sql("SELECT 1");
  static Schemas all;
  return all;
}

class PostgresHarness final : public StoreHarness {
 public:
  explicit PostgresHarness(const Rules& wanted)
      : StoreHarness(wanted), schema_(schemas().take(wanted)) {
    const auto opened = reopen();
    LONGSHORE_ASSERT(opened.ok(), "an empty schema takes any rules");
  }
  ~PostgresHarness() override {
    backend_.reset();
    schemas().give_back(schema_);
  }

  Backend& backend() override { return *backend_; }
  Capabilities promised() const override {
    return {.name = "postgres",
            .durability = Durability::a,
            .max_concurrent_commits = postgres_lanes,
            .shared = true,
            .injected_clock = false,
            .survives_reopen = true};
  }
  void advance(Duration by) override {
    clock_.advance(by);
    set_clock();
  }
  void step(Duration by) override {
    clock_.step(by);
    set_clock();
  }
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
    return misread_view(schema_, jobs);
  }

 private:
  void set_clock() {
    run_sql("UPDATE " + schema_ + ".test_clock SET at = " + std::to_string(now().count()));
  }
  // The node's time passes as the database's does, so that it can be carried forward.
  Result<std::unique_ptr<Backend>> open() {
    const auto steady = [this] { return clock_.steady().count() * 1000; };
    return open_postgres({.url = url_of(schema_), .steady = steady}, rules);
  }

  const std::string schema_;
  ManualClock clock_{Instant::millis(postgres_start)};
  std::unique_ptr<Backend> backend_;
};

}  // namespace

std::unique_ptr<StoreHarness> open_postgres_harness(const Rules& rules) {
  return std::make_unique<PostgresHarness>(rules);
}

}  // namespace longshore::conformance
