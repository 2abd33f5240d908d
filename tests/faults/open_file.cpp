#include "faults/open_file.h"

#include <cstring>
#include <utility>

#include "core/assert.h"

namespace longshore::faults {
namespace {

std::size_t to_size(sqlite3_int64 number) { return static_cast<std::size_t>(number); }

// SQLite's own VFS silently truncates larger requests, so they must not occur.
constexpr int bytes_at_once_max = 0x1FFFF;

// The struct that SQLite passes around; it owns the first member.
struct Handle {
  sqlite3_file base;
  OpenFile* file;
};

OpenFile& file_of(sqlite3_file* base) { return *reinterpret_cast<Handle*>(base)->file; }

int close(sqlite3_file* base) {
  delete std::exchange(reinterpret_cast<Handle*>(base)->file, nullptr);
  return SQLITE_OK;
}

// Every method in SQLite's order. Version 2 has shared memory and no memory mapping.
const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = close,
    .xRead = [](sqlite3_file* f, void* into, int n,
                sqlite3_int64 at) { return file_of(f).read(into, n, at); },
    .xWrite = [](sqlite3_file* f, const void* from, int n,
                 sqlite3_int64 at) { return file_of(f).write(from, n, at); },
    .xTruncate = [](sqlite3_file* f, sqlite3_int64 n) { return file_of(f).truncate(n); },
    .xSync = [](sqlite3_file* f, int) { return file_of(f).sync(); },
    .xFileSize = [](sqlite3_file* f, sqlite3_int64* n) { return file_of(f).size(n); },
    .xLock = [](sqlite3_file* f, int level) { return file_of(f).lock(level); },
    .xUnlock = [](sqlite3_file* f, int level) { return file_of(f).unlock(level); },
    .xCheckReservedLock = [](sqlite3_file* f, int* yes) { return file_of(f).check_reserved(yes); },
    .xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; },
    .xSectorSize = [](sqlite3_file*) { return 4096; },
    .xDeviceCharacteristics = [](sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; },
    .xShmMap = [](sqlite3_file* f, int region, int n, int extend,
                  void volatile** to) { return file_of(f).shm_map(region, n, extend, to); },
    .xShmLock = [](sqlite3_file* f, int offset, int n,
                   int flags) { return file_of(f).shm_lock(offset, n, flags); },
    .xShmBarrier = [](sqlite3_file* f) { file_of(f).shm_barrier(); },
    .xShmUnmap = [](sqlite3_file* f, int) { return file_of(f).shm_unmap(); },
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

}  // namespace

OpenFile::OpenFile(Machine& machine, std::shared_ptr<DiskFile> file,
                   std::shared_ptr<ProcessState> state, Traits traits)
    : machine_(machine),
      file_(std::move(file)),
      state_(std::move(state)),
      traits_(std::move(traits)) {}

OpenFile::~OpenFile() {
  const MutexLock lock(machine_.mutex);
  state_->locks.unlock(this, SQLITE_LOCK_NONE);
  state_->memory.leave(this);
  if (!traits_.remove_at_close.empty()) machine_.disk.remove(traits_.remove_at_close);
}

void OpenFile::attach(sqlite3_file* into, std::unique_ptr<OpenFile> file) {
  auto* handle = reinterpret_cast<Handle*>(into);
  handle->base.pMethods = &methods;
  handle->file = file.release();
}

int OpenFile::handle_bytes() { return sizeof(Handle); }

int OpenFile::read(void* into, int bytes, sqlite3_int64 offset) {
  LONGSHORE_ASSERT(bytes <= bytes_at_once_max, "SQLite's own VFS reads this in one piece");
  const MutexLock lock(machine_.mutex);
  if (machine_.plan.next_fault(Call::read)) return SQLITE_IOERR_READ;
  const std::span<char> target(static_cast<char*>(into), to_size(bytes));
  const std::size_t count = file_->read(to_size(offset), target);
  if (count == target.size()) return SQLITE_OK;
  std::memset(target.data() + count, 0, target.size() - count);
  return SQLITE_IOERR_SHORT_READ;
}

