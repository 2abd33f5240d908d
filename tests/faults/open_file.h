// One connection's open file of a FaultyVfs: the implementation of SQLite's sqlite3_file.
#pragma once

#include <sqlite3.h>

#include <memory>

#include "faults/faulty_vfs.h"

namespace longshore::faults {

// Methods return SQLite's result codes, as documented for sqlite3_io_methods.
class OpenFile {
 public:
  struct Traits {
    bool syncs_directory = false;  // the first sync makes directory entries durable, too
    std::string remove_at_close;   // of a temporary file
  };

  OpenFile(Machine& machine, std::shared_ptr<DiskFile> file, std::shared_ptr<ProcessState> state,
           Traits traits);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int read(void* into, int bytes, sqlite3_int64 offset);
  int write(const void* from, int bytes, sqlite3_int64 offset);
  int truncate(sqlite3_int64 size);
  int sync();
  int size(sqlite3_int64* bytes);
  int lock(int level);
  int unlock(int level);
  int check_reserved(int* reserved);
  int shm_map(int region, int bytes, int extend, void volatile** memory);
  int shm_lock(int offset, int count, int flags);
  void shm_barrier();
  int shm_unmap();

  // Attaches a new OpenFile to `into`; SQLite's xClose destroys it.
  static void attach(sqlite3_file* into, std::unique_ptr<OpenFile> file);
  // The size that SQLite must allocate for each sqlite3_file.
  static int handle_bytes();

 private:
  void write_part(const void* from, int bytes, sqlite3_int64 offset);

  Machine& machine_;
  std::shared_ptr<DiskFile> file_;
  std::shared_ptr<ProcessState> state_;
  Traits traits_;
};

}  // namespace longshore::faults
