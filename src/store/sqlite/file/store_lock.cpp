#include "store/sqlite/file/store_lock.h"

#include <utility>

#include "store/sqlite/file/connection.h"
#include "store/sqlite/file/file_system.h"

namespace longshore::sqlite {

Result<StoreLock> hold(const std::string& path, bool is_real, Instant now) {
  if (const auto good = check_directory(path); !good) return good.error();
  auto lock = LockFile::take(path + ".lock", now);
  if (!lock) return lock.error();
  StoreLock held{.lock = std::move(*lock), .file = nullptr};
  if (!is_real) return held;
  const auto there = check_presence(path, held.lock.was_made());
  if (!there) return there.error();
  make_private(path);
  auto file = FileGuard::hold(path);
  if (!file) return file.error();
  held.file = std::move(*file);
  return held;
}

}  // namespace longshore::sqlite
