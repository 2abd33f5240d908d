#include "server/settings/session_key.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace longshore {
namespace {

class SessionKey : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "longshore-key-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  Result<std::string> key_for(const std::string& store, const std::string& token_key = "") {
    Settings::Sources sources;
    sources.flags[find_option("store")] = {store};
    if (!token_key.empty()) sources.flags[find_option("token-key")] = {token_key};
    return session_key(Settings::from(std::move(sources)).value());
  }
  std::string store() const { return "sqlite:" + folder + "/jobs.db"; }
  std::string file() const { return folder + "/jobs.db.key"; }

  std::string folder;
};

TEST_F(SessionKey, OfAFileStoreIsCreatedOnce) {
  const auto first = key_for(store());
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(first->size(), 64U);
  EXPECT_EQ(*key_for(store()), *first);
  struct stat status {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(SessionKey, IsRejectedIfOthersCanReadIt) {
  ASSERT_TRUE(key_for(store()).ok());
  ::chmod(file().c_str(), 0644);
  const auto key = key_for(store());
  ASSERT_FALSE(key.ok());
  EXPECT_TRUE(key.error().message.contains("chmod 600")) << key.error().message;
}

TEST_F(SessionKey, IsRejectedIfDamaged) {
  ASSERT_TRUE(key_for(store()).ok());
  std::filesystem::resize_file(file(), 10);
  EXPECT_FALSE(key_for(store()).ok());
}

TEST_F(SessionKey, IsDerivedFromTheTokenKey) {
  EXPECT_EQ(*key_for("postgres://h/d", "secret"), *key_for("redis://h", "secret"));
  EXPECT_NE(*key_for("postgres://h/d", "secret"), "secret");
  EXPECT_NE(*key_for("postgres://h/d", "secret"), *key_for("postgres://h/d", "other"));
}

TEST_F(SessionKey, IsEmptyForASharedStoreWithoutATokenKey) {
  EXPECT_EQ(*key_for("postgres://h/d"), "");
  EXPECT_EQ(*key_for("memory:"), "");
}

}  // namespace
}  // namespace longshore
