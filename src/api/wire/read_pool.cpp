#include "api/wire/read_pool.h"

#include <algorithm>
#include <utility>

namespace longshore {
namespace {

// What one thread takes of quick readings at a time, so that one wake-up serves a crowd.
constexpr std::size_t points_at_once = 64;

}  // namespace

ReadPool::ReadPool(Catalog& catalog, const ReadPoolOptions& options) : catalog_(catalog) {
  lines_[0].waiting_max = options.points_waiting;
  lines_[1].waiting_max = options.scans_waiting;
  lines_[0].group_max = points_at_once;
  lines_[0].readings_each_max = std::max(options.point_threads, 1);
  lines_[1].readings_each_max = std::max(options.scan_threads - 1, 1);
  const std::array counts = {options.point_threads, options.scan_threads};
  for (std::size_t kind = 0; kind < lines_.size(); ++kind) {
    for (int i = 0; i < std::max(counts[kind], 1); ++i) {
      threads_.emplace_back([this, kind] { read_until_stopped(lines_[kind]); });
    }
  }
}

ReadPool::~ReadPool() { stop(); }

bool ReadPool::push(ReadKind kind, Read& read, const std::string& whose) {
  Line& line = lines_[static_cast<std::size_t>(kind)];
  {
    const std::lock_guard lock(mutex_);
    if (stopped_ || line.waiting >= line.waiting_max) return false;
    const auto known = line.readers.find(whose);
    const std::size_t own = known == line.readers.end() ? 0 : known->second.waiting.size();
    if (!whose.empty() && own >= line.waiting_max / 4 * 3) return false;
    Reader& reader = line.readers[whose];
    if (reader.waiting.empty()) line.turns.push_back(whose);
    reader.waiting.push_back(std::move(read));
    line.waiting += 1;
  }
  line.changed.notify_one();
  return true;
}

void ReadPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  for (Line& line : lines_) line.changed.notify_all();
  threads_.clear();
}

// One reading of the first in turn who does not keep enough threads busy. Under the mutex.
bool ReadPool::take_one(Line& line, std::vector<Taken>& group) {
  for (std::size_t i = 0; i < line.turns.size(); ++i) {
    std::string whose = std::move(line.turns.front());
    line.turns.pop_front();
    Reader& reader = line.readers[whose];
    const bool may = reader.reading < line.readings_each_max;
    if (may) {
      group.push_back({whose, std::move(reader.waiting.front())});
      reader.waiting.pop_front();
      line.waiting -= 1;
    }
    if (!reader.waiting.empty()) line.turns.push_back(std::move(whose));
    if (may) return true;
  }
  return false;
}

std::vector<ReadPool::Taken> ReadPool::take(Line& line) {
  std::unique_lock lock(mutex_);
  std::vector<Taken> group;
  line.changed.wait(lock, [&] {
    while (group.size() < line.group_max && take_one(line, group)) continue;
    return !group.empty() || (stopped_ && line.waiting == 0);
  });
  for (const Taken& taken : group) line.readers[taken.whose].reading += 1;
  return group;
}

void ReadPool::done(Line& line, const std::vector<Taken>& group) {
  {
    const std::lock_guard lock(mutex_);
    for (const Taken& taken : group) {
      const auto reader = line.readers.find(taken.whose);
      reader->second.reading -= 1;
      if (reader->second.reading == 0 && reader->second.waiting.empty()) line.readers.erase(reader);
    }
  }
  // Somebody may have waited for this one to be done.
  line.changed.notify_all();
}

void ReadPool::read_until_stopped(Line& line) {
  while (true) {
    std::vector<Taken> group = take(line);
    if (group.empty()) return;
    for (Taken& taken : group) taken.read(catalog_);
    done(line, group);
  }
}

}  // namespace longshore
