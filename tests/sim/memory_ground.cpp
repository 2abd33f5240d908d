#include "core/assert.h"
#include "sim/ground.h"
#include "store/memory/store.h"

namespace longshore::sim {
namespace {

// A store that several nodes share and that outlives them all.
class MemoryGround final : public StoreGround {
 public:
  MemoryGround(Clock& clock, const Rules& rules) : clock_(clock), rules_(rules) {}

  Backend& backend() override { return *backend_; }
  Result<Nothing> open() override {
    if (backend_) return Nothing{};
    auto opened = open_memory(disk_, clock_, rules_);
    if (!opened) return opened.error();
    backend_ = std::move(*opened);
    return Nothing{};
  }
  bool is_open() const override { return backend_ != nullptr; }

  bool dies_with_its_node() const override { return false; }
  void crash(Random&, bool) override {}
  void break_something(Random&) override {}
  bool is_broken() const override { return false; }
  void heal() override {}

 private:
  Clock& clock_;
  const Rules rules_;
  MemoryDisk disk_;
  std::unique_ptr<Backend> backend_;
};

}  // namespace

std::unique_ptr<StoreGround> make_memory_ground(Clock& clock, const Rules& rules) {
  return std::make_unique<MemoryGround>(clock, rules);
}

}  // namespace longshore::sim
