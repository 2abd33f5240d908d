#include "server/settings/session_key.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "api/auth/token_text.h"
#include "runtime/os_random.h"

namespace longshore {
namespace {

constexpr std::string_view sqlite = "sqlite:";
constexpr std::size_t key_length = 64;

Error unusable(const std::string& path, const std::string& why) {
  return {Errc::refused, path + ", the session key of the dashboard, " + why};
}

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return descriptor_; }

 private:
  const int descriptor_;
};

std::string random_key() {
  OsRandom random;
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += std::to_string(random.next()) + ".";
  return keyed_hash(bytes, "session key");
}

// Creates the file atomically under its final name.
Result<std::string> make_key(const std::string& path) {
  const std::string key = random_key();
  const std::string draft = path + ".new";
  ::unlink(draft.c_str());
  const File file(::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  const bool written = file.get() >= 0 &&
                       ::write(file.get(), key.data(), key.size()) == std::ssize(key) &&
                       ::fsync(file.get()) == 0 && ::rename(draft.c_str(), path.c_str()) == 0;
  if (!written) return unusable(path, std::string("cannot be created: ") + std::strerror(errno));
  return key;
}

Result<std::string> read_key(const std::string& path) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.get() < 0) return unusable(path, std::string("cannot be read: ") + std::strerror(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || (status.st_mode & 077) != 0) {
    return unusable(path, "can be read by other users; run chmod 600 on it");
  }
  std::array<char, key_length> bytes{};
  if (::read(file.get(), bytes.data(), bytes.size()) != std::ssize(bytes)) {
    return unusable(path, "is damaged; remove it, after which all users must sign in again");
  }
  return std::string(bytes.data(), bytes.size());
}

}  // namespace

Result<std::string> session_key(const Settings& settings) {
  const std::string token_key = settings.text("token-key");
  if (!token_key.empty()) return keyed_hash(token_key, "session key");
  const std::string store = settings.text("store");
  if (!store.starts_with(sqlite)) return std::string();
  const std::string path = store.substr(sqlite.size()) + ".key";
  if (::access(path.c_str(), F_OK) == 0) return read_key(path);
  return make_key(path);
}

}  // namespace longshore
