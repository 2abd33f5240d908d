#include "store/sqlite/file/gathered_log.h"

#include <gtest/gtest.h>

#include "faults/faulty_vfs.h"
#include "faults/raw_sqlite.h"

namespace longshore::sqlite {
namespace {

using faults::FaultKind;
using faults::RawSqlite;

constexpr const char* open_log =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0;"
    "CREATE TABLE t(id INTEGER PRIMARY KEY, b BLOB)";
// A hundred pages and more.
constexpr const char* many_pages =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150) "
    "INSERT INTO t(b) SELECT randomblob(3000) FROM n";

// What is written next is written over the log as it was.
constexpr const char* begin_anew = "PRAGMA wal_checkpoint(RESTART)";

class GatheredLogTest : public testing::Test {
 protected:
  GatheredLogTest() { EXPECT_EQ(writer_.run(open_log), SQLITE_OK); }

  std::int64_t writes() const { return disk_.calls(FaultKind::write_error); }

  faults::FaultyVfs disk_{{}, 1};
  GatheredLog log_{disk_.name()};
  RawSqlite writer_{"/t.db", log_.name()};
  RawSqlite reader_{"/t.db", disk_.name(), true};
};

TEST_F(GatheredLogTest, WritesATransactionInAsFewCallsAsTheBaseTakes) {
  const std::int64_t before = writes();
  ASSERT_EQ(writer_.run("INSERT INTO t(b) VALUES (randomblob(40000))"), SQLITE_OK);
  EXPECT_LE(writes() - before, 3) << "of some eleven pages";
  ASSERT_EQ(writer_.run(many_pages), SQLITE_OK);
  EXPECT_LT(writes() - before, 30) << "of more than 150 pages";
}

TEST_F(GatheredLogTest, IsReadByOthersOnceACommitIsAnswered) {
  for (const char* count : {"150", "300"}) {
    ASSERT_EQ(writer_.run(many_pages), SQLITE_OK);
    EXPECT_EQ(reader_.value("SELECT count(*) FROM t"), count);
  }
  EXPECT_EQ(reader_.value("PRAGMA integrity_check"), "ok");
}

TEST_F(GatheredLogTest, GivesBackWhatATransactionTooLargeForTheCacheWrote) {
  ASSERT_EQ(writer_.run("PRAGMA cache_size=5; BEGIN"), SQLITE_OK);
  ASSERT_EQ(writer_.run(many_pages), SQLITE_OK);
  EXPECT_EQ(writer_.value("SELECT sum(length(b)) FROM t"), "450000");
  EXPECT_EQ(reader_.value("SELECT count(*) FROM t"), "0");
  ASSERT_EQ(writer_.run("ROLLBACK"), SQLITE_OK);
  EXPECT_EQ(writer_.value("SELECT count(*) FROM t"), "0");
  ASSERT_EQ(writer_.run(many_pages), SQLITE_OK);
  EXPECT_EQ(reader_.value("SELECT sum(length(b)) FROM t"), "450000");
}

TEST_F(GatheredLogTest, SurvivesACheckpointAndANewBeginning) {
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(writer_.run(many_pages), SQLITE_OK);
    ASSERT_EQ(writer_.run("PRAGMA wal_checkpoint(TRUNCATE)"), SQLITE_OK);
  }
  EXPECT_EQ(reader_.value("SELECT count(*) FROM t"), "450");
  EXPECT_EQ(reader_.value("PRAGMA integrity_check"), "ok");
}

TEST_F(GatheredLogTest, FailsTheCommitWhoseWritingFails) {
  for (const FaultKind kind : {FaultKind::disk_full, FaultKind::write_error}) {
    disk_.arm({.kind = kind, .at = disk_.calls(kind) + 2});
    EXPECT_NE(writer_.run(many_pages), SQLITE_OK);
    disk_.disarm();
    EXPECT_EQ(reader_.value("SELECT count(*) FROM t"), "0");
  }
  ASSERT_EQ(writer_.run(many_pages), SQLITE_OK);
  EXPECT_EQ(reader_.value("SELECT count(*) FROM t"), "150");
  EXPECT_EQ(reader_.value("PRAGMA integrity_check"), "ok");
}

// Most of a page is as it was in an older log at the same place, so a part of a commit may be
// the whole of it.
TEST(GatheredLog, NeverHoldsACommitThatFoundTheDiskFull) {
  int failures = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    faults::FaultyVfs disk({}, seed);
    GatheredLog log(disk.name());
    RawSqlite writer("/t.db", log.name());
    for (const char* sql : {open_log, begin_anew,
                            "INSERT INTO t VALUES (1, zeroblob(3000)), (2, x'00')", begin_anew}) {
      ASSERT_EQ(writer.run(sql), SQLITE_OK);
    }
    disk.arm({.kind = FaultKind::disk_full,
              .at = disk.calls(FaultKind::disk_full) + 1 + static_cast<std::int64_t>(seed % 3),
              .persistent = true});
    if (writer.run("UPDATE t SET b = x'01' WHERE id = 2") == SQLITE_OK) continue;
    ++failures;
    faults::FaultyVfs after_a_kill(disk.disk(), seed);
    RawSqlite reader("/t.db", after_a_kill.name());
    EXPECT_EQ(reader.value("SELECT hex(b) FROM t WHERE id = 2"), "00") << "seed " << seed;
  }
  EXPECT_GE(failures, 200);
}

TEST(GatheredLog, IsNotThereOverAVfsThatNobodyKnows) {
  GatheredLog log("no such vfs");
  EXPECT_FALSE(RawSqlite("/t.db", log.name()).ok());
}

}  // namespace
}  // namespace longshore::sqlite
