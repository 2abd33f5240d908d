// After a failed sync Linux counts the pages as clean: readers still see them, no later sync
// writes them, and a power cut takes them. A process that starts on such a log would build on
// commits that are on no disk.
#pragma once

#include "store/sqlite/file/connection.h"

namespace longshore::sqlite {

// Writes the write-ahead log over itself and syncs it, so that what was recovered from it is on
// the disk before anything rests on it. Costs nothing after a clean close, which leaves no log.
// The database says whether it worked. REQUIRES: no transaction is open.
void rewrite_log(Database& database);

}  // namespace longshore::sqlite
