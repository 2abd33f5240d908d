// What one transaction changed of its jobs, on the way into the tables: each job's row once, and
// the difference between where it stood and where it stands. A few statements for any number of
// jobs.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/policy/rules_record.h"
#include "store/postgres/connection/connection.h"
#include "store/postgres/plan/bulk_write.h"
#include "store/postgres/write/entry.h"

namespace longshore::postgres {

// The composite types that are sent; a connection has to know their numbers.
const std::vector<std::string>& record_types();

// Used by one transaction.
class WriteBack {
 public:
  // `store` must outlive it: what never changes in it is used.
  WriteBack(Connection& connection, const RulesRecord& store);

  // Takes the changed job over; the tables agree with it after the next enqueue_statement() is
  // exchanged.
  void add(Entry& entry);
  // The tables agree with the job already.
  void note_written(Entry& entry) const;
  // The job leaves, with everything that belongs to it.
  void remove(const Entry& entry);
  void enqueue_statement();
  // Of the answers to what was lined up, those that tell what was started.
  std::vector<RowSet> take_started(std::vector<RowSet>& answers);
  // How many jobs that were remembered will be written by a statement that proves them.
  std::size_t proved() const { return proved_; }
  // The numbers of new jobs count from the last one that the sequence gave this connection. Only
  // statements that many jobs share know that.
  void count_from_sequence() { from_sequence_ = true; }
  bool wrote_alone() const { return wrote_alone_; }
  // For claims that have jobs off the ready order. Else the end fails with
  // StickyError::Kind::again.
  void wait_for_claims() { waits_ = true; }
  // How many statements these jobs take.
  std::size_t statements() const { return arrivals_.groups() + endings_.groups(); }
  // Whether a single statement is all there is: its jobs go one way, and stand in one queue.
  bool is_one_statement() const {
    return statements() == 1 && starts_.groups() == 0 && !wrote_alone_ && counts_.size() == 1;
  }
  // Lines it up with everything that the transaction says besides; counts are filled in.
  // REQUIRES: is_one_statement().
  void enqueue_single_statement(SingleStatement single);
  // Adds what was counted to a slot of the tally, or as much of it as belongs to queues up to
  // `last`. Everybody counts in the order of names, so that no two wait for each other.
  void enqueue_counts(int slot, const std::optional<Scoped>& last = std::nullopt);

 private:
  void add_alone(const Placement& from, const Entry& entry);
  void add_row(const Entry& entry, Home from, Home to);
  void add_changes(const Entry& entry, Home to);
  void add_parts(const Entry& entry, bool is_new);
  void move_ready(const Placement& from, const Entry& entry);
  void move_held(const Placement& from, const Entry& entry);
  void move_timers(const Placement& from, const Placement& to, const JobId& id);
  using StateCounts = std::array<std::int64_t, state_count>;
  // Of a queue, by the state of its jobs.
  StateCounts& counts_of(const std::string& ns, const std::string& queue);
  // One more where the job stands, and one fewer where it stood.
  void count(const Placement& from, const Entry& entry);
  void enqueue_rows();
  void enqueue_parts();
  void enqueue_places();
  Parameters counts_of_many(int slot) const;

  Connection& connection_;
  const RulesRecord& store_;

  BulkWrite<Arrivals> arrivals_;
  BulkWrite<Starts> starts_;
  BulkWrite<Endings> endings_;
  std::vector<std::size_t> started_at_;  // among the answers
  std::size_t proved_ = 0;
  bool from_sequence_ = false;
  bool wrote_alone_ = false;
  bool waits_ = false;

  HeadRows inserted_live_, placed_live_, updated_live_, moved_, inserted_done_, updated_done_;
  Column places_{Type::place};  // of placed_live_
  Column moved_results_{Type::bytes}, inserted_results_{Type::bytes};
  Column deleted_live_{Type::uuid}, deleted_places_{Type::place}, deleted_done_{Type::uuid};
  Column result_ids_{Type::uuid}, results_{Type::bytes};
  Records bodies_, changed_bodies_;
  Column checkpoint_ids_{Type::uuid}, checkpoints_{Type::bytes}, dropped_checkpoints_{Type::uuid};
  Column removed_{Type::uuid};

  // Out of the ready order: orders, by queue and priority. No order is given twice.
  std::map<std::pair<Scoped, int>, Column> unready_;
  Column unready_places_{Type::place};  // of those whose row in ready is locked
  Records ready_;
  Column unheld_claims_{Type::uuid}, unheld_{Type::uuid};
  Records held_, changed_held_;
  std::array<Column, timer_kinds> stopped_timers_;  // ids, by kind
  std::array<Column, 3> timers_;

  using Counts = std::map<Scoped, StateCounts>;
  Counts counts_;
  Counts::value_type* last_counted_ = nullptr;  // most jobs of a batch are in one queue
};

}  // namespace longshore::postgres
