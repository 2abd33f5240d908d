// Percent-encoding.
#pragma once

#include <string>
#include <string_view>

namespace longshore {

// Encodes everything but letters, digits and - _ . ~ for a path segment or a query value.
std::string escaped(std::string_view text);

// The same for a path segment: "." and ".." are encoded too.
std::string path_segment(std::string_view text);

}  // namespace longshore
