// Proofs that a store is sound: of the file on a reader, of the writer's memory while it rests.
#pragma once

#include "longshore/catalog.h"
#include "longshore/rules.h"
#include "store/sqlite/readers.h"
#include "store/sqlite/unit_of_work.h"

namespace longshore::sqlite {

// Every record by itself, every table against every other, every index by SQLite's own check.
// Each question is asked of one moment; two of them may be asked of two.
Result<Audit> audit_file(Readers& readers, const Rules& rules);

// Adds what memory holds and the file does not say. REQUIRES: nobody writes.
void audit_memory(UnitOfWork& work, Audit& audit);

}  // namespace longshore::sqlite
