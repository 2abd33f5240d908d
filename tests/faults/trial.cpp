#include "faults/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/assert.h"
#include "core/time/clock.h"
#include "faults/faulty_vfs.h"
#include "faults/possible_states.h"
#include "faults/random_workload.h"
#include "faults/raw_sqlite.h"
#include "faults/scratch.h"
#include "store/sqlite/store.h"

namespace longshore::faults {
namespace {

// The database is on the faulty disk; its lock file is on a real one.
const std::string& database() {
  static const Scratch scratch(Scratch::Where::memory);
  static const std::string path = scratch.path() + "/longshore.db";
  return path;
}

constexpr Instant first_day = Instant::millis(1'767'225'600'000);

// Few enough pages that a workload passes several checkpoints, and for every other seed so little
// memory that jobs are read back all the time. The reserve is a real file's, of no help here. A
// read may take any time: when one ends must not depend on how busy the machine is.
SqliteOptions options_on(const FaultyVfs& vfs, std::uint64_t seed) {
  SqliteOptions options{
      .path = database(), .vfs = vfs.name(), .reserve_bytes = 0, .read_max = Duration::forever()};
  options.writer.checkpoint_pages = 60;
  if (seed % 2 == 0) {
    options.writer.memory = {.lane_window = 3, .all_windows = 12, .entry_bytes = 4096};
  }
  return options;
}

bool is_definite_refusal(Errc code) { return code != Errc::unavailable && code != Errc::corrupt; }

// Faults after which a store that failed to answer must never acknowledge again.
bool must_stop_after(FaultKind kind) {
  return kind != FaultKind::disk_full && kind != FaultKind::lock_busy;
}

std::array<std::int64_t, fault_kind_count> calls_of(const FaultyVfs& vfs) {
  std::array<std::int64_t, fault_kind_count> calls{};
  for (std::size_t kind = 0; kind < calls.size(); ++kind) {
    calls[kind] = vfs.calls(static_cast<FaultKind>(kind));
  }
  return calls;
}

class Run {
 public:
  Run(const Trial& trial, const Disk& start)
      : trial_(trial), disk_(start), random_(trial.damage), workload_(trial.seed) {
    // Then a store was made there and closed, see made_disk().
    if (disk_.find(database()) != nullptr) states_.closed(PossibleStates::Closing::done);
  }

  Finding result() {
    seed_sqlite(trial_.damage);
    work();
    for (const Fault& fault : trial_.recovery_faults) fail_to_recover(fault);
    if (finding_.problem.empty()) recover();
    return finding_;
  }

 private:
  using Opened = Result<std::unique_ptr<SqliteBackend>>;

  void problem(std::string what) {
    if (finding_.problem.empty()) finding_.problem = std::move(what);
  }

  // The part with faults.
  void work() {
    FaultyVfs vfs(std::move(disk_), trial_.damage);
    if (trial_.ignore_syncs) vfs.ignore_syncs();
    for (const Fault& fault : trial_.faults) vfs.arm(fault);
    in_force_ = trial_.faults;
    bool was_open = false;
    {
      Opened opened = open_sqlite(options_on(vfs, trial_.seed), clock_, rules_);
      was_open = opened.ok();
      if (was_open) {
        states_.reopened();
        for (int n = 1; n <= trial_.commits; ++n) {
          step(**opened, vfs);
          if (trial_.looks && (n == trial_.commits / 2 || n == trial_.commits))
            compare_with(**opened);
        }
      }
      finding_.calls_before_end = calls_of(vfs);
      if (trial_.end != Trial::End::close) vfs.cut_power();
    }
    // A store that stopped writes nothing any more, not even its time.
    if (was_open && !stopped_ && trial_.end == Trial::End::close) {
      states_.closed(vfs.fired() == 0 ? PossibleStates::Closing::done
                                      : PossibleStates::Closing::perhaps_failed);
    }
    end(vfs);
  }

  void step(Backend& backend, const FaultyVfs& vfs) {
    clock_.advance(workload_.pause());
    const std::vector<Command> commands = workload_.next(clock_.now());
    const Result<Committed> answer = backend.store().commit(commands);
    if (answer.ok()) {
      acknowledge(commands, *answer);
    } else if (is_definite_refusal(answer.error().code)) {
      ++finding_.refused;
    } else {
      doubt(commands);
    }
    if (!answer.ok() && vfs.fired() == 0) {
      problem("refused without a fault: " + answer.error().message);
    }
  }

  void acknowledge(const std::vector<Command>& commands, const Committed& committed) {
    if (stopped_ && must_stay_stopped()) problem("acknowledged after it had stopped itself");
    stopped_ = false;
    ++finding_.acknowledged;
    states_.acknowledged(commands, committed);
    workload_.learn(committed);
  }

