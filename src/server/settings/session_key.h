// The key that signs dashboard sessions. Not kept in the store: otherwise a copy of the database
// would be as good as an admin token.
#pragma once

#include <string>

#include "longshore/error.h"
#include "server/settings/settings.h"

namespace longshore {

// Derived from token-key if set; else for a store in a file from PATH.key, which is created at the
// first start; else empty, for a key that exists only in memory. Errc::refused for a key file that
// other users can read or that cannot be created.
Result<std::string> session_key(const Settings& settings);

}  // namespace longshore
