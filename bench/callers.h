// Those who call a store: many at once, each with so many commands outstanding.
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

// What a job brings.
struct Kind {
  bool keyed = false;  // a random idempotency key
};

inline constexpr int payload_bytes = 200;

// One caller. Each has its own chance, so that none waits for another outside the store.
class Caller {
 public:
  Caller(Store& store, std::uint64_t seed) : store_(store), random_(seed), ids_(random_) {}

  // One commit each; they end the program when the store answers anything but success.
  void enqueue(int count, Kind kind);
  void enqueue_group(int count, Kind kind);
  std::vector<Lease> claim(int count);  // a command for each
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

// A store on a file, with time as the machine tells it.
class OpenStore {
 public:
  // An existing file is opened as it is.
  explicit OpenStore(const std::string& path);

  Store& store() { return backend_->store(); }
  sqlite::WriterCounts counts() const { return backend_->counts(); }
  const std::string& path() const { return path_; }

  // Runs `act(caller)`, which does as many jobs as a caller has outstanding, until all callers
  // together have done `jobs`. REQUIRES: they divide evenly. Seconds.
  double run(const Crowd& crowd, std::int64_t jobs, const std::function<void(Caller&)>& act);
  // By one caller, in groups, as quickly as the store can.
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
