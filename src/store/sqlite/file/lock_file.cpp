#include "store/sqlite/file/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/text/time_text.h"

namespace longshore::sqlite {
namespace {

// The last line, once there is a database.
constexpr std::string_view made_line = "database made\n";

std::string read_all(int descriptor) {
  std::array<char, 512> text;
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  return size <= 0 ? "" : std::string(text.data(), static_cast<std::size_t>(size));
}

std::string read_line(int descriptor) {
  const std::string words = read_all(descriptor);
  return words.substr(0, words.find('\n'));
}

std::string program_name() {
  const int descriptor = ::open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return "unknown";
  const std::string name = read_line(descriptor);
  ::close(descriptor);
  return name.empty() ? "unknown" : name;
}

void sign(int descriptor, Instant now, bool made) {
  std::string text = "process " + std::to_string(::getpid()) + " (" + program_name() + ") since " +
                     to_text(now) + "\n";
  if (made) text += made_line;
  // The words are a courtesy; the lock does not depend on them.
  if (::ftruncate(descriptor, 0) != 0) return;
  [[maybe_unused]] const ssize_t written = ::pwrite(descriptor, text.data(), text.size(), 0);
}

}  // namespace

Result<LockFile> LockFile::take(const std::string& path, Instant now) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return Error{.code = Errc::refused,
                 .message = "cannot write " + path + ": " + std::strerror(errno) +
                            "; give the user who runs Longshore write access to its directory"};
  }
  LockFile lock(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const std::string holder = read_line(descriptor);
    return Error{.code = Errc::refused,
                 .message = path + " is held by " + (holder.empty() ? "another process" : holder) +
                            "; stop it, or talk to it instead of opening its store"};
  }
  lock.was_made_ = read_all(descriptor).ends_with(made_line);
  sign(descriptor, now, lock.was_made_);
  return lock;
}

void LockFile::note_made() {
  if (std::exchange(was_made_, true)) return;
  const off_t end = ::lseek(descriptor_, 0, SEEK_END);
  [[maybe_unused]] const ssize_t written =
      ::pwrite(descriptor_, made_line.data(), made_line.size(), end);
}

LockFile::LockFile(LockFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), was_made_(other.was_made_) {}

LockFile::~LockFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace longshore::sqlite
