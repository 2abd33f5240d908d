// The user that programs run as, if it is not the worker's user.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "longshore/error.h"

namespace longshore {

struct ProgramUser {
  std::string name;
  uid_t id = 0;
  gid_t group = 0;
  std::vector<gid_t> groups;
  std::string home;
};

// Errc::invalid if there is no such user, if it is root, or if this process is not root and so
// cannot switch users.
Result<ProgramUser> find_program_user(const std::string& name);

// Changes the owner. Symbolic links are not followed.
Result<Nothing> change_owner(const ProgramUser& user, const std::string& path);

// For the calling process, irrevocably. False, with errno, on failure. Safe in a child that shares
// its parent's memory.
bool become_user(uid_t user, gid_t group, const gid_t* groups, std::size_t count);

}  // namespace longshore
