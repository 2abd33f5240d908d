#include "store/sqlite/file/file_guard.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "unit/store_sqlite/sqlite_test.h"

namespace longshore {
namespace {

namespace fs = std::filesystem;

class SqliteFileGuard : public SqliteTest {
 protected:
  // What the next commit is answered.
  Error after_harm() {
    const Command command = Enqueue{.ns = "default", .jobs = {job()}};
    const auto committed = backend_->store().commit({&command, 1});
    if (committed) return {};
    EXPECT_TRUE(backend_->broken().has_value());
    return committed.error();
  }
  void expect_refused(Errc code, const std::string& words) {
    const Opened opened = try_open();
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().code, code);
    EXPECT_NE(opened.error().message.find(words), std::string::npos) << opened.error().message;
  }
};

TEST_F(SqliteFileGuard, KnowsAFileUnderAnotherName) {
  open();
  const std::string path = options_.path;
  options_.path = scratch_.file("link.db");
  fs::create_symlink(path, options_.path);
  expect_refused(Errc::refused, "is held by");
  EXPECT_NE(enqueue(), JobId());
}

TEST_F(SqliteFileGuard, NeedsNoLockFileToKnow) {
  open();
  fs::remove(options_.path + ".lock");
  expect_refused(Errc::refused, "is held by");
}

TEST_F(SqliteFileGuard, RefusesAFileWithTwoNames) {
  open();
  close();
  fs::create_hard_link(options_.path, scratch_.file("other.db"));
  expect_refused(Errc::refused, "hard links");
}

TEST_F(SqliteFileGuard, AcknowledgesNothingOnceTheFileIsRemoved) {
  open();
  enqueue();
  fs::remove(options_.path);
  EXPECT_NE(after_harm().message.find("was removed"), std::string::npos);
}

TEST_F(SqliteFileGuard, AcknowledgesNothingOnceTheFileIsReplaced) {
  open();
  enqueue();
  fs::copy_file(options_.path, scratch_.file("copy"));
  fs::rename(scratch_.file("copy"), options_.path);
  EXPECT_NE(after_harm().message.find("replaced"), std::string::npos);
}

TEST_F(SqliteFileGuard, AcknowledgesNothingOnceTheFileIsCutShort) {
  open();
  open();  // what was in the log is in the file
  enqueue();
  fs::resize_file(options_.path, 4096);
  EXPECT_NE(after_harm().message.find("cut short"), std::string::npos);
}

TEST_F(SqliteFileGuard, AcknowledgesNothingOnceTheLogIsRemoved) {
  open();
  enqueue();
  fs::remove(options_.path + "-wal");
  EXPECT_NE(after_harm().message.find("-wal was removed"), std::string::npos);
}

TEST_F(SqliteFileGuard, MakesNoNewStoreWhereOneWas) {
  open();
  close();
  fs::remove(options_.path);
  expect_refused(Errc::corrupt, "is missing");
  EXPECT_FALSE(fs::exists(options_.path));
  std::ofstream(options_.path).close();
  expect_refused(Errc::corrupt, "is empty");
  fs::remove(options_.path + ".lock");
  open();
  EXPECT_NE(enqueue(), JobId());
}

TEST_F(SqliteFileGuard, TakesAKeyOrALogForASignOfAStore) {
  for (const char* companion : {".key", "-wal"}) {
    std::ofstream(options_.path + companion) << "something";
    expect_refused(Errc::corrupt, companion);
    fs::remove(options_.path + companion);
  }
  open();
}

TEST_F(SqliteFileGuard, RefusesAFileThatIsShorterThanItSays) {
  open();
  close();
  fs::resize_file(options_.path, fs::file_size(options_.path) / 2);
  expect_refused(Errc::corrupt, "cut short");
}

TEST_F(SqliteFileGuard, LetsAStartThatWasCutOffBeginAnew) {
  std::ofstream(options_.path).close();
  std::ofstream(options_.path + ".lock") << "process 1 (longshore) since yesterday\n";
  open();
  EXPECT_NE(enqueue(), JobId());
}

}  // namespace
}  // namespace longshore
