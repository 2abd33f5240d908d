// Commands about several namespaces: each gets its part. One that cannot be reached does not keep
// the others from theirs.
#include <algorithm>
#include <utility>

#include "store/redis/sightings.h"
#include "store/redis/writer.h"

namespace longshore::redis {

Result<Verdict> Writer::scatter(const Command& command, Committed& committed) {
  std::map<std::string, Command> parts;
  if (const auto* seen = std::get_if<SeeWorkers>(&command)) {
    for (const WorkerInfo& info : seen->workers) {
      std::get<SeeWorkers>(parts.try_emplace(info.ns, SeeWorkers{}).first->second)
          .workers.push_back(info);
    }
  }
  if (const auto* record = std::get_if<RecordMinutes>(&command)) {
    add_owed(parts);
    for (const MinuteRow& row : record->rows) {
      std::get<RecordMinutes>(parts.try_emplace(row.ns, RecordMinutes{}).first->second)
          .rows.push_back(row);
    }
  }
  std::optional<Error> first;
  std::size_t failed = 0;
  for (const auto& [ns, part] : parts) {
    auto judged = commit_group({.ns = ns, .commands = {&part}, .places = {0}}, nullptr);
    if (judged) {
      std::ranges::move(judged->events, std::back_inserter(committed.events));
      continue;
    }
    ++failed;
    if (!first) first = judged.error();
    owe(part);
  }
  if (first && failed == parts.size()) return *first;
  return Verdict(Done{});
}

// Before the new ones: a row that is there twice is as the later one says.
void Writer::add_owed(std::map<std::string, Command>& parts) {
  MutexLock lock(mutex_);
  for (auto& [ns, rows] : std::exchange(owed_, {})) {
    RecordMinutes part;
    for (auto& [name, row] : rows) part.rows.push_back(std::move(row));
    parts.emplace(ns, std::move(part));
  }
}

// Nothing happens in a namespace that cannot be reached, so these do not grow.
void Writer::owe(const Command& part) {
  const auto* record = std::get_if<RecordMinutes>(&part);
  if (record == nullptr) return;
  MutexLock lock(mutex_);
  for (const MinuteRow& row : record->rows) {
    owed_[row.ns].insert_or_assign({row.minute, minute_field(row)}, row);
  }
}

}  // namespace longshore::redis
