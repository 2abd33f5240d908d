#include <algorithm>
#include <optional>

#include "checker/mutant.h"
#include "core/assert.h"
#include "sim/store_host.h"
#include "store/memory/store.h"

namespace longshore::sim {
namespace {

checker::MutantMaker maker_of(const std::string& name) {
  for (const auto part : {checker::wide_mutants(), checker::cluster_mutants()}) {
    const auto found = std::ranges::find(part, name, &checker::Mutant::name);
    if (found != part.end()) return found->make;
  }
  LONGSHORE_ASSERT(false, "a mutant of this name exists");
  return checker::no_mutation();
}

// The real store, except for commits.
class MutantBackend final : public Backend {
 public:
  MutantBackend(std::unique_ptr<Backend> inner, std::unique_ptr<checker::MutantStore> store)
      : inner_(std::move(inner)), store_(std::move(store)) {}

  Store& store() override { return *store_; }
  Catalog& catalog() override { return inner_->catalog(); }
  Wakeups& wakeups() override { return inner_->wakeups(); }
  std::shared_ptr<const StoredRules> rules() const override { return inner_->rules(); }

 private:
  std::unique_ptr<Backend> inner_;
  std::unique_ptr<checker::MutantStore> store_;
};

// A shared store that outlives its nodes.
class MemoryHost final : public StoreHost {
 public:
  MemoryHost(Clock& clock, const Rules& rules, const std::string& mutant)
      : clock_(clock), rules_(rules), mutant_(mutant) {}

  Backend& backend() override { return *backend_; }
  Result<Nothing> open() override {
    if (backend_) return Nothing{};
    auto opened = open_memory(disk_, clock_, rules_);
    if (!opened) return opened.error();
    backend_ = std::move(*opened);
    if (mutant_.empty()) return Nothing{};
    auto store = maker_of(mutant_)({disk_, backend_->store(), clock_, rules_, random_});
    backend_ = std::make_unique<MutantBackend>(std::move(backend_), std::move(store));
    return Nothing{};
  }
  bool is_open() const override { return backend_ != nullptr; }

  bool dies_with_its_node() const override { return false; }
  void crash(Random&, bool) override {}
  void break_something(Random&) override {}
  bool is_broken() const override { return false; }
  void heal() override {}

  void copy() override { copy_ = disk_; }
  // Replaces the disk under the open store. The store's time does not go back.
  void set_back() override {
    const Instant time = disk_.highest_time;
    disk_ = *copy_;
    disk_.highest_time = time;
  }

 private:
  Clock& clock_;
  const Rules rules_;
  const std::string mutant_;
  SeededRandom random_{1};
  MemoryDisk disk_;
  std::optional<MemoryDisk> copy_;
  std::unique_ptr<Backend> backend_;
};

}  // namespace

std::unique_ptr<StoreHost> make_memory_host(Clock& clock, const Rules& rules,
                                            const std::string& mutant) {
  return std::make_unique<MemoryHost>(clock, rules, mutant);
}

}  // namespace longshore::sim
