// The default store: one file, written durably by one process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/time/clock.h"
#include "longshore/error.h"
#include "longshore/rules.h"
#include "longshore/store.h"
#include "store/sqlite/write/writer.h"

namespace longshore {

struct SqliteOptions {
  std::string path;
  std::string vfs;                                // a registered SQLite VFS; empty: the system's
  std::int64_t reserve_bytes = 16 * 1024 * 1024;  // kept back for a full disk; 0: nothing
  Duration read_max = Duration::seconds(1);       // longer reads are ended; audits are excepted
  sqlite::WriterOptions writer;
};

// What a SQLite store can say of itself beyond the seam.
class SqliteBackend : public Backend {
 public:
  virtual sqlite::WriterCounts counts() const = 0;
  virtual Result<sqlite::InMemory> in_memory() = 0;
};

// Creates the store if the file does not exist. `clock` must outlive the store. Errc::refused for
// a file that another process holds, that is not a Longshore database, has a newer schema or other
// rules of those that a profile fixes, and for a directory that cannot be written or lies on a
// network file system; Errc::corrupt for a file that contradicts itself.
Result<std::unique_ptr<SqliteBackend>> open_sqlite(const SqliteOptions& options, Clock& clock,
                                                   const Rules& rules);

// The SQL that would bring the file up to date; empty if it is. Changes nothing.
Result<std::string> plan_sqlite(const std::string& path);
// Brings the file up to date, creating it if need be; answers the SQL that was run.
Result<std::string> migrate_sqlite(const std::string& path, Instant now);

}  // namespace longshore
