// Everything a reader can see of a store, as one value: two stores that were told the same have
// equal snapshots.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "longshore/catalog.h"

namespace longshore::conformance {

struct Snapshot {
  std::vector<JobRecord> jobs;
  std::vector<std::vector<AttemptLog>> logs;  // of each job
  std::map<std::string, KeyView> keys;        // "namespace/key"
  std::vector<QueueView> queues;
  std::vector<WorkerView> workers;
  std::vector<NodeView> nodes;
  std::vector<MinuteRow> minutes;
  std::vector<ErrorGroup> error_groups;
  std::vector<AuditEntry> trail;
  std::vector<TokenRecord> tokens;
  std::vector<QueueRule> queue_rules;
  std::vector<TypeRule> type_rules;
  StoredRules rules;
};

struct Seen {
  std::vector<std::string> namespaces;
  std::vector<std::string> idempotency_keys;  // to look up in each namespace
  bool shared = false;                        // there are others' namespaces, too: pass them over
};

// What stores may choose freely is evened out: numbers become ranks, places in a queue are left
// to the claims to tell, a queue of which nothing is known is no queue. A read that fails is a
// test failure of its own.
Snapshot snapshot(Catalog& catalog, const Seen& seen);

// In words; empty if there is none.
std::string difference(const Snapshot& left, const Snapshot& right);

}  // namespace longshore::conformance
