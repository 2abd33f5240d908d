#include "worker/program/program_cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <sstream>

namespace longshore {
namespace {

// Where cgroup v2 is mounted; empty: it is not. See proc(5), mountinfo.
std::string mount_point() {
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    if (line.find(" - cgroup2 ") == std::string::npos) continue;
    std::istringstream fields(line);
    std::string id, parent, device, root, point;
    fields >> id >> parent >> device >> root >> point;
    return point;
  }
  return "";
}

// The directory of this process's cgroup.
std::string own_group() {
  const std::string mount = mount_point();
  if (mount.empty()) return "";
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.starts_with("0::/")) return mount + (line.size() == 4 ? "" : line.substr(3));
  }
  return "";
}

bool can_be_killed(const std::string& group) {
  if (::mkdir(group.c_str(), 0700) != 0) return false;
  const bool can = ::access((group + "/cgroup.kill").c_str(), W_OK) == 0 &&
                   ::access((group + "/cgroup.procs").c_str(), W_OK) == 0;
  ::rmdir(group.c_str());
  return can;
}

std::string group_prefix() {
  const std::string own = own_group();
  if (own.empty()) return "";
  std::string prefix = own + "/longshore-" + std::to_string(::getpid()) + "-";
  return can_be_killed(prefix + "0") ? prefix : "";
}

}  // namespace

ProgramCgroup next_program_cgroup() {
  static const std::string prefix = group_prefix();
  static std::atomic<std::uint64_t> number = 0;
  if (prefix.empty()) return {};
  const std::string folder = prefix + std::to_string(++number);
  return {.folder = folder, .procs = folder + "/cgroup.procs", .kill = folder + "/cgroup.kill"};
}

bool write_cgroup(const char* file, const char* word) {
  const int opened = ::open(file, O_WRONLY | O_CLOEXEC);
  if (opened < 0) return false;
  const std::size_t length = std::strlen(word);
  const bool written = ::write(opened, word, length) == static_cast<ssize_t>(length);
  ::close(opened);
  return written;
}

}  // namespace longshore
