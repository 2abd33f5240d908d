// Proofs that a store is sound: of the file on a reader, of the writer's memory while it rests.
#pragma once

#include "longshore/catalog.h"
#include "longshore/rules.h"
#include "store/sqlite/file/readers.h"
#include "store/sqlite/write/transaction.h"

namespace longshore::sqlite {

// Every record by itself, every table against every other, every index by SQLite's own check.
// What is asked of single rows is asked of a part of them at a time. What needs one moment of all
// of it is interrupted if the log grows far too long meanwhile: Errc::overloaded then names what
// was not checked, or if the store contradicts itself elsewhere, a finding does. Errc::unavailable
// when the watch ended it.
Result<Audit> audit_file(Readers& readers, const Rules& rules, const AuditWatch& watch);

// Adds what memory holds and the file does not say. REQUIRES: nobody writes.
void audit_memory(SqliteTransaction& work, Audit& audit);

}  // namespace longshore::sqlite
