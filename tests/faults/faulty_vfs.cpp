#include "faults/faulty_vfs.h"

#include <fmt/format.h>

#include <cstring>

#include "faults/open_file.h"

namespace longshore::faults {
namespace {

Machine& machine_of(sqlite3_vfs* vfs) { return *static_cast<Machine*>(vfs->pAppData); }

std::shared_ptr<ProcessState> state_of(Machine& machine, const std::shared_ptr<DiskFile>& file) {
  std::weak_ptr<ProcessState>& known = machine.states[file.get()];
  std::shared_ptr<ProcessState> state = known.lock();
  if (state == nullptr) known = state = std::make_shared<ProcessState>();
  return state;
}

int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* into, int flags, int* flags_out) {
  into->pMethods = nullptr;
  Machine& machine = machine_of(vfs);
  const MutexLock lock(machine.mutex);
  if (machine.plan.next_fault(Call::open)) return SQLITE_CANTOPEN;
  // A temporary file has no name and no directory entry.
  std::shared_ptr<DiskFile> file =
      name == nullptr ? std::make_shared<DiskFile>() : machine.disk.find(name);
  const bool created = file == nullptr;
  if (created && (flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
  if (created) file = machine.disk.create(name);
  OpenFile::Traits traits;
  // As on Linux: the first sync of a log or journal that may have been created here.
  traits.syncs_directory = (flags & SQLITE_OPEN_CREATE) != 0 &&
                           (flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL)) != 0;
  if (name != nullptr && (flags & SQLITE_OPEN_DELETEONCLOSE) != 0) traits.remove_at_close = name;
  OpenFile::attach(
      into, std::make_unique<OpenFile>(machine, file, state_of(machine, file), std::move(traits)));
  if (flags_out != nullptr) *flags_out = flags;
  return SQLITE_OK;
}

int remove(sqlite3_vfs* vfs, const char* name, int sync_directory) {
  Machine& machine = machine_of(vfs);
  const MutexLock lock(machine.mutex);
  const std::optional<FaultKind> fault = machine.plan.next_fault(Call::remove);
  if (fault && fault != FaultKind::power_cut) return SQLITE_IOERR_DELETE;
  if (machine.disk.find(name) == nullptr) return SQLITE_IOERR_DELETE_NOENT;
  machine.disk.remove(name);
  if (fault) return SQLITE_IOERR_DELETE;
  if (sync_directory != 0) machine.disk.sync_directory();
  return SQLITE_OK;
}

int access(sqlite3_vfs* vfs, const char* name, int flags, int* yes) {
  Machine& machine = machine_of(vfs);
  const MutexLock lock(machine.mutex);
  if (machine.plan.next_fault(Call::access)) return SQLITE_IOERR_ACCESS;
  const std::shared_ptr<DiskFile> file = machine.disk.find(name);
  // As on Linux, SQLite is told that an empty file does not exist.
  *yes = file != nullptr && (flags != SQLITE_ACCESS_EXISTS || file->size() > 0) ? 1 : 0;
  return SQLITE_OK;
}

int full_path(sqlite3_vfs*, const char* name, int size, char* into) {
  const std::size_t length = std::strlen(name);
  if (length >= static_cast<std::size_t>(size)) return SQLITE_CANTOPEN;
  std::memcpy(into, name, length + 1);
  return SQLITE_OK;
}

int randomness(sqlite3_vfs* vfs, int bytes, char* into) {
  Machine& machine = machine_of(vfs);
  const MutexLock lock(machine.mutex);
  for (int at = 0; at < bytes; ++at) into[at] = static_cast<char>(machine.random.next());
  return bytes;
}

int sleep_no_time(sqlite3_vfs*, int micros) { return micros; }

// Noon on 1 January 2000 in SQLite's Julian milliseconds; nothing here may depend on it.
int same_time(sqlite3_vfs*, sqlite3_int64* julian_millis) {
  *julian_millis = 211813488000000;
  return SQLITE_OK;
}

}  // namespace

FaultyVfs::FaultyVfs(Disk disk, std::uint64_t seed)
    : name_(fmt::format("faulty-{}", static_cast<const void*>(this))),
      machine_(std::move(disk), seed) {
  vfs_.iVersion = 2;
  vfs_.szOsFile = OpenFile::handle_bytes();
  vfs_.mxPathname = 512;
  vfs_.zName = name_.c_str();
  vfs_.pAppData = &machine_;
  vfs_.xOpen = open;
  vfs_.xDelete = remove;
  vfs_.xAccess = access;
  vfs_.xFullPathname = full_path;
  vfs_.xRandomness = randomness;
  vfs_.xSleep = sleep_no_time;
  vfs_.xCurrentTimeInt64 = same_time;
  sqlite3_vfs_register(&vfs_, 0);
}

FaultyVfs::~FaultyVfs() { sqlite3_vfs_unregister(&vfs_); }

void FaultyVfs::arm(const Fault& fault) {
  const MutexLock lock(machine_.mutex);
  machine_.plan.arm(fault);
}

void FaultyVfs::disarm() {
  const MutexLock lock(machine_.mutex);
  machine_.plan.disarm();
}

void FaultyVfs::cut_power() {
  const MutexLock lock(machine_.mutex);
  machine_.plan.cut_power();
}

void FaultyVfs::ignore_syncs() {
  const MutexLock lock(machine_.mutex);
  machine_.ignore_syncs = true;
}

std::int64_t FaultyVfs::calls(FaultKind kind) const {
  const MutexLock lock(machine_.mutex);
  return machine_.plan.calls(kind);
}

std::int64_t FaultyVfs::fired() const {
  const MutexLock lock(machine_.mutex);
  return machine_.plan.fired();
}

Disk FaultyVfs::disk() const {
  const MutexLock lock(machine_.mutex);
  return machine_.disk;
}

}  // namespace longshore::faults
