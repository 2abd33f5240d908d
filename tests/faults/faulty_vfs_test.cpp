#include "faults/faulty_vfs.h"

#include <gtest/gtest.h>

#include "faults/raw_sqlite.h"

namespace longshore::faults {
namespace {

constexpr const char* in_wal = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;";

void make_table(RawSqlite& db) {
  ASSERT_EQ(db.run(in_wal), SQLITE_OK);
  ASSERT_EQ(db.run("CREATE TABLE t(a)"), SQLITE_OK);
}

TEST(FaultyVfs, SharesTheWalIndexBetweenConnections) {
  FaultyVfs vfs({}, 1);
  RawSqlite one("/t.db", vfs.name()), two("/t.db", vfs.name());
  RawSqlite reader("/t.db", vfs.name(), true);
  make_table(one);
  EXPECT_EQ(two.value("PRAGMA journal_mode"), "wal");
  EXPECT_EQ(two.run("INSERT INTO t VALUES(1)"), SQLITE_OK);
  EXPECT_EQ(one.run("INSERT INTO t VALUES(2)"), SQLITE_OK);
  EXPECT_EQ(reader.value("SELECT sum(a) FROM t"), "3");
}

TEST(FaultyVfs, LetsOneConnectionWriteAtATime) {
  FaultyVfs vfs({}, 1);
  RawSqlite one("/t.db", vfs.name()), two("/t.db", vfs.name());
  make_table(one);
  ASSERT_EQ(one.run("BEGIN IMMEDIATE; INSERT INTO t VALUES(1)"), SQLITE_OK);
  EXPECT_EQ(two.run("BEGIN IMMEDIATE"), SQLITE_BUSY);
  EXPECT_EQ(two.value("SELECT count(*) FROM t"), "0");
  ASSERT_EQ(one.run("COMMIT"), SQLITE_OK);
  EXPECT_EQ(two.run("BEGIN IMMEDIATE; COMMIT"), SQLITE_OK);
}

TEST(FaultyVfs, ExcludesReadersAndWritersOfARollbackJournal) {
  FaultyVfs vfs({}, 1);
  RawSqlite one("/t.db", vfs.name()), two("/t.db", vfs.name());
  ASSERT_EQ(one.run("CREATE TABLE t(a)"), SQLITE_OK);
  ASSERT_EQ(two.run("BEGIN; SELECT * FROM t"), SQLITE_OK);
  ASSERT_EQ(one.run("BEGIN; INSERT INTO t VALUES(1)"), SQLITE_OK);
  EXPECT_EQ(one.run("COMMIT"), SQLITE_BUSY) << "a reader is active";
  ASSERT_EQ(two.run("COMMIT"), SQLITE_OK);
  EXPECT_EQ(one.run("COMMIT"), SQLITE_OK);
  EXPECT_EQ(two.value("SELECT count(*) FROM t"), "1");
}

TEST(FaultyVfs, SeparatesTwoInstances) {
  FaultyVfs one({}, 1), two({}, 1);
  ASSERT_NE(one.name(), two.name());
  RawSqlite here("/t.db", one.name()), there("/t.db", two.name());
  make_table(here);
  EXPECT_NE(there.run("SELECT * FROM t"), SQLITE_OK);
  EXPECT_NE(one.calls(FaultKind::write_error), two.calls(FaultKind::write_error));
}

TEST(FaultyVfs, ShowsTheWritesOfAKilledProcessToTheNextOne) {
  FaultyVfs killed({}, 1);
  RawSqlite db("/t.db", killed.name());
  make_table(db);
  ASSERT_EQ(db.run("PRAGMA synchronous=OFF; INSERT INTO t VALUES(7)"), SQLITE_OK);
  FaultyVfs next(killed.disk(), 1);
  RawSqlite found("/t.db", next.name());
  EXPECT_EQ(found.value("SELECT a FROM t"), "7");
}

// Each kind of fault makes a call fail; without it the same call succeeds.
TEST(FaultyVfs, FailsEachKindOfCallOnce) {
  struct Case {
    FaultKind kind;
    int code;
  } cases[] = {
      {FaultKind::write_error, SQLITE_IOERR}, {FaultKind::torn_write, SQLITE_IOERR},
      {FaultKind::disk_full, SQLITE_FULL},    {FaultKind::sync_error, SQLITE_IOERR},
      {FaultKind::shm_error, SQLITE_IOERR},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(to_text(c.kind));
    FaultyVfs vfs({}, 1);
    RawSqlite db("/t.db", vfs.name());
    make_table(db);
    vfs.arm({.kind = c.kind, .at = vfs.calls(c.kind) + 1});
    EXPECT_EQ(db.run("INSERT INTO t VALUES(1)"), c.code);
    EXPECT_EQ(vfs.fired(), 1);
    EXPECT_EQ(db.run("INSERT INTO t VALUES(2)"), SQLITE_OK);
    EXPECT_EQ(db.value("SELECT a FROM t"), "2");
  }
}

TEST(FaultyVfs, RepeatsAPersistentFaultUntilDisarmed) {
  FaultyVfs vfs({}, 1);
  RawSqlite db("/t.db", vfs.name());
  make_table(db);
  vfs.arm({.kind = FaultKind::disk_full,
           .at = vfs.calls(FaultKind::disk_full) + 1,
           .persistent = true});
  EXPECT_EQ(db.run("INSERT INTO t VALUES(1)"), SQLITE_FULL);
  EXPECT_EQ(db.run("INSERT INTO t VALUES(1)"), SQLITE_FULL);
  vfs.disarm();
  EXPECT_EQ(db.run("INSERT INTO t VALUES(1)"), SQLITE_OK);
}

// SQLite skips a reader slot that is taken, so this fault must be persistent.
TEST(FaultyVfs, ReportsBusyLocksUntilDisarmed) {
  FaultyVfs vfs({}, 1);
  RawSqlite db("/t.db", vfs.name());
  make_table(db);
  vfs.arm({.kind = FaultKind::lock_busy, .at = 1, .persistent = true});
  EXPECT_NE(db.run("INSERT INTO t VALUES(1)"), SQLITE_OK);
  vfs.disarm();
  EXPECT_EQ(db.run("INSERT INTO t VALUES(1)"), SQLITE_OK);
}

TEST(FaultyVfs, FailsReadsOpensAndFileLocks) {
  for (const FaultKind kind :
       {FaultKind::read_error, FaultKind::open_error, FaultKind::lock_error}) {
    SCOPED_TRACE(to_text(kind));
    FaultyVfs vfs({}, 1);
    RawSqlite first("/t.db", vfs.name());
    make_table(first);
    vfs.arm({.kind = kind, .at = vfs.calls(kind) + 1, .persistent = true});
    RawSqlite db("/t.db", vfs.name());
    EXPECT_NE(db.run("SELECT * FROM t"), SQLITE_OK);
    EXPECT_GT(vfs.fired(), 0);
  }
}

TEST(FaultyVfs, FailsEveryCallAfterAPowerCut) {
  FaultyVfs vfs({}, 1);
  RawSqlite db("/t.db", vfs.name());
  make_table(db);
  vfs.cut_power();
  EXPECT_EQ(db.run("INSERT INTO t VALUES(1)"), SQLITE_IOERR);
  EXPECT_EQ(db.run("INSERT INTO t VALUES(1)"), SQLITE_IOERR);
}

}  // namespace
}  // namespace longshore::faults
