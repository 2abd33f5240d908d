// Reads secrets that the configuration stores in files.
#pragma once

#include <string>

#include "client/delivery/webhook.h"
#include "longshore/error.h"
#include "server/settings/settings.h"

namespace longshore {

// The content of the file without surrounding white space. Errc::refused with advice if other users
// than its owner and group can read it, or if it is not a file of 1 byte to 64 KiB.
Result<std::string> read_secret_file(const std::string& path);

// The secrets that sign webhooks, from the option `secrets` and the tables [secrets.NAME].
// Errc::refused for a file that is missing or that others can read, Errc::invalid for a file
// without a valid secret and for duplicate names.
Result<Secrets> webhook_secrets(const Settings& settings);

}  // namespace longshore
