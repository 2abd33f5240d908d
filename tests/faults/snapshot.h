// Everything a catalog shows, as one value that can be compared.
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
  bool logs = false;  // of attempts, which are asked for job by job
};

// Of what a Voyage can have left behind. The first error of the catalog, if one comes.
Result<Snapshot> take_snapshot(Catalog& catalog, const Scope& scope);

// Where the two first differ, in words; empty if nowhere.
std::string difference(const Snapshot& expected, const Snapshot& actual);

}  // namespace longshore::faults
