// Keeps the log short. SQLite begins the log anew only when nobody reads it, so reads that overlap
// without end would let it grow without end. Once it is too long the writer closes the gate: new
// reads wait, those under way end within a second or so, and the log is copied back. A lengthy read
// is let finish for a while longer, until the log is far too long; then it is interrupted.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <condition_variable>
#include <vector>

#include "core/sync/mutex.h"

namespace longshore::sqlite {

// Safe to share between threads.
class LogLimiter {
 public:
  // How long a read waits at a closed gate while nothing here keeps it closed.
  explicit LogLimiter(std::chrono::milliseconds patience = std::chrono::seconds(1))
      : patience_(patience) {}

  // ---- For readers, around each read ------------------------------------------------------------

  // A lengthy read is one that may take more than a second: while there is one, the gate stays
  // open until the writer insists, since nothing would be gained before.
  enum class Read { brief, lengthy };

  // Waits while the gate is closed. Brief reads under way are waited for, since they end by
  // themselves; others not for ever, since a reader of another program may keep it closed.
  void enter(Read read);
  // True if the gate is closed and nobody reads any more: the writer should look.
  [[nodiscard]] bool leave(Read read);

  // A lengthy read on this connection may be interrupted, until it is over.
  void may_interrupt(sqlite3* connection);
  void is_over(sqlite3* connection);

  // ---- For the writer ---------------------------------------------------------------------------

  enum class Close { politely, insisting };

  // True if it is closed and nobody reads. Who insists interrupts the lengthy reads; SQLite does
  // not hear that between two statements, so the writer says it again after each commit.
  bool close(Close how);
  void open();

 private:
  bool is_read_briefly() const;

  // Constant after construction.
  const std::chrono::milliseconds patience_;

  Mutex mutex_;
  std::condition_variable_any opened_;
  // Guarded by mutex_.
  int reading_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  int lengthy_ LONGSHORE_GUARDED_BY(mutex_) = 0;  // of these
  std::vector<sqlite3*> interruptible_ LONGSHORE_GUARDED_BY(mutex_);
  bool closed_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

}  // namespace longshore::sqlite
