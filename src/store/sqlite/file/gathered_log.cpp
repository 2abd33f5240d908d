#include "store/sqlite/file/gathered_log.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>

namespace longshore::sqlite {
namespace {

// What SQLite writes before each page of the log: which page it is, whether a transaction ends with
// it, and checksums of all that came before and of the page.
constexpr std::size_t mark_size = 24;
// A transaction that is larger goes to the file in several pieces.
constexpr std::size_t gathered_max = 48 * 1024;
// SQLite's own VFS writes less than 128 KiB in one call.
constexpr std::size_t piece_max = 128 * 1024 - 1;

// The log as SQLite sees it; the base's own file lies behind it in memory.
struct LogFile : sqlite3_file {
  std::string gathered;  // belongs at `begin`
  sqlite3_int64 begin = 0;
  std::optional<std::size_t> mark;  // where in it the mark of the last page is

  sqlite3_file* inner() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  sqlite3_int64 end() const { return begin + static_cast<sqlite3_int64>(gathered.size()); }

  // The last mark is written last. A write may fail after a part of it, and where most of a page is
  // as it was in an older log at the same place, a part may be the whole; without its mark it still
  // is no commit. What could not be written is gone, as after any failed write: SQLite takes the
  // transaction back.
  int flush() {
    const std::size_t last = mark.value_or(gathered.size());
    const std::size_t page = std::min(last + mark_size, gathered.size());
    int code = put(0, last);
    if (code == SQLITE_OK) code = put(page, gathered.size());
    if (code == SQLITE_OK) code = put(last, page);
    forget();
    return code;
  }
  // The same for the beginning of a transaction, which is no commit yet.
  int flush_beginning() {
    const int code = put(0, gathered.size());
    forget();
    return code;
  }

 private:
  int put(std::size_t from, std::size_t to) {
    if (from == to) return SQLITE_OK;
    return inner()->pMethods->xWrite(inner(), gathered.data() + from, static_cast<int>(to - from),
                                     begin + static_cast<sqlite3_int64>(from));
  }
  void forget() {
    gathered.clear();
    mark.reset();
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

// Whether what is gathered has to be written before so much more is. A page stays with its mark.
bool is_full(const LogFile& log, std::size_t more) {
  return more == mark_size ? log.gathered.size() >= gathered_max
                           : log.gathered.size() + more > piece_max;
}

int write_log(sqlite3_file* file, const void* data, int bytes, sqlite3_int64 at) {
  LogFile& log = log_of(file);
  const auto size = static_cast<std::size_t>(bytes);
  int code = SQLITE_OK;
  if (at != log.end()) {
    code = log.flush();
    log.begin = at;
  } else if (is_full(log, size)) {
    code = log.flush_beginning();
    log.begin = at;
  }
  if (code != SQLITE_OK) return code;
  if (size == mark_size) log.mark = log.gathered.size();
  log.gathered.append(static_cast<const char*>(data), size);
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
