#include "worker/program/checkpoint_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "worker/program/scratch_folder.h"

namespace longshore {
namespace {

class CheckpointFileTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() + "/" + name, std::ios::binary) << text;
  }

  ScratchFolder folder_ = ScratchFolder::make("").value();
};

TEST_F(CheckpointFileTest, DoesNotExistWithoutACheckpoint) {
  CheckpointFile file(folder_.path(), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(file.path()));
  EXPECT_EQ(file.take(), std::nullopt);
}

TEST_F(CheckpointFileTest, HoldsThePreviousCheckpointUntilANewOneIsWritten) {
  CheckpointFile file(folder_.path(), "{\"at\":1}");
  EXPECT_EQ(file.take(), std::nullopt);
  write("checkpoint", "{\"at\": 2}\n");
  EXPECT_EQ(file.take(), "{\"at\": 2}");
  EXPECT_EQ(file.take(), std::nullopt);
  write("checkpoint", "{\"at\": 3}\n");
  EXPECT_EQ(file.take_last(), "{\"at\": 3}");
}

TEST_F(CheckpointFileTest, MayBeReplacedByARename) {
  CheckpointFile file(folder_.path(), std::nullopt);
  write("next", "3");
  EXPECT_EQ(file.take(), std::nullopt);
  std::filesystem::rename(folder_.path() + "/next", file.path());
  EXPECT_EQ(file.take(), "3");
}

TEST_F(CheckpointFileTest, IsIgnoredIfItIsNotAJsonFile) {
  CheckpointFile file(folder_.path(), std::nullopt);
  write("checkpoint", "no JSON");
  EXPECT_EQ(file.take(), std::nullopt);
  write("checkpoint", "\"" + std::string(1 << 20, 'x') + "\"");
  EXPECT_EQ(file.take(), std::nullopt);
  write("elsewhere", "1");
  std::filesystem::create_symlink(folder_.path() + "/elsewhere", folder_.path() + "/link");
  std::filesystem::rename(folder_.path() + "/link", file.path());
  EXPECT_EQ(file.take(), std::nullopt);
  ASSERT_EQ(::mkfifo((folder_.path() + "/pipe").c_str(), 0600), 0);
  std::filesystem::rename(folder_.path() + "/pipe", file.path());
  EXPECT_EQ(file.take(), std::nullopt);
}

}  // namespace
}  // namespace longshore