  // A store that failed to answer and has answered nothing since does nothing any more, so only the
  // first of several such commits can have events.
  void doubt(const std::vector<Command>& commands) {
    if (!stopped_) {
      states_.in_doubt(commands, room());
      doubtful_ = commands;
      ++finding_.in_doubt;
    }
    stopped_ = true;
  }

  PossibleStates::Room room() const {
    const auto fills = [](const Fault& fault) { return fault.kind == FaultKind::disk_full; };
    return std::ranges::any_of(in_force_, fills) ? PossibleStates::Room::perhaps_none
                                                 : PossibleStates::Room::enough;
  }

  bool must_stay_stopped() const {
    for (const Fault& fault : in_force_) {
      if (!must_stop_after(fault.kind)) return false;
    }
    return true;
  }

  // Reading may fail as well. Acknowledged commits can be read; for commits in doubt, a store that
  // stopped knows no more than the client.
  void compare_with(Backend& backend) {
    const Result<Snapshot> found = take_snapshot(backend.catalog(), {});
    if (!found.ok() || stopped_) return;
    states_.compare(*found, {});
    if (!states_.contradiction().empty()) problem(states_.contradiction());
  }

  void end(const FaultyVfs& vfs) {
    finding_.fired = vfs.fired();
    finding_.calls = calls_of(vfs);
    disk_ = vfs.disk();
    if (trial_.end == Trial::End::power_cut) disk_.lose_power(random_);
  }

  // Opening reads the previous state and may write; it can fail too, and so can the little work
  // that follows. Then the power fails.
  void fail_to_recover(const Fault& fault) {
    FaultyVfs vfs(std::move(disk_), trial_.damage);
    vfs.arm(fault);
    in_force_ = {fault};
    stopped_ = false;
    {
      const Opened opened = open_sqlite(options_on(vfs, trial_.seed), clock_, rules_);
      if (opened.ok()) states_.reopened();
      for (int n = 0; n < 5 && opened.ok(); ++n) step(**opened, vfs);
      vfs.cut_power();
    }
    disk_ = vfs.disk();
    disk_.lose_power(random_);
  }

  // The part without faults: everything is there, and the store works.
  void recover() {
    FaultyVfs vfs(std::move(disk_), trial_.damage);
    in_force_.clear();
    stopped_ = false;
    Opened opened = open_sqlite(options_on(vfs, trial_.seed), clock_, rules_);
    if (!opened.ok()) return problem("cannot be reopened: " + opened.error().message);
    states_.reopened();
    states_.compare_with((*opened)->catalog(), {});
    if (doubtful_) send_again(**opened);
    for (int n = 0; n < 6; ++n) step(**opened, vfs);
    if (trial_.thorough) states_.compare_with((*opened)->catalog(), {.logs = true});
    if (!states_.contradiction().empty()) problem(states_.contradiction());
    prove_sound(**opened, vfs);
  }

  // A client that got no answer repeats its request.
  void send_again(Backend& backend) {
    const Result<Committed> answer = backend.store().commit(*doubtful_);
    if (!answer.ok()) return problem("refused when repeated: " + answer.error().message);
    states_.acknowledged(*doubtful_, *answer);
  }

  void prove_sound(Backend& backend, const FaultyVfs& vfs) {
    const Result<Audit> audit = backend.catalog().audit();
    if (!audit.ok()) return problem("cannot be audited: " + audit.error().message);
    if (!audit->sound()) {
      problem(fmt::format("{}: {}", audit->findings[0].rule, audit->findings[0].what));
    }
    if (!trial_.thorough) return;
    RawSqlite reader(database(), vfs.name(), true);
    const std::string verdict = reader.value("PRAGMA integrity_check");
    if (verdict != "ok") problem("integrity_check: " + verdict);
  }

  const Trial& trial_;
  Disk disk_;
  SeededRandom random_;
  RandomWorkload workload_;
  const Rules rules_;
  ManualClock clock_{first_day};
  PossibleStates states_{clock_, rules_};
  std::vector<Fault> in_force_;
  std::optional<std::vector<Command>> doubtful_;
  bool stopped_ = false;
  Finding finding_;
};

}  // namespace

Disk made_disk() {
  FaultyVfs vfs({}, 1);
  ManualClock clock(first_day);
  {
    const auto opened = open_sqlite(options_on(vfs, 1), clock, Rules{});
    LONGSHORE_ASSERT(opened.ok(), "a store can be created on a healthy disk");
  }
  return vfs.disk();
}

Finding run(const Trial& trial, const Disk& start) { return Run(trial, start).result(); }

}  // namespace longshore::faults
