// How a connection that commits wants to be served.
#pragma once

#include "store/postgres/connection/connection.h"

namespace longshore::postgres {

// Once for a connection that keeps its session; for each transaction where a pooler may give the
// next one another session, which is also where nothing is prepared.
const Sql& session_settings();
const Sql& transaction_settings();

}  // namespace longshore::postgres
