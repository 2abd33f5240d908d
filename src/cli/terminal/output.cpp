#include "cli/terminal/output.h"

#include <iostream>

#include "cli/client/json_row.h"

namespace longshore {

Format format_of(const Settings& settings) {
  const std::string said = settings.text("output");
  if (said == "jsonl") return Format::lines;
  return said == "json" || settings.boolean("json") ? Format::json : Format::text;
}

void print_list(Format format, std::string_view name, const std::vector<std::string>& objects,
                std::string_view more) {
  if (format == Format::json) {
    std::cout << json_list(name, objects, more) << "\n";
    return;
  }
  for (const std::string& object : objects) std::cout << object << "\n";
}

}  // namespace longshore
