#include "store/sqlite/file/disk_guard.h"

#include <filesystem>

#include "unit/store_sqlite/sqlite_test.h"

namespace longshore::sqlite {
namespace {

namespace fs = std::filesystem;

TEST(DiskGuard, HoldsAFileOfItsSizeUntilItGivesUp) {
  const Scratch scratch;
  DiskGuard guard(scratch.file("reserve"), 1 << 20);
  EXPECT_TRUE(guard.holds());
  EXPECT_EQ(fs::file_size(scratch.file("reserve")), 1u << 20);
  guard.give_up();
  EXPECT_FALSE(guard.holds());
  EXPECT_FALSE(fs::exists(scratch.file("reserve")));
}

TEST(DiskGuard, HoldsAgainWhenThereIsRoom) {
  const Scratch scratch;
  DiskGuard guard(scratch.file("reserve"), 4096);
  guard.give_up();
  EXPECT_TRUE(guard.restore());
  EXPECT_TRUE(fs::exists(scratch.file("reserve")));
}

TEST(DiskGuard, DoesNotTakeWhatIsNotThere) {
  const Scratch scratch;
  DiskGuard guard(scratch.file("reserve"), std::int64_t{1} << 60);
  EXPECT_FALSE(guard.holds());
  EXPECT_FALSE(guard.restore());
  EXPECT_FALSE(fs::exists(scratch.file("reserve"))) << "half a reserve was left behind";
}

TEST(DiskGuard, IsNeverInTheWayWhenNothingIsReserved) {
  const Scratch scratch;
  DiskGuard guard(scratch.file("reserve"), 0);
  EXPECT_TRUE(guard.restore());
  EXPECT_FALSE(fs::exists(scratch.file("reserve")));
}

}  // namespace
}  // namespace longshore::sqlite
