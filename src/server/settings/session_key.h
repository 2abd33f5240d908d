// The key that seals the dashboard's sessions. Whoever can read the store must not know it, or a
// copy of the database would be as good as an admin's token.
#pragma once

#include <string>

#include "longshore/error.h"
#include "server/settings/settings.h"

namespace longshore {

// From token-key if that is set; else for a store in a file from PATH.key, which is made at the
// first start; else empty, for a key that ends with the process. Errc::refused for a key file that
// others than its owner can read, or that cannot be made.
Result<std::string> session_key(const Settings& settings);

}  // namespace longshore
