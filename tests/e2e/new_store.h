// Stores for C++ tests.
#pragma once

#include <string>
#include <vector>

namespace longshore::e2e {

// The durable and remote kinds of this build: "sqlite", "postgres", "redis".
std::vector<std::string> store_kinds();

// The URL of a new, empty store of that kind; a file is created in `folder`.
std::string new_store(const std::string& kind, const std::string& folder);

}  // namespace longshore::e2e
