#include "store/sqlite/file/file_guard.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include "core/sync/mutex.h"

namespace longshore::sqlite {
namespace {

std::int64_t size_of(const std::string& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0 ? about.st_size : -1;
}

// SQLite keeps its log beside the file that a symbolic link leads to.
std::string resolved(const std::string& path) {
  std::array<char, PATH_MAX> buffer;
  const char* real = ::realpath(path.c_str(), buffer.data());
  return real != nullptr ? real : path;
}

// How long the file is by its own header; 0 if it does not say.
std::int64_t size_by_header(int descriptor) {
  std::array<unsigned char, 32> header{};
  const ssize_t got = ::pread(descriptor, header.data(), header.size(), 0);
  if (got < static_cast<ssize_t>(header.size())) return 0;
  // Whatever else it is, SQLite refuses it with better words.
  constexpr std::string_view magic("SQLite format 3\0", 16);
  if (std::memcmp(header.data(), magic.data(), magic.size()) != 0) return 0;
  const std::int64_t page = header[16] * 256 + header[17];
  std::int64_t pages = 0;
  for (std::size_t i = 28; i < 32; ++i) pages = pages * 256 + header[i];
  return (page == 1 ? 65536 : page) * pages;
}

Error lost(const std::string& what) { return {.code = Errc::corrupt, .message = what}; }

}  // namespace

Result<Nothing> check_presence(const std::string& path, bool was_made) {
  const std::int64_t size = size_of(path);
  if (size > 0) return Nothing{};
  std::string beside;
  if (size_of(resolved(path) + "-wal") > 0) beside = path + "-wal";
  if (was_made) beside = path + ".lock";
  if (size_of(path + ".key") >= 0) beside = path + ".key";
  if (beside.empty()) return Nothing{};
  return lost(path + (size < 0 ? " is missing" : " is empty") + ", but " + beside +
              " shows that there was a store; restore the file or a backup. To begin with an empty "
              "store, remove every file whose name begins with " +
              path);
}

// A second descriptor of a file must not be closed while SQLite has locks on it, so a file that
// this process holds is not even opened.
class FileGuard::Held {
 public:
  static bool add(const Identity& identity) {
    MutexLock lock(instance().mutex_);
    return instance().all_.insert(identity).second;
  }
  static void remove(const Identity& identity) {
    MutexLock lock(instance().mutex_);
    instance().all_.erase(identity);
  }

 private:
  static Held& instance() {
    static Held held;
    return held;
  }

  Mutex mutex_;
  std::set<Identity> all_ LONGSHORE_GUARDED_BY(mutex_);
};

Result<std::unique_ptr<FileGuard>> FileGuard::hold(const std::string& path) {
  const Error held{.code = Errc::refused,
                   .message = path +
                              " is held by another process, perhaps under another name; "
                              "stop it, or talk to it instead of opening its store"};
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) {
    return Error{.code = Errc::refused,
                 .message = "cannot open " + path + ": " + std::strerror(errno)};
  }
  if (about.st_nlink > 1) {
    return Error{.code = Errc::refused,
                 .message = path + " has " + std::to_string(about.st_nlink) +
                            " names (hard links), and SQLite keeps its log beside one of them; "
                            "remove the others, or use a copy of the file"};
  }
  const Identity identity{.device = about.st_dev, .file = about.st_ino};
  if (!Held::add(identity)) return held;
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  const bool locked = descriptor >= 0 && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  if (locked) {
    std::unique_ptr<FileGuard> guard(
        new FileGuard(path, resolved(path) + "-wal", descriptor, identity));
    // After a crash the log has the rest.
    const std::int64_t expected = size_of(guard->log_path_) > 0 ? 0 : size_by_header(descriptor);
    if (about.st_size >= expected) return guard;
    return lost(path + " was cut short: it has " + std::to_string(about.st_size) + " of " +
                std::to_string(expected) + " bytes; restore a backup");
  }
  const Error error = descriptor >= 0
                          ? held
                          : Error{.code = Errc::refused,
                                  .message = path + " cannot be written: " + std::strerror(errno) +
                                             "; give the user who runs Longshore write access to "
                                             "the file and its directory"};
  if (descriptor >= 0) ::close(descriptor);
  Held::remove(identity);
  return error;
}

FileGuard::FileGuard(std::string path, std::string log, int descriptor, Identity identity)
    : path_(std::move(path)),
      log_path_(std::move(log)),
      descriptor_(descriptor),
      identity_(identity) {}

FileGuard::~FileGuard() {
  ::close(descriptor_);
  Held::remove(identity_);
}

std::optional<std::string> FileGuard::fault() {
  const auto same = [](const struct stat& about, const Identity& known) {
    return Identity{.device = about.st_dev, .file = about.st_ino} == known;
  };
  struct stat about {};
  if (::stat(path_.c_str(), &about) != 0) return path_ + " was removed";
  if (!same(about, identity_)) return path_ + " was replaced by another file";
  if (about.st_size < size_) return path_ + " was cut short";
  size_ = about.st_size;
  const bool has_log = ::stat(log_path_.c_str(), &about) == 0;
  if (!log_ && has_log) log_ = Identity{.device = about.st_dev, .file = about.st_ino};
  if (log_ && !has_log) return log_path_ + " was removed";
  if (log_ && !same(about, *log_)) return log_path_ + " was replaced by another file";
  return std::nullopt;
}

}  // namespace longshore::sqlite
