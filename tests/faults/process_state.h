// The state that the connections of one process share about an open file, and that a power cut
// loses: locks and the shared memory of a WAL index. A holder is an address that identifies one
// connection's open file. Not safe to share between threads: the VFS has a mutex.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

namespace longshore::faults {

// SQLite's five levels of lock on a database file, between several connections.
class FileLocks {
 public:
  // False: another holder prevents it. A failed attempt at SQLITE_LOCK_EXCLUSIVE may leave the
  // holder at SQLITE_LOCK_PENDING, which keeps new readers out.
  bool lock(const void* holder, int level);
  void unlock(const void* holder, int level);
  bool reserved() const;

 private:
  int highest_of_others(const void* holder) const;

  std::map<const void*, int> levels_;
};

// The memory and the eight locks behind xShmMap and xShmLock.
class SharedMemory {
 public:
  // Null if there is no such region and `create` is false. Regions are zeroed and do not move until
  // the last holder leaves.
  void* map(const void* holder, std::size_t region, std::size_t bytes, bool create);
  // False: another holder prevents it.
  bool lock(const void* holder, unsigned mask, bool exclusive);
  void unlock(const void* holder, unsigned mask);
  void leave(const void* holder);

 private:
  struct Held {
    unsigned shared = 0;
    unsigned exclusive = 0;
  };

  std::map<const void*, Held> held_;
  std::vector<std::unique_ptr<char[]>> regions_;
};

struct ProcessState {
  FileLocks locks;
  SharedMemory memory;
};

}  // namespace longshore::faults
