#include "store/sqlite/file/connection.h"

#include <gtest/gtest.h>

#include "unit/store_sqlite/sqlite_test.h"

namespace longshore::sqlite {
namespace {

class SqliteConnection : public testing::Test {
 protected:
  SqliteConnection() {
    auto opened = Database::open(scratch_.file("some.db"), "", Database::Access::write);
    EXPECT_TRUE(opened.ok());
    database_ = std::move(*opened);
    database_->execute("CREATE TABLE t(a, b, c, d, e, f)");
  }

  Scratch scratch_;
  std::unique_ptr<Database> database_;
};

TEST_F(SqliteConnection, ReadsBackWhatWasBound) {
  const std::string with_zero("a\0b", 3);
  const JobId id{.high = 0x0102030405060708, .low = 0xF0E0D0C0B0A09080};
  Statement insert(*database_, "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)");
  insert.run(with_zero, id, std::optional<Instant>(), 0.5, Instant::millis(-7), "");
  Statement select(*database_, "SELECT * FROM t");
  ASSERT_TRUE(select.step());
  EXPECT_EQ(select.text(), with_zero);
  EXPECT_EQ(select.id<JobId>(), id);
  EXPECT_EQ(select.optional_instant(), std::nullopt);
  EXPECT_EQ(select.real(), 0.5);
  EXPECT_EQ(select.instant(), Instant::millis(-7));
  EXPECT_FALSE(select.is_null()) << "empty text is not NULL";
  EXPECT_FALSE(select.step());
}

TEST_F(SqliteConnection, SortsIdsAsTheirTimes) {
  Statement insert(*database_, "INSERT INTO t(a) VALUES (?)");
  insert.run(JobId{.high = 0x8000000000000000, .low = 0});
  insert.run(JobId{.high = 0x7FFFFFFFFFFFFFFF, .low = 1});
  Statement select(*database_, "SELECT a FROM t ORDER BY a");
  ASSERT_TRUE(select.step());
  EXPECT_EQ(select.id<JobId>().low, 1u);
}

TEST_F(SqliteConnection, BindsAnewEachTime) {
  Statement insert(*database_, "INSERT INTO t(a, b) VALUES (?, ?)");
  insert.run(1, 2);
  insert.run(3, std::optional<Instant>());
  Statement select(*database_, "SELECT count(*) FROM t WHERE b IS NULL");
  ASSERT_TRUE(select.step());
  EXPECT_EQ(select.integer(), 1);
}

TEST_F(SqliteConnection, StaysFailedUntilItIsToldToForget) {
  Statement select(*database_, "SELECT 1");
  Statement nonsense(*database_, "SELECT nonsense");
  EXPECT_FALSE(nonsense.step());
  EXPECT_TRUE(database_->failed());
  EXPECT_TRUE(database_->what().contains("nonsense"));
  EXPECT_FALSE(select.step()) << "nothing is read after a failure";
  EXPECT_FALSE(database_->execute("DELETE FROM t"));
  database_->forget_failure();
  EXPECT_TRUE(select.step());
}

TEST_F(SqliteConnection, LetsAReaderWriteNothing) {
  auto reader = Database::open(scratch_.file("some.db"), "", Database::Access::read);
  ASSERT_TRUE(reader.ok());
  EXPECT_FALSE((*reader)->execute("INSERT INTO t(a) VALUES (1)"));
  EXPECT_EQ((*reader)->code(), SQLITE_READONLY);
}

}  // namespace
}  // namespace longshore::sqlite
