// Output formats: text, one JSON document, or JSON lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/settings/settings.h"

namespace longshore {

enum class Format { text, json, lines };

// The format of --json and --output; --output jsonl overrides --json.
Format format_of(const Settings& settings);

// Prints JSON objects as {"name": [...]}, with `more` inside the braces, or as one line each.
// REQUIRES: the format is not text.
void print_list(Format format, std::string_view name, const std::vector<std::string>& objects,
                std::string_view more = "");

}  // namespace longshore
