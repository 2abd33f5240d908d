#include "store/sqlite/file/disk_guard.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <utility>

namespace longshore::sqlite {

DiskGuard::DiskGuard(std::string path, std::int64_t bytes) : path_(std::move(path)), bytes_(bytes) {
  if (bytes_ > 0) reserve();
}

bool DiskGuard::reserve() {
  const int descriptor = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return false;
  holds_ = ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes_)) == 0;
  ::close(descriptor);
  // Half a reserve would take the room it is meant to save.
  if (!holds_) ::unlink(path_.c_str());
  return holds_;
}

void DiskGuard::give_up() {
  if (!std::exchange(holds_, false)) return;
  ::unlink(path_.c_str());
}

bool DiskGuard::restore() {
  if (holds_ || bytes_ == 0) return true;
  const std::string directory = path_.substr(0, path_.rfind('/') + 1);
  struct statvfs about {};
  if (::statvfs(directory.empty() ? "." : directory.c_str(), &about) != 0) return false;
  const auto free = static_cast<std::int64_t>(about.f_bavail * about.f_frsize);
  return free >= 2 * bytes_ && reserve();
}

}  // namespace longshore::sqlite
