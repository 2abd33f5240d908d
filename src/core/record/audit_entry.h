// Recognizes a repeated entry of the audit trail.
#pragma once

#include "longshore/catalog.h"
#include "longshore/command.h"

namespace longshore {

// Compares everything but the time and the number.
inline bool is_same_action(const AuditEntry& entry, const RecordAudit& record) {
  return entry.ns == record.ns && entry.actor == record.actor && entry.action == record.action &&
         entry.target == record.target;
}

}  // namespace longshore
