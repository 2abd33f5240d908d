#include "store/sqlite/file/file_system.h"

#include "unit/store_sqlite/sqlite_test.h"

namespace longshore::sqlite {
namespace {

TEST(FileSystem, KnowsThoseThatReachOverANetwork) {
  struct Case {
    std::string_view name;
    std::int64_t magic;
    std::string_view expected;
  };
  const Case cases[] = {
      {"NFS", 0x6969, "NFS"},
      {"CIFS", 0xFF534D42, "SMB"},
      {"CIFS, as a signed number", static_cast<std::int32_t>(0xFF534D42), "SMB"},
      {"SMB 2", 0xFE534D42, "SMB"},
      {"9p", 0x01021997, "9p"},
      {"ext4", 0xEF53, ""},
      {"tmpfs", 0x01021994, ""},
      {"xfs", 0x58465342, ""},
      {"overlay", 0x794C7630, ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(network_file_system(c.magic), c.expected);
  }
}

TEST(FileSystem, TakesALocalDirectoryAndMakesItsNamesDurable) {
  const Scratch scratch;
  EXPECT_TRUE(check_directory(scratch.file("jobs.db")).ok());
  EXPECT_TRUE(sync_directory(scratch.file("jobs.db")).ok());
}

TEST(FileSystem, SaysWhatToDoAboutADirectoryThatIsNotThere) {
  const Scratch scratch;
  const auto checked = check_directory(scratch.file("no/jobs.db"));
  ASSERT_FALSE(checked.ok());
  EXPECT_TRUE(checked.error().message.contains("create it"));
}

}  // namespace
}  // namespace longshore::sqlite
