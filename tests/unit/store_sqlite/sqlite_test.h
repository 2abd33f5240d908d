// A SQLite store on a real file, in a directory of its own, with its time in the test's hand.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "core/time/clock.h"
#include "store/sqlite/store.h"

namespace longshore {

// Gone with everything in it at the end of the test.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

class SqliteTest : public testing::Test {
 protected:
  using Opened = Result<std::unique_ptr<SqliteBackend>>;

  // Opens a second object on the file, or tries to.
  Opened try_open(const Rules& rules = {}) { return open_sqlite(options_, clock_, rules); }
  // Closes the store, if one is open, and opens one on the same file.
  void open(const Rules& rules = {});
  void close() { backend_.reset(); }

  Committed commit(const std::vector<Command>& commands);
  Verdict send(const Command& command);
  NewJob job(NewJob wish = {});
  JobId enqueue(NewJob wish = {});
  std::vector<Lease> claim(int limit = 1);
  void complete(const Lease& lease);

  Catalog& catalog() { return backend_->catalog(); }
  std::vector<std::string> hints() { return backend_->wakeups().wait(Duration()); }
  std::vector<std::string> findings();  // their rules
  std::vector<JobRecord> dump();
  // Changes the file behind the store's back. REQUIRES: the store is closed.
  void damage(const std::string& sql);
  RequestId request() { return random_id<RequestId>(random_); }

  Scratch scratch_;
  ManualClock clock_{Instant::millis(1'800'000'000'000)};
  SqliteOptions options_{.path = scratch_.file("jobs.db"), .reserve_bytes = 0};
  std::unique_ptr<SqliteBackend> backend_;

 private:
  SeededRandom random_{11};
  JobIds ids_{random_};
};

}  // namespace longshore
