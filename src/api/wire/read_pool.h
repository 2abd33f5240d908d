// A pool of threads that read from the catalog, which blocks; the I/O threads must not. Owners that
// wait are served in turn, one read each, so that a heavy owner delays only itself; of the scan
// threads, one is always left to other owners.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "longshore/catalog.h"

namespace longshore {

// Lookups of one job or row never wait behind lists and aggregates.
enum class ReadKind { point, scan };

struct ReadPoolOptions {
  int point_threads = 1;
  int scan_threads = 3;
  std::size_t points_waiting = 20'000;  // more are refused
  std::size_t scans_waiting = 200;
};

// Safe to share between threads.
class ReadPool {
 public:
  using Read = std::move_only_function<void(Catalog&)>;

  // `catalog` must outlive the pool.
  ReadPool(Catalog& catalog, const ReadPoolOptions& options);
  ~ReadPool();

  // Runs it on a thread of this kind, in turn with the reads of other owners. False, and `read` is
  // unchanged, if the queue is full, three quarters of it are this owner's, or the pool has
  // stopped.
  bool push(ReadKind kind, Read& read, const std::string& owner = {});

  // Runs the waiting reads, then ends the threads. Idempotent.
  void stop();

 private:
  struct Owner {
    std::deque<Read> waiting;
    int running = 0;  // reads in progress
  };
  struct ReadQueue {
    std::size_t waiting_max = 0;
    int reads_per_owner_max = 1;    // threads that serve one owner
    std::size_t group_max = 1;      // reads that one thread takes at a time
    std::size_t waiting = 0;        // of all owners
    std::deque<std::string> turns;  // owners with waiting reads, next first
    std::unordered_map<std::string, Owner> owners;
    std::condition_variable changed;
  };
  struct Taken {
    std::string owner;
    Read read;
  };

  void read_until_stopped(ReadQueue& queue);
  std::vector<Taken> take(ReadQueue& queue);
  static bool take_one(ReadQueue& queue, std::vector<Taken>& group);
  void done(ReadQueue& queue, const std::vector<Taken>& group);

  Catalog& catalog_;
  std::mutex mutex_;  // not Mutex: condition variables wait on it
  std::array<ReadQueue, 2> queues_;
  bool stopped_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace longshore
