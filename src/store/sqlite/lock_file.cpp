#include "store/sqlite/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/time_text.h"

namespace longshore::sqlite {
namespace {

std::string read_some(int descriptor) {
  std::array<char, 512> text;
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  if (size <= 0) return "";
  std::string words(text.data(), static_cast<std::size_t>(size));
  return words.substr(0, words.find('\n'));
}

std::string program_name() {
  const int descriptor = ::open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return "unknown";
  const std::string name = read_some(descriptor);
  ::close(descriptor);
  return name.empty() ? "unknown" : name;
}

void sign(int descriptor, Instant now) {
  const std::string text = "process " + std::to_string(::getpid()) + " (" + program_name() +
                           ") since " + to_text(now) + "\n";
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
    const std::string holder = read_some(descriptor);
    return Error{.code = Errc::refused,
                 .message = path + " is held by " + (holder.empty() ? "another process" : holder) +
                            "; stop it, or talk to it instead of opening its store"};
  }
  sign(descriptor, now);
  return lock;
}

LockFile::LockFile(LockFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

LockFile::~LockFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace longshore::sqlite
