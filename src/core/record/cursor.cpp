#include "core/record/cursor.h"

#include "core/ids/uuid.h"

namespace longshore {

std::string cursor_text(const JobId& last) { return "a" + to_hex(last); }

std::optional<JobId> parse_cursor(std::string_view text) {
  if (!text.starts_with('a')) return std::nullopt;
  const auto id = parse_hex_id<JobId>(text.substr(1));
  // Only what a job's id can be, in the one spelling we write.
  if (!id || cursor_text(*id) != text || !parse_job_id(to_text(*id))) return std::nullopt;
  return id;
}

}  // namespace longshore
