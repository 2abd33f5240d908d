// Everything that can be read from a store, as one value: two stores with the same commands have
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
  bool shared = false;                        // ignore the namespaces of others
};

// Normalizes what stores may choose freely: numbers become ranks, positions in queues are omitted
// (claims show them), and empty queues are dropped. A failed read is a test failure.
Snapshot snapshot(Catalog& catalog, const Seen& seen);

// A description; empty if there is none.
std::string difference(const Snapshot& left, const Snapshot& right);

}  // namespace longshore::conformance
