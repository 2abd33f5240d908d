// Text as a part of a URL.
#pragma once

#include <string>
#include <string_view>

namespace longshore {

// Everything but letters, digits and - _ . ~ as %XX: for a path's segment or a query's value.
std::string escaped(std::string_view text);

// The same for a segment alone: one that is nothing but dots would climb.
std::string path_segment(std::string_view text);

}  // namespace longshore
