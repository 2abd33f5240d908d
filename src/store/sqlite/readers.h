// Connections for reading. Each sees the last commit, and is used for one short answer at a time;
// none writes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/mutex.h"
#include "longshore/error.h"
#include "longshore/rules.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/job_table.h"
#include "store/sqlite/key_index.h"
#include "store/sqlite/log_gate.h"

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
  // `idle` is called when the writer waits for the last read to end, and it has. The gate must
  // outlive the readers.
  Readers(std::string path, std::string vfs, const Policy& usual, LogGate& gate,
          std::function<void()> idle)
      : path_(std::move(path)),
        vfs_(std::move(vfs)),
        usual_(usual),
        gate_(gate),
        idle_told_(std::move(idle)) {}

  // Runs `ask(Reader&)`, which answers a Result, on one snapshot of the store. Unless it is
  // lengthy it must end within a second: the log grows as long as a snapshot is held.
  template <class Ask>
  auto read(const Ask& ask, LogGate::Read kind = LogGate::Read::brief)
      -> decltype(ask(std::declval<Reader&>())) {
    const Passage passage(*this, kind);
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
  // Through the gate and back.
  class Passage {
   public:
    Passage(Readers& readers, LogGate::Read kind) : readers_(readers), kind_(kind) {
      readers_.gate_.enter(kind_);
    }
    ~Passage() {
      if (readers_.gate_.leave(kind_)) readers_.idle_told_();
    }
    Passage(const Passage&) = delete;
    Passage& operator=(const Passage&) = delete;

   private:
    Readers& readers_;
    const LogGate::Read kind_;
  };

  Result<std::unique_ptr<Reader>> take();
  void give_back(std::unique_ptr<Reader> reader);
  static Error failure(const Reader& reader);

  // Constant after construction.
  const std::string path_;
  const std::string vfs_;
  const Policy usual_;
  LogGate& gate_;
  const std::function<void()> idle_told_;

  Mutex mutex_;
  std::vector<std::unique_ptr<Reader>> idle_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore::sqlite
