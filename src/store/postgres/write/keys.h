// The two kinds of keys as one transaction sees them. A key is taken before anybody looks whether
// it is free: the unique index says who was first, and a transaction that is still under way is
// waited for. What was taken and then not used is given back when the transaction ends.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "longshore/catalog.h"
#include "longshore/job.h"
#include "longshore/time.h"
#include "store/postgres/connection/connection.h"

namespace longshore::postgres {

struct IdempotencyKey {
  std::string ns;
  bool platform = false;  // once-keys of spawned jobs never meet those of clients
  std::string key;
  friend auto operator<=>(const IdempotencyKey&, const IdempotencyKey&) = default;
};
struct BoundKey {
  JobId job;
  std::uint64_t body_hash = 0;
  Status last_status = Status::pending;  // from the job's pruning on
  friend bool operator==(const BoundKey&, const BoundKey&) = default;
};

// What at most one live job holds.
struct JobKey {
  std::string ns;
  std::string type;
  std::string key;
  friend auto operator<=>(const JobKey&, const JobKey&) = default;
};

// What a key leads to: in the tables, and by what the transaction has done so far.
template <class To>
struct KeyState {
  std::optional<To> stored;
  std::optional<To> now;
};

// Used by one transaction.
class Keys {
 public:
  explicit Keys(Connection& connection) : connection_(connection) {}

  // Line up what takes many keys at once, in the order of keys; `taken_*` reads the answer.
  void enqueue_taking(const std::map<IdempotencyKey, BoundKey>& wanted);
  void enqueue_taking(const std::map<JobKey, JobId>& wanted);
  void taken_idempotency_keys(RowSet won, const std::map<IdempotencyKey, BoundKey>& wanted);
  void taken_job_keys(RowSet won, const std::map<JobKey, JobId>& wanted);

  // What the key stands for; none if it was free, and is this transaction's now.
  std::optional<BoundKey> find(const IdempotencyKey& key, const BoundKey& otherwise);
  // The same for a live job's key. The holder may have ended meanwhile: see forget().
  std::optional<JobId> find(const JobKey& key, const JobId& otherwise);
  // What time it was when find() had asked for a job key the last time: whoever held one that it
  // got has ended by then. Begins with no time at all.
  Instant key_asked_at() const { return key_asked_at_; }
  // Looks without taking.
  std::optional<JobId> look(const JobKey& key);
  // What was found was no longer so; the next find() asks again.
  void forget(const JobKey& key) { job_keys_.erase(key); }
  void forget_unchanged();

  void bind(const IdempotencyKey& key, const BoundKey& to) { idempotency_[key].now = to; }
  void hold(const JobKey& key, const JobId& job) { job_keys_[key].now = job; }
  // REQUIRES: the tables or this transaction gave the key to this job.
  void release(const JobKey& key, const JobId& job);

  // Whether no key was taken, found or changed.
  bool empty() const { return idempotency_.empty() && job_keys_.empty(); }
  // Lines up what makes the tables agree with what was done so far.
  void enqueue_changes();
  // The same, and gives back what was not used.
  void enqueue_end();

  // The jobs that taken keys lead to, for loading them together.
  std::vector<JobId> jobs_led_to() const;

 private:
  void enqueue_idempotency(bool end);
  void enqueue_job_keys(bool end);

  Connection& connection_;
  std::map<IdempotencyKey, KeyState<BoundKey>> idempotency_;
  std::map<JobKey, KeyState<JobId>> job_keys_;
  Instant key_asked_at_;
};

}  // namespace longshore::postgres
