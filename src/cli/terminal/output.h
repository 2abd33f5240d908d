// How answers are printed: for people, as one JSON text, or as JSON lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/settings/settings.h"

namespace longshore {

enum class Format { text, json, lines };

// By --json and --output; the one that says more wins.
Format format_of(const Settings& settings);

// Prints a list of JSON objects for machines: {"name": [...]}, with `more` inside the braces, or a
// line each. REQUIRES: the format is not for people.
void print_list(Format format, std::string_view name, const std::vector<std::string>& objects,
                std::string_view more = "");

}  // namespace longshore
