// Tests the faulty VFS with SQLite alone: with full synchronisation SQLite loses nothing that it
// acknowledged, and with less it does. Otherwise this VFS could not find a loss.
#include "faults/raw_sqlite.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "faults/faulty_vfs.h"

namespace longshore::faults {
namespace {

constexpr int transaction_count = 50;

struct Tally {
  int seeds = 0;
  int acknowledged = 0;
  int lost = 0;     // acknowledged transactions that are missing
  int torn = 0;     // transactions of which only a part is there
  int corrupt = 0;  // databases that integrity_check or SQLite rejects
  friend bool operator==(const Tally&, const Tally&) = default;
};

Disk made_disk() {
  FaultyVfs vfs({}, 1);
  {
    RawSqlite db("/t.db", vfs.name());
    EXPECT_EQ(db.run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                     "CREATE TABLE t(id INTEGER PRIMARY KEY, tx INT, of INT, b BLOB);"
                     "CREATE INDEX t_tx ON t(tx); INSERT INTO t(tx, of) VALUES(-1, 1);"),
              SQLITE_OK);
  }
  return vfs.disk();
}

std::string transaction(int tx, Random& random) {
  const int rows = static_cast<int>(random.below(4)) + 1;
  std::string sql = "BEGIN IMMEDIATE;";
  for (int row = 0; row < rows; ++row) {
    const auto bytes = random.chance(0.1) ? random.below(9000) : random.below(300);
    sql += fmt::format("INSERT INTO t(tx, of, b) VALUES({}, {}, randomblob({}));", tx, rows, bytes);
  }
  // Frees and overwrites pages, so that a checkpoint writes across the whole file.
  if (random.chance(0.2)) {
    sql += fmt::format("UPDATE t SET b = randomblob(50) WHERE tx = {};", random.below(50));
  }
  return sql;
}

// Returns the acknowledged transactions. A reader runs in between, so that the WAL index is really
// shared.
std::set<int> work(FaultyVfs& vfs, const std::string& synchronous, Random& random) {
  std::set<int> acknowledged;
  RawSqlite db("/t.db", vfs.name());
  RawSqlite reader("/t.db", vfs.name(), true);
  db.run("PRAGMA wal_autocheckpoint=0; PRAGMA synchronous=" + synchronous);
  for (int tx = 0; tx < transaction_count; ++tx) {
    if (db.run(transaction(tx, random)) != SQLITE_OK) break;
    if (db.run("COMMIT") != SQLITE_OK) break;
    acknowledged.insert(tx);
    if (random.chance(0.2)) {
      const std::string seen = reader.value(fmt::format("SELECT 1 FROM t WHERE tx = {}", tx));
      if (seen != "1" && !reader.failed()) {
        ADD_FAILURE() << "a reader misses transaction " << tx;
      }
    }
    if (random.chance(0.12)) {
      sqlite3_wal_checkpoint_v2(db.get(), nullptr, static_cast<int>(random.below(4)), nullptr,
                                nullptr);
    }
  }
  return acknowledged;
}

void examine(FaultyVfs& vfs, const std::set<int>& acknowledged, Tally& tally) {
  RawSqlite db("/t.db", vfs.name());
  const std::string verdict = db.value("PRAGMA integrity_check");
  const auto present = db.column("SELECT DISTINCT tx FROM t WHERE tx >= 0");
  const auto torn = db.column("SELECT tx FROM t GROUP BY tx HAVING count(*) <> max(of)");
  tally.corrupt += verdict != "ok" || db.failed() ? 1 : 0;
  tally.torn += static_cast<int>(torn.size());
  const std::set<std::string> there(present.begin(), present.end());
  tally.acknowledged += static_cast<int>(acknowledged.size());
  for (const int tx : acknowledged) tally.lost += there.contains(std::to_string(tx)) ? 0 : 1;
}

void cut_power_once(const Disk& made, const std::string& synchronous, std::uint64_t seed,
                    Tally& tally) {
  SeededRandom random(seed);
  seed_sqlite(seed);
  FaultyVfs vfs(made, seed);
  vfs.arm({.kind = FaultKind::power_cut, .at = 1 + static_cast<std::int64_t>(random.below(900))});
  const std::set<int> acknowledged = work(vfs, synchronous, random);
  vfs.cut_power();
  Disk cut = vfs.disk();
  cut.lose_power(random);
  // Sometimes the power fails again while SQLite recovers.
  while (random.chance(0.3)) {
    FaultyVfs again(cut, seed);
    again.arm(
        {.kind = FaultKind::power_cut, .at = 1 + static_cast<std::int64_t>(random.below(60))});
    Tally unread;
    examine(again, {}, unread);
    again.cut_power();
    cut = again.disk();
    cut.lose_power(random);
  }
  FaultyVfs healthy(std::move(cut), seed);
  ++tally.seeds;
  examine(healthy, acknowledged, tally);
}

Tally cut_power_often(const std::string& synchronous, std::uint64_t seeds) {
  const Disk made = made_disk();
  Tally tally;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    cut_power_once(made, synchronous, seed, tally);
  fmt::print(
      "synchronous={}: {} power cuts, {} transactions acknowledged, {} lost, {} torn, "
      "{} databases corrupt\n",
      synchronous, tally.seeds, tally.acknowledged, tally.lost, tally.torn, tally.corrupt);
  return tally;
}

TEST(RawSqliteOnFaultyVfs, LosesNothingAcknowledgedWithFullSynchronisation) {
  const Tally tally = cut_power_often("FULL", 4000);
  EXPECT_GT(tally.acknowledged, 40'000);
  EXPECT_EQ(tally.lost, 0);
  EXPECT_EQ(tally.torn, 0);
  EXPECT_EQ(tally.corrupt, 0);
}

TEST(RawSqliteOnFaultyVfs, IsDeterministicForASeed) {
  const Disk made = made_disk();
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Tally one, two;
    cut_power_once(made, "OFF", seed, one);
    cut_power_once(made, "OFF", seed, two);
    EXPECT_EQ(one, two) << "seed " << seed;
  }
}

TEST(RawSqliteOnFaultyVfs, LosesOnlyCommitsWithNormalSynchronisation) {
  const Tally tally = cut_power_often("NORMAL", 500);
  EXPECT_GT(tally.lost, 0);
  EXPECT_EQ(tally.torn, 0);
  EXPECT_EQ(tally.corrupt, 0);
}

TEST(RawSqliteOnFaultyVfs, LosesAndCorruptsWithoutSynchronisation) {
  const Tally tally = cut_power_often("OFF", 500);
  EXPECT_GT(tally.lost, 0);
  EXPECT_GT(tally.corrupt, 0);
}

}  // namespace
}  // namespace longshore::faults
