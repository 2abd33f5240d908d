#include "worker/program/scratch_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace longshore {
namespace {

TEST(ScratchFolder, IsEmptyAndPrivateAndRemovedAfterwards) {
  std::string path;
  {
    const ScratchFolder folder = ScratchFolder::make("").value();
    path = folder.path();
    EXPECT_TRUE(std::filesystem::path(path).is_absolute());
    EXPECT_TRUE(std::filesystem::is_empty(path));
    struct stat about = {};
    ASSERT_EQ(::stat(path.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777, 0700u);
    std::filesystem::create_directories(path + "/deep/er");
    std::ofstream(path + "/deep/er/file") << "x";
    std::filesystem::create_directory_symlink("/usr", path + "/elsewhere");
    ::chmod((path + "/deep").c_str(), 0);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(std::filesystem::exists("/usr/bin"));
}

TEST(ScratchFolder, NeedsAParentFolder) {
  EXPECT_FALSE(ScratchFolder::make("/no/such/folder"));
  EXPECT_FALSE(try_scratch_folder("/no/such/folder"));
  EXPECT_TRUE(try_scratch_folder(""));
}

}  // namespace
}  // namespace longshore
