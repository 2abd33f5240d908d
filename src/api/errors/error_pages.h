// Pages of error groups, and the jobs of one group.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/catalog.h"

namespace longshore {

// A fingerprint in JSON and in filters: 16 hexadecimal digits. A string, since many JSON parsers
// keep only 53 bits of a number.
std::string fingerprint_text(std::uint64_t fingerprint);
std::optional<std::uint64_t> parse_fingerprint(std::string_view text);

// The position of a group: sorted by its last failure, latest first.
struct GroupCursor {
  Instant last;
  std::uint64_t fingerprint = 0;
  friend bool operator==(const GroupCursor&, const GroupCursor&) = default;
};
std::string cursor_text(const GroupCursor& place);
std::optional<GroupCursor> parse_group_cursor(std::string_view text);

struct ErrorPage {
  std::vector<ErrorGroup> groups;
  std::vector<GroupJobs> jobs;      // one for each group
  std::optional<GroupCursor> next;  // of the last group; none at the end
};
Result<ErrorPage> error_page(Catalog& catalog, const std::string& ns, int limit,
                             const std::optional<GroupCursor>& after);
std::string error_page_json(const ErrorPage& page);

// Whether the job's latest error belongs to the group.
bool is_of_group(const JobSummary& summary, std::uint64_t fingerprint);

// Narrows the query to the group as far as the store can filter.
Result<Nothing> narrow_to_group(Catalog& catalog, std::uint64_t fingerprint, ListQuery& query);

// The jobs of a group that match the query. After reading many others, the page ends early, with a
// cursor.
Result<ListPage> list_group(Catalog& catalog, ListQuery query, std::uint64_t fingerprint);

}  // namespace longshore
