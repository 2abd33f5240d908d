// Threads that read. A catalog blocks, and whoever serves sockets must not.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "longshore/catalog.h"

namespace longshore {

// Looking up one thing never stands behind lists and sums.
enum class Lane { point, scan };

struct ReadLaneOptions {
  int point_threads = 1;
  int scan_threads = 1;
  std::size_t points_waiting = 20'000;  // more are turned away
  std::size_t scans_waiting = 200;
};

// Safe to share between threads.
class ReadLanes {
 public:
  using Read = std::move_only_function<void(Catalog&)>;

  // `catalog` must outlive the lanes.
  ReadLanes(Catalog& catalog, const ReadLaneOptions& options);
  ~ReadLanes();

  // Runs it soon on a thread of the lane. False, and `read` is left as it was, if too many wait or
  // the lanes have stopped.
  bool push(Lane lane, Read& read);

  // Runs what waits, then ends the threads. Idempotent.
  void stop();

 private:
  struct Line {
    std::size_t waiting_max = 0;
    std::deque<Read> waiting;
    std::condition_variable changed;
  };

  void read_until_stopped(Line& line);
  std::vector<Read> take(Line& line);

  Catalog& catalog_;
  std::mutex mutex_;  // std's own, because a condition of several threads waits on it
  std::array<Line, 2> lines_;
  bool stopped_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace longshore
