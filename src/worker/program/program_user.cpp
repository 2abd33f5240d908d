#include "worker/program/program_user.h"

#include <grp.h>
#include <pwd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace longshore {
namespace {

Error invalid_user(const std::string& name, const std::string& why) {
  return {Errc::invalid, "programs.user \"" + name + "\": " + why};
}

std::vector<gid_t> groups_of(const std::string& name, gid_t first) {
  int count = 64;
  std::vector<gid_t> groups(static_cast<std::size_t>(count));
  while (::getgrouplist(name.c_str(), first, groups.data(), &count) < 0) {
    groups.resize(static_cast<std::size_t>(count));
  }
  groups.resize(static_cast<std::size_t>(count));
  return groups;
}

}  // namespace

Result<ProgramUser> find_program_user(const std::string& name) {
  if (::geteuid() != 0) {
    return invalid_user(name,
                        "only a worker that runs as root can run programs as another user; "
                        "start it as root, or leave programs.user out");
  }
  struct passwd entry = {};
  struct passwd* found = nullptr;
  std::array<char, 16 * 1024> texts;
  const int fault = ::getpwnam_r(name.c_str(), &entry, texts.data(), texts.size(), &found);
  if (fault != 0) return invalid_user(name, std::strerror(fault));
  if (found == nullptr) return invalid_user(name, "no such user on this machine");
  if (found->pw_uid == 0) return invalid_user(name, "programs must not run as root");
  return ProgramUser{.name = name,
                     .id = found->pw_uid,
                     .group = found->pw_gid,
                     .groups = groups_of(name, found->pw_gid),
                     .home = found->pw_dir};
}

Result<Nothing> change_owner(const ProgramUser& user, const std::string& path) {
  if (::lchown(path.c_str(), user.id, user.group) == 0) return Nothing();
  return Error{Errc::invalid,
               "cannot give " + path + " to " + user.name + ": " + std::strerror(errno)};
}

// Not with the C library's functions: they would change every thread that they know of, which
// in this child are those of its parent.
bool become_user(uid_t user, gid_t group, const gid_t* groups, std::size_t count) {
  return ::syscall(SYS_setgroups, count, groups) == 0 &&
         ::syscall(SYS_setresgid, group, group, group) == 0 &&
         ::syscall(SYS_setresuid, user, user, user) == 0;
}

}  // namespace longshore
