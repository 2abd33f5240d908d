// Most jobs of a batch go the same way: they come in and are ready, they start, or they end well.
// Those that differ in no more than what each has of its own share a statement that writes all of
// their tables at once, and what they have in common is sent once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/postgres/connection/connection.h"
#include "store/postgres/plan/single_statement.h"
#include "store/postgres/write/entry.h"

namespace longshore::postgres {

// What holds for all statements of a transaction.
struct BulkWriteOptions {
  const Policy& usual;         // of jobs that have no other
  bool from_sequence = false;  // numbers of new jobs count from the last one that was taken
  const SingleStatement* single = nullptr;  // of a batch that is this one statement
};

// New jobs without keys, queued at once.
class Arrivals {
 public:
  explicit Arrivals(const Entry& first);
  static bool fits(const Placement& from, const Entry& entry);
  bool shares(const Entry& entry) const;
  void add(const Placement& from, const Entry& entry);
  std::size_t enqueue_statement(Connection& connection, const BulkWriteOptions& terms);

 private:
  void add_callback(const std::optional<Callback>& callback);

  const Job job_;  // the first one's, as are the others
  const Lines history_;
  const JobBody body_;  // without the payload
  const std::int64_t other_bytes_;
  Column ids_{Type::uuid}, numbers_{Type::integer}, payloads_{Type::bytes};
  Column urls_{Type::bytes}, secrets_{Type::bytes};  // none, or as many
};

// Claimed jobs whose rows in live and ready this transaction has locked. Answers what was started:
// id, place in live, body.
class Starts {
 public:
  explicit Starts(const Entry& first);
  static bool fits(const Placement& from, const Entry& entry);
  bool shares(const Entry& entry) const;
  void add(const Placement& from, const Entry& entry);
  std::size_t enqueue_statement(Connection& connection, const BulkWriteOptions& terms);

 private:
  const Job job_;
  const Lines history_;  // what is appended
  const Instant wakes_at_;
  Column places_{Type::place}, ready_places_{Type::place};
  Column claims_{Type::uuid}, run_states_{Type::bytes}, nths_{Type::integer};
  bool all_first_ = true;  // of their claims
};

// Jobs that ran until now and have ended, with no error to tell. Fails with
// StickyError::Kind::again unless every one of them is where it was said to be, of its claim and
// version.
class Endings {
 public:
  explicit Endings(const Entry& first);
  static bool fits(const Placement& from, const Entry& entry);
  bool shares(const Entry& entry) const;
  void add(const Placement& from, const Entry& entry);
  std::size_t enqueue_statement(Connection& connection, const BulkWriteOptions& terms);

 private:
  const Job job_;
  const std::int64_t version_before_;
  const Lines history_;  // what is appended
  Column places_{Type::place}, run_states_{Type::bytes}, results_{Type::bytes};
  Column ids_{Type::uuid}, claims_{Type::uuid};
};

// The jobs of one transaction that go one of these ways, in a few groups.
template <class Group>
class BulkWrite {
 public:
  // False if the job has to be written by itself: it goes another way, or there are many groups
  // already. `from` is where it stood, entry.stored where it stands now.
  bool take(const Placement& from, const Entry& entry) {
    if (!Group::fits(from, entry)) return false;
    Group* group = find(entry);
    if (group != nullptr) group->add(from, entry);
    return group != nullptr;
  }
  std::size_t groups() const { return groups_.size(); }
  // Empty again afterwards. Where in the next exchange the answers will be.
  std::vector<std::size_t> enqueue_statement(Connection& connection,
                                             const BulkWriteOptions& terms) {
    std::vector<std::size_t> answers;
    for (Group& group : groups_) answers.push_back(group.enqueue_statement(connection, terms));
    groups_.clear();
    return answers;
  }

 private:
  static constexpr std::size_t groups_max = 8;

  Group* find(const Entry& entry) {
    for (Group& group : groups_) {
      if (group.shares(entry)) return &group;
    }
    return groups_.size() < groups_max ? &groups_.emplace_back(entry) : nullptr;
  }

  std::vector<Group> groups_;
};

}  // namespace longshore::postgres
