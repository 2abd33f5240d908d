// Concurrent callers of a store, each with a number of outstanding commands.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "core/time/clock.h"
#include "store/sqlite/store.h"

namespace longshore::bench {

struct Crowd {
  int callers = 64;
  int outstanding = 1;  // commands in each commit
};

// The content of a job.
struct Kind {
  bool keyed = false;  // a random idempotency key
};

inline constexpr int payload_bytes = 200;

// One caller. Each has its own random generator, so that callers share only the store.
class Caller {
 public:
  Caller(Store& store, std::uint64_t seed) : store_(store), random_(seed), ids_(random_) {}

  // One commit each; they end the program unless the commit succeeds.
  void enqueue(int count, Kind kind);
  void enqueue_group(int count, Kind kind);
  std::vector<Lease> claim(int count);  // one command per job
  std::vector<Lease> claim_many(int limit);
  void complete(const std::vector<Lease>& leases);

 private:
  NewJob new_job(Kind kind);
  Claim new_claim(int limit);
  std::vector<Verdict> commit(const std::vector<Command>& commands);

  Store& store_;
  SystemClock clock_;
  SeededRandom random_;
  JobIds ids_;
};

// A store in a file, with the system clock.
class OpenStore {
 public:
  // Opens an existing file unchanged.
  explicit OpenStore(const std::string& path);

  Store& store() { return backend_->store(); }
  sqlite::WriterCounts counts() const { return backend_->counts(); }
  const std::string& path() const { return path_; }

  // Runs `act(caller)`, which processes as many jobs as a caller has outstanding, until all callers
  // together have processed `jobs`. Returns the seconds. REQUIRES: they divide evenly.
  double run(const Crowd& crowd, std::int64_t jobs, const std::function<void(Caller&)>& act);
  // Enqueues in large groups from one caller.
  void fill(std::int64_t jobs, Kind kind);
  void drain(std::int64_t jobs);

 private:
  const std::string path_;
  SystemClock clock_;
  std::unique_ptr<SqliteBackend> backend_;
};

// Removes a store's files.
void remove_store(const std::string& path);
[[noreturn]] void give_up(const std::string& why);

}  // namespace longshore::bench
