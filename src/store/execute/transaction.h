// A Transaction is what the verbs see of a store: one transaction's view, in which they find jobs
// and to which they apply what the rules decided. A store implements it; the verbs (verbs.h) are
// written against it once, so that no store has a second idea of what a command does.
//
// What a verb did is seen by whatever the Transaction is asked next, in the same transaction. A
// store may hold the writing back until the transaction ends, and may have to judge all of it again
// when its view turns out to be stale: verbs keep nothing from one time to the next.
//
// A store that cannot be reached notes that for itself. Until it looks, finding finds nothing and
// writing writes nothing; the verdicts of such a transaction are told to nobody.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/rules/change.h"
#include "longshore/catalog.h"
#include "longshore/command.h"
#include "longshore/rules.h"
#include "store/execute/registry.h"

namespace longshore::execute {

// A job in the hands of one transaction. Each store derives its own and adds what else it has to
// remember. Good until the transaction ends or the job is removed.
class Entry {
 public:
  virtual const Job& job() const = 0;
  virtual const std::optional<JobError>& error() const = 0;

 protected:
  ~Entry() = default;
};

// What at most one live job holds.
struct JobKeyRef {
  const std::string& ns;
  const std::string& type;
  const std::string& key;
};
struct IdempotencyRef {
  const std::string& ns;
  bool platform = false;  // once-keys of spawned jobs never meet those of clients
  const std::string& key;
};
struct Binding {
  JobId job;
  std::uint64_t body_hash = 0;
};

// Jobs that the clock will do something to, by when.
enum class Timetable : std::uint8_t {
  future,    // scheduled and retry jobs, by when they run or expire, whichever is first
  expiry,    // jobs that may expire, by when
  recorded,  // jobs that nobody accepted yet, by their creation
  holding,   // running and waiting jobs, by when the clock ends that
};

struct TimeSpan {  // both ends included
  Instant from;
  Instant until;
};

class Transaction : public Registry {
 public:
  virtual const Rules& rules() const = 0;

  // ---- Finding -----------------------------------------------------------------------------

  // The verb is about to ask for these: a store that is far away gets them in one exchange.
  virtual void load(std::span<const JobId>) {}
  // Null if there is no such job.
  virtual Entry* find(const JobId& id) = 0;
  // The live job that holds the key; if none does, the key is kept for `otherwise`.
  virtual Entry* find_holder(const JobKeyRef& key, const JobId& otherwise) = 0;
  // The live job of the key, else the latest one.
  virtual Entry* find_by_key(const JobKeyRef& key) = 0;
  // What an idempotency key stands for, with the job's status as it is now; if it stands for
  // nothing, it is kept for `otherwise`.
  virtual std::optional<KeyView> find_key(const IdempotencyRef& key, const Binding& otherwise) = 0;
  virtual const JobBody& body(Entry& entry) = 0;

  // ---- Changing ----------------------------------------------------------------------------

  // Does what the rules decided, whole: the job, its record's other parts, its logs, counts and
  // indexes; sets the job's number, order and time of pruning. What it spawns is the verb's.
  virtual Entry& apply(Change&& change) = 0;
  // REQUIRES: find_key found nothing under it, in this transaction.
  virtual void bind_key(const IdempotencyRef& key, const Binding& to) = 0;

  // ---- Claims ------------------------------------------------------------------------------

  // Jobs that this claim may hold; those it does not are harmless.
  virtual std::vector<JobId> of_claim(const RequestId& claim) = 0;
  // Asked of a claim that there was nothing new for: whether of_claim knows more of it by now.
  virtual bool recollect(const RequestId&) { return false; }
  // The first queued job of the queue behind `after`, which the last call for this claim and
  // queue answered (null: none yet), of those this claim may be given: of its types, and neither
  // the queue paused, nor the queue or the type at its limit. Null if there is none.
  virtual Entry* next_ready(const Claim& claim, const std::string& queue, const Entry* after) = 0;
  // Of the body, and of the checkpoint if it is to be given out.
  virtual std::int64_t bytes(Entry& entry, bool with_checkpoint) = 0;
  // Puts body and checkpoint into a lease; a store may do that any time before the verdict is
  // told.
  virtual void fill(Lease& lease, Entry& entry) = 0;

  // Whether the job's queue or type may run only so many at once, as far as known: when it stops
  // running, nodes that wait for its place are given a hint. A store of one node needs none.
  virtual bool is_limited(const Job&) { return false; }

  // ---- Time passing ------------------------------------------------------------------------

  // At most `limit` jobs whose time is within the span, oldest first.
  virtual std::vector<JobId> due(Timetable table, const TimeSpan& span, std::int64_t limit) = 0;
  // The earliest time that is `from` or later.
  virtual std::optional<Instant> earliest(Timetable table, Instant from) = 0;
  // At most `limit` queued jobs that stand in no ready order; a store may look a stretch at a
  // time.
  virtual std::vector<JobId> lost(std::int64_t) { return {}; }
  virtual void put_back(Entry&) {}

  // The time by which it is judged what is old enough to go: never later than now, and long ago
  // while a step of the clock is waited out.
  virtual Instant prune_by() = 0;
  // Removes at most `limit` finished jobs whose time has come by `until`, with everything that
  // belongs to them; how many. Their keys go on answering until `keys_until`.
  virtual std::int64_t prune(std::int64_t limit, Instant until, Instant keys_until) = 0;
  virtual std::optional<Instant> next_pruning() = 0;
  // Removes at most `limit` keys that outlived their job long enough by `until`; how many.
  virtual std::int64_t forget_keys(std::int64_t limit, Instant until) = 0;
  virtual std::optional<Instant> next_forgetting() = 0;

 protected:
  ~Transaction() = default;
};

}  // namespace longshore::execute
