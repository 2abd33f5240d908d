// Threads that read. A catalog blocks, and whoever serves sockets must not. Those who wait in a
// kind are served in turn, one reading each, so that whoever asks for much waits for it alone; and
// of the threads that scan one is always left to the others.
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

// Looking up one thing never stands behind lists and sums.
enum class ReadKind { point, scan };

struct ReadPoolOptions {
  int point_threads = 1;
  int scan_threads = 3;
  std::size_t points_waiting = 20'000;  // more are turned away
  std::size_t scans_waiting = 200;
};

// Safe to share between threads.
class ReadPool {
 public:
  using Read = std::move_only_function<void(Catalog&)>;

  // `catalog` must outlive the pool.
  ReadPool(Catalog& catalog, const ReadPoolOptions& options);
  ~ReadPool();

  // Runs it soon on a thread of the kind, in turn with the readings of others than `whose`. False,
  // and `read` is left as it was, if too many wait, three quarters of them its own, or the pool
  // have stopped.
  bool push(ReadKind kind, Read& read, const std::string& whose = {});

  // Runs what waits, then ends the threads. Idempotent.
  void stop();

 private:
  struct Reader {
    std::deque<Read> waiting;
    int reading = 0;  // how many threads are at work for it
  };
  struct Line {
    std::size_t waiting_max = 0;
    int readings_each_max = 1;      // threads that work for one reader
    std::size_t group_max = 1;      // what one thread takes at a time
    std::size_t waiting = 0;        // readings of all
    std::deque<std::string> turns;  // readers with something waiting, the next one first
    std::unordered_map<std::string, Reader> readers;
    std::condition_variable changed;
  };
  struct Taken {
    std::string whose;
    Read read;
  };

  void read_until_stopped(Line& line);
  std::vector<Taken> take(Line& line);
  static bool take_one(Line& line, std::vector<Taken>& group);
  void done(Line& line, const std::vector<Taken>& group);

  Catalog& catalog_;
  std::mutex mutex_;  // std's own, because a condition of several threads waits on it
  std::array<Line, 2> lines_;
  bool stopped_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace longshore
