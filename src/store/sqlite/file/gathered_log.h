// SQLite writes its log in two calls for each page of a transaction. This gathers them: what is
// written between two syncs goes to the file in few pieces. Nothing is promised earlier for it: the
// log counts for nobody before it is synced, and a sync writes first.
#pragma once

#include <sqlite3.h>

#include <string>

namespace longshore::sqlite {

// A VFS over another one that differs in the log alone. Only for connections that sync every
// commit: what one of them has not synced is seen by itself alone. Must outlive them.
class GatheredLog {
 public:
  // `base` names a registered VFS, empty for the system's own.
  explicit GatheredLog(const std::string& base);
  ~GatheredLog();
  GatheredLog(const GatheredLog&) = delete;
  GatheredLog& operator=(const GatheredLog&) = delete;

  const char* name() const { return name_.c_str(); }

 private:
  static int open(sqlite3_vfs* self, const char* path, sqlite3_file* file, int flags, int* actual);

  // As SQLite wants to see it: its functions are the base's, but for opening.
  struct Registered : sqlite3_vfs {
    sqlite3_vfs* base;
  };

  const std::string name_;
  Registered vfs_{};
};

}  // namespace longshore::sqlite
