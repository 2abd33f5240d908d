// Connections for reading. Each sees the last commit, and is used for one short answer at a time;
// none writes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/sync/mutex.h"
#include "longshore/error.h"
#include "longshore/rules.h"
#include "store/sqlite/file/connection.h"
#include "store/sqlite/file/log_limiter.h"
#include "store/sqlite/file/read_limit.h"
#include "store/sqlite/keys/key_index.h"
#include "store/sqlite/write/job_table.h"

namespace longshore::sqlite {

// One connection with what is prepared on it.
struct Reader {
  Reader(std::unique_ptr<Database> opened, const Policy& usual);

  std::unique_ptr<Database> database;
  ReadLimit limit;
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
  // A read that is not lengthy is ended after `longest`. `idle` is called when the writer waits for
  // the last read to end, and it has. The gate must outlive the readers.
  Readers(std::string path, std::string vfs, const Policy& usual, Duration longest,
          LogLimiter& gate, std::function<void()> idle)
      : path_(std::move(path)),
        vfs_(std::move(vfs)),
        usual_(usual),
        longest_(longest),
        gate_(gate),
        idle_told_(std::move(idle)) {}

  // Runs `ask(Reader&)`, which answers a Result, on one snapshot of the store. The log grows as
  // long as a snapshot is held: Errc::overloaded for a read that took too long; or, if it is
  // lengthy, that was in the way of a log that had grown far too long.
  template <class Ask>
  auto read(const Ask& ask, LogLimiter::Read kind = LogLimiter::Read::brief)
      -> decltype(ask(std::declval<Reader&>())) {
    const Passage passage(*this, kind);
    auto reader = take();
    if (!reader) return reader.error();
    const Interruptible interruptible(*this, **reader, kind);
    (*reader)->begin.run();
    (*reader)->limit.start(kind == LogLimiter::Read::brief ? longest_ : Duration::forever());
    auto answer = ask(**reader);
    (*reader)->limit.lift();  // what was read whole stands
    (*reader)->end.run();
    if ((*reader)->database->failed()) return failure(**reader);
    give_back(std::move(*reader));
    return answer;
  }

  // The same, a few times over if it took too long: for parts that are known to be small, on a
  // machine that is busy with other things.
  template <class Ask>
  auto read_again(const Ask& ask) -> decltype(ask(std::declval<Reader&>())) {
    for (int i = 1; i < tries; ++i) {
      auto answer = read(ask);
      if (answer || answer.error().code != Errc::overloaded) return answer;
    }
    return read(ask);
  }

 private:
  static constexpr int tries = 3;

  // Through the gate and back.
  class Passage {
   public:
    Passage(Readers& readers, LogLimiter::Read kind) : readers_(readers), kind_(kind) {
      readers_.gate_.enter(kind_);
    }
    ~Passage() {
      if (readers_.gate_.leave(kind_)) readers_.idle_told_();
    }
    Passage(const Passage&) = delete;
    Passage& operator=(const Passage&) = delete;

   private:
    Readers& readers_;
    const LogLimiter::Read kind_;
  };

  class Interruptible {
   public:
    Interruptible(Readers& readers, Reader& reader, LogLimiter::Read kind)
        : gate_(readers.gate_),
          handle_(kind == LogLimiter::Read::lengthy ? reader.database->handle() : nullptr) {
      if (handle_ != nullptr) gate_.may_interrupt(handle_);
    }
    ~Interruptible() {
      if (handle_ != nullptr) gate_.is_over(handle_);
    }
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;

   private:
    LogLimiter& gate_;
    sqlite3* const handle_;
  };

  Result<std::unique_ptr<Reader>> take();
  void give_back(std::unique_ptr<Reader> reader);
  static Error failure(const Reader& reader);

  // Constant after construction.
  const std::string path_;
  const std::string vfs_;
  const Policy usual_;
  const Duration longest_;
  LogLimiter& gate_;
  const std::function<void()> idle_told_;

  Mutex mutex_;
  std::vector<std::unique_ptr<Reader>> idle_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore::sqlite
