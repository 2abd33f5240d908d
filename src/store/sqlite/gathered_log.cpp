#include "store/sqlite/gathered_log.h"

#include <cstdint>
#include <memory>
#include <new>

namespace longshore::sqlite {
namespace {

// A transaction that is larger goes to the file in several pieces. SQLite's own VFS takes less than
// 128 KiB in one call, which is the most that its pages come to.
constexpr std::size_t gathered_max = 64 * 1024;
constexpr std::size_t page_max = 64 * 1024;
static_assert(gathered_max + page_max <= 128 * 1024);

// The log as SQLite sees it; the base's own file lies behind it in memory.
struct LogFile : sqlite3_file {
  std::string gathered;  // belongs at `begin`, right behind one another
  sqlite3_int64 begin = 0;

  sqlite3_file* inner() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  sqlite3_int64 end() const { return begin + static_cast<sqlite3_int64>(gathered.size()); }

  // What could not be written is gone, as after a failed write: SQLite takes the transaction back.
  int flush() {
    if (gathered.empty()) return SQLITE_OK;
    const int code = inner()->pMethods->xWrite(inner(), gathered.data(),
                                               static_cast<int>(gathered.size()), begin);
    gathered.clear();
    return code;
  }
};

LogFile& log_of(sqlite3_file* file) { return *static_cast<LogFile*>(file); }

// Calls the base's method of that name once everything is written.
template <auto method, class... Arguments>
int after_flush(sqlite3_file* file, Arguments... arguments) {
  LogFile& log = log_of(file);
  if (const int code = log.flush(); code != SQLITE_OK) return code;
  return (log.inner()->pMethods->*method)(log.inner(), arguments...);
}

template <auto method, class... Arguments>
int forward(sqlite3_file* file, Arguments... arguments) {
  LogFile& log = log_of(file);
  return (log.inner()->pMethods->*method)(log.inner(), arguments...);
}

int close_log(sqlite3_file* file) {
  LogFile& log = log_of(file);
  const int flushed = log.flush();
  const int closed = log.inner()->pMethods->xClose(log.inner());
  std::destroy_at(&log);
  return flushed != SQLITE_OK ? flushed : closed;
}

int write_log(sqlite3_file* file, const void* data, int size, sqlite3_int64 at) {
  LogFile& log = log_of(file);
  const bool goes_on = at == log.end() && log.gathered.size() < gathered_max;
  if (!goes_on) {
    if (const int code = log.flush(); code != SQLITE_OK) return code;
    log.begin = at;
  }
  log.gathered.append(static_cast<const char*>(data), static_cast<std::size_t>(size));
  return SQLITE_OK;
}

// A transaction too large for the cache reads back what it wrote.
int read_log(sqlite3_file* file, void* data, int size, sqlite3_int64 at) {
  LogFile& log = log_of(file);
  const bool elsewhere = at + size <= log.begin || at >= log.end();
  if (!elsewhere) {
    if (const int code = log.flush(); code != SQLITE_OK) return code;
  }
  return log.inner()->pMethods->xRead(log.inner(), data, size, at);
}

using Methods = sqlite3_io_methods;

const Methods log_methods = {.iVersion = 1,  // a log has no shared memory and is not mapped
                             .xClose = close_log,
                             .xRead = read_log,
                             .xWrite = write_log,
                             .xTruncate = after_flush<&Methods::xTruncate, sqlite3_int64>,
                             .xSync = after_flush<&Methods::xSync, int>,
                             .xFileSize = after_flush<&Methods::xFileSize, sqlite3_int64*>,
                             .xLock = forward<&Methods::xLock, int>,
                             .xUnlock = forward<&Methods::xUnlock, int>,
                             .xCheckReservedLock = forward<&Methods::xCheckReservedLock, int*>,
                             .xFileControl = forward<&Methods::xFileControl, int, void*>,
                             .xSectorSize = forward<&Methods::xSectorSize>,
                             .xDeviceCharacteristics = forward<&Methods::xDeviceCharacteristics>};

}  // namespace

GatheredLog::GatheredLog(const std::string& base)
    : name_("longshore-log-" + std::to_string(reinterpret_cast<std::uintptr_t>(this))) {
  sqlite3_vfs* found = sqlite3_vfs_find(base.empty() ? nullptr : base.c_str());
  if (found == nullptr) return;  // opening by a name that nobody knows says so
  static_cast<sqlite3_vfs&>(vfs_) = *found;
  vfs_.base = found;
  vfs_.szOsFile = static_cast<int>(sizeof(LogFile)) + found->szOsFile;
  vfs_.zName = name_.c_str();
  vfs_.pNext = nullptr;
  vfs_.xOpen = open;
  sqlite3_vfs_register(&vfs_, 0);
}

GatheredLog::~GatheredLog() {
  if (vfs_.base != nullptr) sqlite3_vfs_unregister(&vfs_);
}

int GatheredLog::open(sqlite3_vfs* self, const char* path, sqlite3_file* file, int flags,
                      int* actual) {
  sqlite3_vfs* base = static_cast<Registered*>(self)->base;
  if ((flags & SQLITE_OPEN_WAL) == 0) return base->xOpen(base, path, file, flags, actual);
  auto* log = new (file) LogFile();
  const int code = base->xOpen(base, path, log->inner(), flags, actual);
  if (code == SQLITE_OK) {
    log->pMethods = &log_methods;
    return code;
  }
  // SQLite closes whatever has methods, also after a failure.
  if (log->inner()->pMethods != nullptr) log->inner()->pMethods->xClose(log->inner());
  std::destroy_at(log);
  file->pMethods = nullptr;
  return code;
}

}  // namespace longshore::sqlite
