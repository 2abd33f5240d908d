#include "faults/disk.h"

#include <gtest/gtest.h>

#include <set>

namespace longshore::faults {
namespace {

std::string bytes_of(const Disk& disk, const std::string& name) {
  const std::shared_ptr<DiskFile> file = disk.find(name);
  if (file == nullptr) return "(no such file)";
  std::string bytes(file->size(), '\0');
  file->read(0, bytes);
  return bytes;
}

Disk disk_with(const std::string& synced) {
  Disk disk;
  const std::shared_ptr<DiskFile> file = disk.create("f");
  file->write(0, synced);
  file->sync();
  disk.sync_directory();
  return disk;
}

// All contents that many power cuts leave of the file.
std::set<std::string> contents_after_power_cuts(const Disk& disk) {
  std::set<std::string> contents;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Disk cut = disk;
    SeededRandom random(seed);
    cut.lose_power(random);
    contents.insert(bytes_of(cut, "f"));
  }
  return contents;
}

TEST(Disk, KeepsSyncedDataThroughAnyPowerCut) {
  EXPECT_EQ(contents_after_power_cuts(disk_with("safe")), std::set<std::string>{"safe"});
}

TEST(Disk, KeepsOrLosesAnUnsyncedWrite) {
  const Disk disk = disk_with("old");
  disk.find("f")->write(0, std::string("new"));
  EXPECT_EQ(bytes_of(disk, "f"), "new");
  EXPECT_EQ(contents_after_power_cuts(disk), (std::set<std::string>{"new", "old"}));
}

TEST(Disk, LosesAnEarlierWriteAndKeepsALaterOne) {
  const Disk disk = disk_with("ab");
  disk.find("f")->write(0, std::string("A"));
  disk.find("f")->write(1, std::string("B"));
  EXPECT_EQ(contents_after_power_cuts(disk), (std::set<std::string>{"ab", "aB", "Ab", "AB"}));
}

TEST(Disk, TearsAWriteAtSectorBoundaries) {
  const Disk disk = disk_with(std::string(1024, '.'));
  disk.find("f")->write(256, std::string(512, '#'));
  const auto torn = [](std::size_t from, std::size_t to) {
    return std::string(from, '.') + std::string(to - from, '#') + std::string(1024 - to, '.');
  };
  EXPECT_EQ(contents_after_power_cuts(disk),
            (std::set<std::string>{torn(0, 0), torn(256, 512), torn(512, 768), torn(256, 768)}));
}

TEST(Disk, KeepsOrLosesAnUnsyncedTruncation) {
  const Disk disk = disk_with("long");
  disk.find("f")->truncate(1);
  EXPECT_EQ(contents_after_power_cuts(disk), (std::set<std::string>{"long", "l"}));
}

TEST(Disk, KeepsOrLosesTheNameOfANewFileUntilTheDirectoryIsSynced) {
  Disk disk;
  disk.create("f")->write(0, std::string("x"));
  disk.find("f")->sync();
  EXPECT_EQ(contents_after_power_cuts(disk), (std::set<std::string>{"(no such file)", "x"}));
  disk.sync_directory();
  EXPECT_EQ(contents_after_power_cuts(disk), std::set<std::string>{"x"});
}

TEST(Disk, MayRestoreARemovedFileUntilTheDirectoryIsSynced) {
  Disk disk = disk_with("x");
  disk.remove("f");
  EXPECT_EQ(bytes_of(disk, "f"), "(no such file)");
  EXPECT_EQ(contents_after_power_cuts(disk), (std::set<std::string>{"(no such file)", "x"}));
  disk.sync_directory();
  EXPECT_EQ(contents_after_power_cuts(disk), std::set<std::string>{"(no such file)"});
}

TEST(Disk, NeverWritesChangesDroppedByAFailedSync) {
  int lost = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Disk disk = disk_with("old");
    SeededRandom random(seed);
    disk.find("f")->write(0, std::string("new"));
    disk.find("f")->fail_sync(random);
    const bool still_seen = bytes_of(disk, "f") == "new";
    disk.find("f")->sync();
    disk.lose_power(random);
    lost += still_seen && bytes_of(disk, "f") == "old" ? 1 : 0;
  }
  EXPECT_GT(lost, 0) << "a sync after a failed one must not repair everything";
}

TEST(Disk, IsDeterministicForASeed) {
  const Disk disk = disk_with(std::string(8192, '.'));
  disk.find("f")->write(100, std::string(8000, '#'));
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Disk one = disk, two = disk;
    SeededRandom first(seed), second(seed);
    one.lose_power(first);
    two.lose_power(second);
    EXPECT_EQ(bytes_of(one, "f"), bytes_of(two, "f")) << "seed " << seed;
  }
}

}  // namespace
}  // namespace longshore::faults
