#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "core/policy/profiles.h"
#include "store/sqlite/file/connection.h"
#include "store/sqlite/file/schema.h"
#include "unit/store_sqlite/sqlite_test.h"

namespace longshore {
namespace {

using testing::ExitedWithCode;

class SqliteOpen : public SqliteTest {
 protected:
  void expect_refused(const Opened& opened, Errc code, const std::string& says) {
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(to_text(opened.error().code), to_text(code));
    EXPECT_TRUE(opened.error().message.contains(says)) << opened.error().message;
    EXPECT_TRUE(opened.error().message.contains(scratch_.path()))
        << "does not say where: " << opened.error().message;
  }
};

TEST_F(SqliteOpen, MakesANewFileThatKeepsItsPromises) {
  open();
  EXPECT_TRUE(std::filesystem::exists(options_.path));
  EXPECT_EQ(findings(), std::vector<std::string>{});
  close();
  auto database = sqlite::Database::open(options_.path, "", sqlite::Database::Access::read);
  ASSERT_TRUE(database.ok());
  sqlite::Statement mode(**database, "PRAGMA journal_mode");
  ASSERT_TRUE(mode.step());
  EXPECT_EQ(mode.text(), "wal");
}

TEST_F(SqliteOpen, RefusesAFileThatIsNotADatabase) {
  std::ofstream(options_.path) << std::string(8192, '!');
  expect_refused(try_open(), Errc::refused, "not a Longshore database");
  std::ifstream file(options_.path);
  std::string text;
  std::getline(file, text);
  EXPECT_EQ(text, std::string(8192, '!')) << "the file was touched";
}

TEST_F(SqliteOpen, RefusesTheDatabaseOfAnotherProgram) {
  damage("CREATE TABLE recipe(name)");
  expect_refused(try_open(), Errc::refused, "another program");
}

TEST_F(SqliteOpen, RefusesASchemaNewerThanItKnows) {
  open();
  close();
  damage("PRAGMA user_version = 1000");
  expect_refused(try_open(), Errc::refused, "newer Longshore");
}

// A file of an older version has counted them among the dead letters.
TEST_F(SqliteOpen, CountsWithdrawnJobsOfAnOlderFileAsCanceled) {
  open(*profile("scheduler"));
  send(Cancel{.ns = "default", .job = enqueue()});
  close();
  damage(
      "UPDATE lane SET dead = dead + canceled, canceled = 0; "
      "ALTER TABLE store DROP COLUMN stepped_at; PRAGMA user_version = 3");
  open(*profile("scheduler"));
  EXPECT_EQ(findings(), std::vector<std::string>{});
  auto depth = catalog().queues("default").value().at(0).depth;
  EXPECT_EQ(depth[State::dead], 0);
  EXPECT_EQ(depth[State::canceled], 1);
}

TEST_F(SqliteOpen, RefusesOtherRulesAndSaysWhich) {
  open();
  enqueue();
  close();
  expect_refused(try_open(*profile("basic")), Errc::refused,
                 "profile is native in the store and basic here");
  open();
  EXPECT_EQ(dump().size(), 1u);
}

TEST_F(SqliteOpen, RefusesADirectoryThatDoesNotExist) {
  options_.path = scratch_.file("nowhere/jobs.db");
  expect_refused(try_open(), Errc::refused, "create it");
}

// In a process of its own, which gives up the rights of root if it has them: root may write
// everywhere.
TEST_F(SqliteOpen, RefusesADirectoryThatCannotBeWritten) {
  ASSERT_EQ(::chmod(scratch_.path().c_str(), 0555), 0);
  EXPECT_EXIT(
      {
        if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
        const Opened opened = try_open();
        std::fputs(opened.ok() ? "it opened" : opened.error().message.c_str(), stderr);
        ::_exit(opened.ok() ? 1 : 0);
      },
      ExitedWithCode(0), "give the user who runs Longshore write access");
  ASSERT_EQ(::chmod(scratch_.path().c_str(), 0755), 0);
}

TEST_F(SqliteOpen, RefusesASecondObjectInTheSameProcess) {
  open();
  expect_refused(try_open(), Errc::refused, "process " + std::to_string(::getpid()));
}

TEST_F(SqliteOpen, RefusesASecondProcessAndNamesTheFirst) {
  open();
  const std::string holder = "process " + std::to_string(::getpid());
  EXPECT_EXIT(
      {
        const Opened opened = try_open();
        std::fputs(opened.ok() ? "it opened" : opened.error().message.c_str(), stderr);
        ::_exit(opened.ok() ? 1 : 0);
      },
      ExitedWithCode(0), "is held by " + holder + " .*since 2027-01-15T08:00:00.000Z");
  enqueue();
}

TEST_F(SqliteOpen, OpensAgainOnceTheHolderIsGone) {
  open();
  close();
  EXPECT_TRUE(try_open().ok());
}

TEST_F(SqliteOpen, BringsAnEmptyFileUpToDateInOneStep) {
  std::ofstream(options_.path).close();
  open();
  EXPECT_EQ(dump().size(), 0u);
}

TEST_F(SqliteOpen, RefusesAFileWhoseTablesAreGone) {
  open();
  close();
  damage("DROP TABLE live");
  EXPECT_FALSE(try_open().ok());
}

}  // namespace
}  // namespace longshore
