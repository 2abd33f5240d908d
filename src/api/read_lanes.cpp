#include "api/read_lanes.h"

#include <algorithm>
#include <utility>

namespace longshore {
namespace {

// What one thread takes at a time, so that one wake-up serves a crowd.
constexpr std::size_t group_max = 64;

}  // namespace

ReadLanes::ReadLanes(Catalog& catalog, const ReadLaneOptions& options) : catalog_(catalog) {
  lines_[0].waiting_max = options.points_waiting;
  lines_[1].waiting_max = options.scans_waiting;
  const std::array counts = {options.point_threads, options.scan_threads};
  for (std::size_t lane = 0; lane < lines_.size(); ++lane) {
    for (int i = 0; i < std::max(counts[lane], 1); ++i) {
      threads_.emplace_back([this, lane] { read_until_stopped(lines_[lane]); });
    }
  }
}

ReadLanes::~ReadLanes() { stop(); }

bool ReadLanes::push(Lane lane, Read& read) {
  Line& line = lines_[static_cast<std::size_t>(lane)];
  {
    const std::lock_guard lock(mutex_);
    if (stopped_ || line.waiting.size() >= line.waiting_max) return false;
    line.waiting.push_back(std::move(read));
  }
  line.changed.notify_one();
  return true;
}

void ReadLanes::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  for (Line& line : lines_) line.changed.notify_all();
  threads_.clear();
}

std::vector<ReadLanes::Read> ReadLanes::take(Line& line) {
  std::unique_lock lock(mutex_);
  line.changed.wait(lock, [&] { return stopped_ || !line.waiting.empty(); });
  std::vector<Read> group;
  while (!line.waiting.empty() && group.size() < group_max) {
    group.push_back(std::move(line.waiting.front()));
    line.waiting.pop_front();
  }
  return group;
}

void ReadLanes::read_until_stopped(Line& line) {
  while (true) {
    std::vector<Read> group = take(line);
    if (group.empty()) return;
    for (Read& read : group) read(catalog_);
  }
}

}  // namespace longshore