int OpenFile::write(const void* from, int bytes, sqlite3_int64 offset) {
  LONGSHORE_ASSERT(bytes <= bytes_at_once_max, "SQLite's own VFS writes this in one piece");
  const MutexLock lock(machine_.mutex);
  const std::optional<FaultKind> fault = machine_.plan.next_fault(Call::write);
  if (!fault || fault == FaultKind::power_cut) {
    file_->write(to_size(offset), {static_cast<const char*>(from), to_size(bytes)});
  }
  if (fault == FaultKind::torn_write ||
      (fault == FaultKind::disk_full && machine_.random.chance(0.5))) {
    write_part(from, bytes, offset);
  }
  if (!fault) return SQLITE_OK;
  return fault == FaultKind::disk_full ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

// Writes the front of it, like a short write(2).
void OpenFile::write_part(const void* from, int bytes, sqlite3_int64 offset) {
  const auto part = machine_.random.below(static_cast<std::uint64_t>(bytes));
  file_->write(to_size(offset), {static_cast<const char*>(from), static_cast<std::size_t>(part)});
}

int OpenFile::truncate(sqlite3_int64 size) {
  const MutexLock lock(machine_.mutex);
  const std::optional<FaultKind> fault = machine_.plan.next_fault(Call::truncate);
  if (!fault || fault == FaultKind::power_cut) file_->truncate(to_size(size));
  return fault ? SQLITE_IOERR_TRUNCATE : SQLITE_OK;
}

int OpenFile::sync() {
  const MutexLock lock(machine_.mutex);
  if (const std::optional<FaultKind> fault = machine_.plan.next_fault(Call::sync)) {
    if (fault == FaultKind::sync_error) file_->fail_sync(machine_.random);
    return SQLITE_IOERR_FSYNC;
  }
  if (machine_.ignore_syncs) return SQLITE_OK;
  file_->sync();
  if (std::exchange(traits_.syncs_directory, false)) machine_.disk.sync_directory();
  return SQLITE_OK;
}

int OpenFile::size(sqlite3_int64* bytes) {
  const MutexLock lock(machine_.mutex);
  if (machine_.plan.next_fault(Call::size)) return SQLITE_IOERR_FSTAT;
  *bytes = static_cast<sqlite3_int64>(file_->size());
  return SQLITE_OK;
}

int OpenFile::lock(int level) {
  const MutexLock lock(machine_.mutex);
  if (const std::optional<FaultKind> fault = machine_.plan.next_fault(Call::lock)) {
    return fault == FaultKind::lock_busy ? SQLITE_BUSY : SQLITE_IOERR_LOCK;
  }
  return state_->locks.lock(this, level) ? SQLITE_OK : SQLITE_BUSY;
}

int OpenFile::unlock(int level) {
  const MutexLock lock(machine_.mutex);
  state_->locks.unlock(this, level);
  return SQLITE_OK;
}

int OpenFile::check_reserved(int* reserved) {
  const MutexLock lock(machine_.mutex);
  *reserved = state_->locks.reserved() ? 1 : 0;
  return SQLITE_OK;
}

int OpenFile::shm_map(int region, int bytes, int extend, void volatile** memory) {
  const MutexLock lock(machine_.mutex);
  *memory = nullptr;
  if (machine_.plan.next_fault(Call::shm_map)) return SQLITE_IOERR_SHMMAP;
  *memory = state_->memory.map(this, to_size(region), to_size(bytes), extend != 0);
  return SQLITE_OK;
}

int OpenFile::shm_lock(int offset, int count, int flags) {
  const MutexLock lock(machine_.mutex);
  const unsigned mask = ((1U << static_cast<unsigned>(count)) - 1U)
                        << static_cast<unsigned>(offset);
  if ((flags & SQLITE_SHM_UNLOCK) != 0) {
    state_->memory.unlock(this, mask);
    return SQLITE_OK;
  }
  if (const std::optional<FaultKind> fault = machine_.plan.next_fault(Call::shm_lock)) {
    return fault == FaultKind::lock_busy ? SQLITE_BUSY : SQLITE_IOERR_SHMLOCK;
  }
  const bool exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
  return state_->memory.lock(this, mask, exclusive) ? SQLITE_OK : SQLITE_BUSY;
}

void OpenFile::shm_barrier() { const MutexLock lock(machine_.mutex); }

int OpenFile::shm_unmap() {
  const MutexLock lock(machine_.mutex);
  state_->memory.leave(this);
  return SQLITE_OK;
}

}  // namespace longshore::faults
