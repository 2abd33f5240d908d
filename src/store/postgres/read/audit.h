// Proves the tables sound.
#pragma once

#include "longshore/catalog.h"
#include "longshore/rules.h"
#include "store/postgres/connection/readers.h"

namespace longshore::postgres {

Result<Audit> audit_tables(Readers& readers, const Rules& rules, const AuditWatch& watch);

}  // namespace longshore::postgres
