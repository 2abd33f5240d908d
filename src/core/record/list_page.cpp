#include "core/record/list_page.h"

#include <algorithm>
#include <utility>

#include "core/ids/uuid.h"

namespace longshore {

std::string cursor_text(const JobId& last) { return "a" + to_hex(last); }

std::optional<JobId> parse_cursor(std::string_view text) {
  if (!text.starts_with('a')) return std::nullopt;
  const auto id = parse_hex_id<JobId>(text.substr(1));
  // Accept job ids only, and only in the spelling that cursor_text writes.
  if (!id || cursor_text(*id) != text || !parse_job_id(to_text(*id))) return std::nullopt;
  return id;
}

ListPage merged_page(std::span<ListPage> parts, int limit) {
  ListPage page;
  bool more = false;
  for (ListPage& part : parts) {
    more = more || part.next.has_value();
    std::ranges::move(part.jobs, std::back_inserter(page.jobs));
  }
  std::ranges::sort(page.jobs,
                    [](const JobSummary& a, const JobSummary& b) { return b.job.id < a.job.id; });
  if (std::ssize(page.jobs) > limit) {
    page.jobs.resize(static_cast<std::size_t>(limit));
    more = true;
  }
  if (more) page.next = page.jobs.back().job.id;
  return page;
}

}  // namespace longshore
