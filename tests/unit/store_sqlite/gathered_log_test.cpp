#include "store/sqlite/gathered_log.h"

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
  EXPECT_EQ(writes() - before, 1) << "of some eleven pages";
  ASSERT_EQ(writer_.run(many_pages), SQLITE_OK);
  EXPECT_LT(writes() - before, 20) << "of more than 150 pages";
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

TEST(GatheredLog, IsNotThereOverAVfsThatNobodyKnows) {
  GatheredLog log("no such vfs");
  EXPECT_FALSE(RawSqlite("/t.db", log.name()).ok());
}

}  // namespace
}  // namespace longshore::sqlite
