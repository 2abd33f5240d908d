// Connections for reading. Each sees the last commit, and is used for one short answer at a time;
// none writes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/mutex.h"
#include "longshore/error.h"
#include "longshore/rules.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/job_table.h"
#include "store/sqlite/key_index.h"

namespace longshore::sqlite {

// One connection with what is prepared on it.
struct Reader {
  Reader(std::unique_ptr<Database> opened, const Policy& usual);

  std::unique_ptr<Database> database;
  Rows rows;
  JobReader jobs;
  KeyIndex keys;
  Statement begin;
  Statement end;
  Statement failures;
  Statement kind;
  Statement gone;
};

// Safe to share between threads.
class Readers {
 public:
  Readers(std::string path, std::string vfs, const Policy& usual)
      : path_(std::move(path)), vfs_(std::move(vfs)), usual_(usual) {}

  // Runs `ask(Reader&)`, which answers a Result, on one snapshot of the store.
  template <class Ask>
  auto read(const Ask& ask) -> decltype(ask(std::declval<Reader&>())) {
    auto reader = take();
    if (!reader) return reader.error();
    (*reader)->begin.run();
    auto answer = ask(**reader);
    (*reader)->end.run();
    if ((*reader)->database->failed()) return failure(**reader);
    give_back(std::move(*reader));
    return answer;
  }

 private:
  Result<std::unique_ptr<Reader>> take();
  void give_back(std::unique_ptr<Reader> reader);
  static Error failure(const Reader& reader);

  // Constant after construction.
  const std::string path_;
  const std::string vfs_;
  const Policy usual_;

  Mutex mutex_;
  std::vector<std::unique_ptr<Reader>> idle_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore::sqlite
