// Everything that a catalog shows, as one comparable value.
#pragma once

#include <string>
#include <vector>

#include "longshore/catalog.h"
#include "longshore/error.h"

namespace longshore::faults {

struct Snapshot {
  std::vector<JobRecord> jobs;
  std::vector<std::vector<AttemptLog>> logs;  // of each job
  std::vector<QueueView> queues;
  std::vector<AuditEntry> audit_trail;
  std::vector<ErrorGroup> error_groups;
  std::vector<KeyView> keys;
  std::vector<WorkerView> workers;
  std::vector<NodeView> nodes;
  std::vector<MinuteRow> minutes;
  std::vector<QueueRule> queue_rules;
  std::vector<TypeRule> type_rules;
};

struct Scope {
  bool logs = false;  // of attempts; one query per job
};

// Of everything a RandomWorkload can create. Returns the catalog's first error, if any.
Result<Snapshot> take_snapshot(Catalog& catalog, const Scope& scope);

// The first difference as text; empty if there is none.
std::string difference(const Snapshot& expected, const Snapshot& actual);

}  // namespace longshore::faults
