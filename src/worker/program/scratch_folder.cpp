#include "worker/program/scratch_folder.h"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace longshore {
namespace {

namespace fs = std::filesystem;

// A program may have removed the permissions of its folders.
void open_up(const fs::path& path) {
  std::error_code ignored;
  fs::permissions(path, fs::perms::owner_all, fs::perm_options::add, ignored);
  for (fs::directory_iterator at(path, ignored), end; !ignored && at != end;
       at.increment(ignored)) {
    if (at->symlink_status(ignored).type() == fs::file_type::directory) open_up(at->path());
  }
}

}  // namespace

Result<ScratchFolder> ScratchFolder::make(const std::string& parent) {
  std::error_code fault;
  const fs::path where = parent.empty() ? fs::temp_directory_path(fault) : fs::path(parent);
  std::string path = (fs::absolute(fault ? "/tmp" : where, fault) / "longshore-XXXXXX").string();
  if (::mkdtemp(path.data()) != nullptr) return ScratchFolder(std::move(path));
  return Error{Errc::invalid,
               "cannot create a folder in " + where.string() + ": " + std::strerror(errno)};
}

ScratchFolder::~ScratchFolder() {
  if (path_.empty()) return;
  std::error_code fault;
  fs::remove_all(path_, fault);
  // Root needs no permissions, and must not change those of a link's target.
  if (!fault || ::geteuid() == 0) return;
  open_up(path_);
  fs::remove_all(path_, fault);
}

Result<Nothing> try_scratch_folder(const std::string& parent) {
  if (Result<ScratchFolder> made = ScratchFolder::make(parent); !made) return made.error();
  return Nothing();
}

}  // namespace longshore
