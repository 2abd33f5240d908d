// Where a node's identity is kept on a store that nodes share.
#pragma once

#include <string>

#include "server/settings/settings.h"

namespace longshore {

// As the settings say; by default a file in the service's or the user's folder for such state, one
// for each store and each node on it. Empty: nowhere.
std::string node_file(const Settings& settings);

}  // namespace longshore
