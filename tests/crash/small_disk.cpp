#include "crash/small_disk.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace longshore::crash {

SmallDisk::SmallDisk(const std::string& directory, int megabytes) : directory_(directory) {
  const int flags = ::geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER;
  const std::string size = fmt::format("size={}m", megabytes);
  // A mount that is not private would be visible outside, and stay.
  if (::unshare(flags) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
      ::mount("tmpfs", directory.c_str(), "tmpfs", 0, size.c_str()) == 0) {
    return;
  }
  problem_ = fmt::format("cannot mount a small disk; this needs root or user namespaces: {}",
                         std::strerror(errno));
}

SmallDisk::~SmallDisk() {
  if (problem_.empty()) ::umount2(directory_.c_str(), MNT_DETACH);
}

Ballast::Ballast(const std::string& directory, long long left) : path_(directory + "/ballast") {
  struct statvfs about {};
  ::statvfs(directory.c_str(), &about);
  const auto free = static_cast<long long>(about.f_bavail * about.f_frsize);
  const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (free > left) ::posix_fallocate(file, 0, static_cast<off_t>(free - left));
  ::close(file);
}

void Ballast::remove() { ::unlink(path_.c_str()); }

}  // namespace longshore::crash
