// Secrets that the configuration names by a file instead of holding them itself.
#pragma once

#include <string>

#include "longshore/error.h"

namespace longshore {

// The text of the file without the white space around it. Errc::refused, with what to do, if users
// other than its owner and group can read it, or if it is no file of 1 byte to 64 KiB.
Result<std::string> read_secret_file(const std::string& path);

}  // namespace longshore
