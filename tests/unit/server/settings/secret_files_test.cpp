#include "server/settings/secret_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace longshore {
namespace {

class SecretFile : public ::testing::Test {
 protected:
  SecretFile() {
    std::string name = std::filesystem::temp_directory_path() / "longshore-secret-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~SecretFile() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& text, mode_t mode) {
    const std::string path = folder_ / "secret";
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
    return path;
  }

  std::filesystem::path folder_;
};

TEST_F(SecretFile, IsTrimmed) {
  EXPECT_EQ(read_secret_file(file(" one two\n", 0600)).value(), "one two");
  EXPECT_EQ(read_secret_file(file("group\n", 0440)).value(), "group");
}

TEST_F(SecretFile, IsRejectedIfOthersCanReadItOrItsGroupCanWriteIt) {
  for (const mode_t mode : {0644, 0604, 0602, 0660}) {
    const Result<std::string> read = read_secret_file(file("secret", mode));
    ASSERT_FALSE(read) << std::oct << mode;
    EXPECT_EQ(read.error().code, Errc::refused);
    EXPECT_NE(read.error().message.find("chmod 600"), std::string::npos) << read.error().message;
  }
}

TEST_F(SecretFile, MustBeANonEmptyFile) {
  EXPECT_FALSE(read_secret_file(file(" \n", 0600)));
  EXPECT_FALSE(read_secret_file(file(std::string(70'000, 'x'), 0600)));
  EXPECT_FALSE(read_secret_file(folder_));
  EXPECT_FALSE(read_secret_file(folder_ / "absent"));
}

TEST_F(SecretFile, OfAWebhookSecretIsNamedInErrors) {
  const auto secrets_of = [&](const std::string& path) {
    const std::string table = "[secrets.billing]\nfile = \"" + path +
                              "\"\nnamespace = \"shop\"\nurls = [\"https://a.example\"]\n";
    Settings::Sources sources;
    sources.file = parse_settings_file(table, "longshore.toml").value();
    return webhook_secrets(Settings::from(std::move(sources)).value());
  };
  const Result<Secrets> good = secrets_of(file("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n", 0600));
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_TRUE(good->bindings().has("billing"));
  const Result<Secrets> bad = secrets_of(file("hunter2", 0600));
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find("billing"), std::string::npos);
  EXPECT_EQ(bad.error().message.find("hunter2"), std::string::npos) << "the secret is shown";
  const Result<Secrets> open = secrets_of(file("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", 0644));
  ASSERT_FALSE(open);
  EXPECT_NE(open.error().message.find("secrets.billing"), std::string::npos);
}

}  // namespace
}  // namespace longshore
