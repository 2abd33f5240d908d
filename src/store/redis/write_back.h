// Turns changed jobs into writes: their HASHes, and the difference between where they stood and
// where they stand.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/policy/rules_record.h"
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
  struct Options {
    bool weighs = false;  // what finished jobs take is counted
    bool names = true;    // HASHes show fields by name
  };
  // All must outlive it.
  WriteBack(const Keys& keys, const RulesRecord& rules, Deed& deed, const Options& options)
      : keys_(keys), rules_(rules), deed_(deed), options_(options) {}

  // The head of a list, in order.
  struct Front {
    std::span<const std::string> elements;  // to be there still, and to be taken off
    std::vector<std::string> kept;          // of them, those to be put back in the same order
    std::vector<ReadyPlace> gone;           // the places of the others
    std::int64_t stale = 0;                 // how many were nobody's when the batch began
  };
  void pop(const ReadyList& list, const Front& front);
  void add(Entry& entry);
  void remove(const Entry& entry);
  // A sorted set has a member that does not belong there.
  void drop(Table table, const JobId& id) { removal(static_cast<std::size_t>(table)).id(id); }
  void finish();

 private:
  void put_back(const std::string& list, std::span<const std::string> elements);
  void write_hash(Entry& entry, const Whereabouts& to);
  void make_hash(Entry& entry, std::int64_t list);
  void write_lines(const Entry& entry);
  // Where to write the next score and member that a sorted set gets, or member that it loses.
  Line& addition(std::size_t set) { return open_line(sets_[set].additions, "ZADD", set); }
  Line& removal(std::size_t set) { return open_line(sets_[set].removals, "ZREM", set); }
  Line& open_line(std::vector<Line>& lines, const char* command, std::size_t set);
  void write_parts(Fields& fields, const Entry& entry, std::vector<std::string>* gone);
  void move_ready(const Entry& entry, const Whereabouts& to);
  static void move_times(Moves& moves, const Entry& entry, const Whereabouts& to);
  void place_in_time(const JobId& id, const Whereabouts& to);
  void move_claim(ChangedHash& hash, const Whereabouts& from, const Whereabouts& to);
  void move_dead(const Entry& entry, const Whereabouts& to);
  void move_key(const Entry& entry, const Whereabouts& to);
  void weigh(const Entry& entry, const Whereabouts& to);
  void count(const Whereabouts& there, std::int64_t by);
  void count(const std::string& name, std::optional<State> state, std::int64_t by);
  void finish_new();
  void finish_lists();
  void finish_sets();

  const Keys& keys_;
  const RulesRecord& rules_;
  Deed& deed_;
  const Options options_;

  std::vector<Entry*> new_;
  std::map<ReadyList, std::vector<Deed::Push>> pushes_;
  std::set<ReadyPlace> popped_;
  std::set<ReadyList> shortened_;
  // The sorted sets: those by a time, and behind them two more.
  static constexpr std::size_t jobs_set = table_count;
  static constexpr std::size_t claims_set = table_count + 1;
  struct Difference {
    std::vector<Line> additions;
    std::vector<Line> removals;
  };
  std::array<Difference, table_count + 2> sets_;
  struct Sum {
    std::string name;  // of a queue, or of a type that runs
    std::optional<State> state;
    std::int64_t sum = 0;
  };
  std::vector<Sum> counts_;
  std::map<std::string, std::int64_t> stale_;
};

}  // namespace longshore::redis
