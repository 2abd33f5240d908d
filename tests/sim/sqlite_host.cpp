#include <optional>

#include "faults/faulty_vfs.h"
#include "faults/raw_sqlite.h"
#include "faults/scratch.h"
#include "sim/store_host.h"
#include "store/sqlite/store.h"

namespace longshore::sim {
namespace {

using faults::Disk;
using faults::Fault;
using faults::FaultKind;
using faults::FaultyVfs;

// The database itself is on the disk in memory; its lock file is a real one, and lives here.
const std::string& database_path() {
  static const faults::Scratch scratch(faults::Scratch::Where::memory);
  static const std::string path = scratch.path() + "/jobs.db";
  return path;
}

constexpr FaultKind breaking[] = {FaultKind::write_error, FaultKind::torn_write,
                                  FaultKind::disk_full,   FaultKind::sync_error,
                                  FaultKind::read_error,  FaultKind::shm_error};

// The store of a single node, on a disk that can fail and lose power.
class SqliteHost final : public StoreHost {
 public:
  SqliteHost(Clock& clock, const Rules& rules, std::uint64_t seed)
      : clock_(clock), rules_(rules), seed_(seed) {
    faults::seed_sqlite(seed);
    vfs_.emplace(Disk(), seed_);
  }

  Backend& backend() override { return *backend_; }
  bool is_open() const override { return backend_ != nullptr; }
  Result<Nothing> open() override;

  bool dies_with_its_node() const override { return true; }
  void crash(Random& random, bool power) override;
  void break_something(Random& random) override;
  bool is_broken() const override { return backend_ && backend_->broken().has_value(); }
  void heal() override { vfs_->disarm(); }
  void copy() override { copy_ = vfs_->disk(); }
  void set_back() override { vfs_.emplace(*copy_, seed_); }

 private:
  Clock& clock_;
  const Rules rules_;
  const std::uint64_t seed_;
  std::optional<FaultyVfs> vfs_;
  std::optional<Disk> copy_;
  std::unique_ptr<SqliteBackend> backend_;
};

Result<Nothing> SqliteHost::open() {
  SqliteOptions options{.path = database_path(), .vfs = vfs_->name(), .reserve_bytes = 0};
  // So few pages that a run passes checkpoints, and in some worlds next to no memory.
  options.writer.checkpoint_pages = 60;
  if (seed_ % 2 == 0) {
    options.writer.memory = {.lane_window = 3, .all_windows = 12, .entry_bytes = 4096};
  }
  auto opened = open_sqlite(options, clock_, rules_);
  if (!opened) return opened.error();
  backend_ = std::move(*opened);
  return Nothing{};
}

void SqliteHost::crash(Random& random, bool power) {
  // Nothing that closing would still write reaches the disk.
  vfs_->cut_power();
  backend_.reset();
  Disk disk = vfs_->disk();
  if (power) disk.lose_power(random);
  vfs_.emplace(std::move(disk), random.next());
}

void SqliteHost::break_something(Random& random) {
  const FaultKind kind = breaking[random.below(std::size(breaking))];
  const auto later = static_cast<std::int64_t>(random.below(30));
  vfs_->arm({.kind = kind, .at = vfs_->calls(kind) + 1 + later, .persistent = random.chance(0.5)});
}

}  // namespace

std::unique_ptr<StoreHost> make_sqlite_host(Clock& clock, const Rules& rules, std::uint64_t seed) {
  return std::make_unique<SqliteHost>(clock, rules, seed);
}

}  // namespace longshore::sim
