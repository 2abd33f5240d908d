// When two entries of the audit trail are one.
#pragma once

#include "longshore/catalog.h"
#include "longshore/command.h"

namespace longshore {

// Times and numbers aside.
inline bool says_the_same(const AuditEntry& entry, const RecordAudit& record) {
  return entry.ns == record.ns && entry.actor == record.actor && entry.action == record.action &&
         entry.target == record.target;
}

}  // namespace longshore
