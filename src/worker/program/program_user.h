// The user that programs run as, where that is another than the worker's own.
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

// Errc::invalid if there is no such user, if it is root, or if this process is not root and so may
// become nobody else.
Result<ProgramUser> find_program_user(const std::string& name);

// Hands a file or folder over. Links are not followed.
Result<Nothing> give_to(const ProgramUser& user, const std::string& path);

// For the calling process alone, without a way back. False, with errno, if it may not. Safe in a
// child that shares its parent's memory.
bool become_user(uid_t user, gid_t group, const gid_t* groups, std::size_t count);

}  // namespace longshore
