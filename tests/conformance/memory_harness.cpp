#include "conformance/memory_harness.h"

#include <utility>

#include "core/assert.h"
#include "core/time/clock.h"
#include "store/memory/store.h"

namespace longshore::conformance {
namespace {

class MemoryHarness final : public StoreHarness {
 public:
  explicit MemoryHarness(const Rules& wanted) : StoreHarness(wanted) {
    const auto opened = reopen();
    LONGSHORE_ASSERT(opened.ok(), "a new disk takes any rules");
  }

  Backend& backend() override { return *backend_; }
  Capabilities promised() const override {
    return {.name = "memory",
            .durability = Durability::c,
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
    auto opened = open_memory(disk_, clock_, rules);
    if (!opened) return opened.error();
    backend_ = std::move(*opened);
    return Nothing{};
  }

 private:
  MemoryDisk disk_;
  ManualClock clock_{Instant::millis(1'800'000'000'000)};
  std::unique_ptr<Backend> backend_;
};

}  // namespace

std::unique_ptr<StoreHarness> open_memory_harness(const Rules& rules) {
  return std::make_unique<MemoryHarness>(rules);
}

}  // namespace longshore::conformance
