// Turns changed jobs into writes: their HASHes, and the difference between where they stood and
// where they stand.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "longshore/rules.h"
#include "store/redis/deed.h"
#include "store/redis/entry.h"
#include "store/redis/keys.h"

namespace longshore::redis {

// The field of `counts` that says how many jobs of a queue are in a state, or of a type run.
std::string count_field(const std::string& queue, State state);
std::string count_field(const std::string& type);
// The field of `stale` that says how many elements of a list are nobody's.
std::string stale_field(const ReadyList& list);

// Used by one batch. All of it becomes writes of the deed by finish().
class WriteBack {
 public:
  // All must outlive it. `weighs`: what finished jobs take is counted.
  WriteBack(const Keys& keys, const Rules& rules, Deed& deed, bool weighs)
      : keys_(keys), rules_(rules), deed_(deed), weighs_(weighs) {}

  // The head of a list, in order: to be there still, and to be taken off. `stale`: how many of
  // them were nobody's when the batch began.
  void pop(const ReadyList& list, const std::vector<std::string>& elements, std::int64_t stale);
  void add(Entry& entry);
  void remove(const Entry& entry);
  // A sorted set has a member that does not belong there.
  void drop(Table table, const JobId& id) { removals_[table_key(table)].push_back(to_text(id)); }
  void finish();

 private:
  std::string table_key(Table table) const;
  void write_hash(Entry& entry);
  void make_hash(Entry& entry);
  void write_lines(const std::string& key, const Entry& entry);
  void write_parts(Fields& fields, const Entry& entry, std::vector<std::string>* gone);
  void move_ready(const Entry& entry, const Whereabouts& to);
  void move_times(const Entry& entry, const Whereabouts& to);
  void move_claim(const Entry& entry, const Whereabouts& to);
  void move_key(const Entry& entry, const Whereabouts& to);
  void weigh(const Entry& entry, const Whereabouts& to);
  void count(const Whereabouts& there, std::int64_t by);
  void finish_lists();
  void finish_sets();

  const Keys& keys_;
  const Rules& rules_;
  Deed& deed_;
  const bool weighs_;

  std::map<ReadyList, std::vector<Deed::Push>> pushes_;
  std::set<std::pair<ReadyList, std::string>> popped_;
  std::set<ReadyList> shortened_;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> additions_;  // by set
  std::map<std::string, std::vector<std::string>> removals_;
  std::map<std::string, std::int64_t> counts_;
  std::map<std::string, std::int64_t> stale_;
};

}  // namespace longshore::redis
