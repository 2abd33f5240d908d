// What keeps other processes away from a store: its lock file, which says who has the store, and
// the file itself, whatever names lead to it.
#pragma once

#include <memory>
#include <string>

#include "longshore/error.h"
#include "longshore/time.h"
#include "store/sqlite/file/file_guard.h"
#include "store/sqlite/file/lock_file.h"

namespace longshore::sqlite {

// Must outlive every connection to the store.
struct StoreLock {
  LockFile lock;
  std::unique_ptr<FileGuard> file;  // null on a file system of SQLite's own
};

// Makes the file, empty, if there has never been one; `is_real`: it is one of the system's. The
// errors are those of check_directory(), LockFile, check_presence() and FileGuard.
Result<StoreLock> hold(const std::string& path, bool is_real, Instant now);

}  // namespace longshore::sqlite
