#include "conformance/sqlite_harness.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "core/assert.h"
#include "core/time/clock.h"
#include "store/sqlite/store.h"

namespace longshore::conformance {
namespace {

// In memory where the machine offers it: the suite asks what a store says, not what its disk keeps.
std::string new_directory() {
  const std::filesystem::path memory = "/dev/shm";
  const bool has_memory = std::filesystem::is_directory(memory);
  std::string path =
      ((has_memory ? memory : std::filesystem::temp_directory_path()) / "longshore-XXXXXX")
          .string();
  LONGSHORE_ASSERT(::mkdtemp(path.data()) != nullptr, "tests may write to the temporary directory");
  return path;
}

class SqliteHarness final : public StoreHarness {
 public:
  explicit SqliteHarness(const Rules& wanted) : StoreHarness(wanted) {
    const auto opened = reopen();
    LONGSHORE_ASSERT(opened.ok(), "a new file takes any rules");
  }
  ~SqliteHarness() override {
    backend_.reset();
    std::filesystem::remove_all(directory_);
  }

  Backend& backend() override { return *backend_; }
  Capabilities promised() const override {
    return {.name = "sqlite",
            .durability = Durability::a,
            .max_concurrent_commits = 1,
            .shared = false,
            .injected_clock = true,
            .survives_reopen = true};
  }
  void advance(Duration by) override { clock_.advance(by); }
  void step(Duration by) override { clock_.step(by); }
  Instant now() override { return clock_.now(); }

  Result<Nothing> reopen() override {
    backend_.reset();
    SqliteOptions options{.path = directory_ + "/jobs.db", .reserve_bytes = 0};
    // Small, so that tests outgrow it and the store has to read on.
    options.writer.memory = {.lane_window = 4, .all_windows = 16, .entry_bytes = 16 * 1024};
    auto opened = open_sqlite(options, clock_, rules);
    if (!opened) return opened.error();
    backend_ = std::move(*opened);
    return Nothing{};
  }

 private:
  const std::string directory_ = new_directory();
  ManualClock clock_{Instant::millis(1'800'000'000'000)};
  std::unique_ptr<Backend> backend_;
};

}  // namespace

std::unique_ptr<StoreHarness> open_sqlite_harness(const Rules& rules) {
  return std::make_unique<SqliteHarness>(rules);
}

}  // namespace longshore::conformance
