// Groups of errors page by page, and the jobs of one group.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/catalog.h"

namespace longshore {

// How a fingerprint reads in answers, and in the filters that take one: 16 hexadecimal digits.
// Text, since JSON's readers keep 53 bits of a number.
std::string fingerprint_text(std::uint64_t fingerprint);
std::optional<std::uint64_t> parse_fingerprint(std::string_view text);

// The place of a group in the order of pages: by its last failure, the latest first.
struct GroupPlace {
  Instant last;
  std::uint64_t fingerprint = 0;
  friend bool operator==(const GroupPlace&, const GroupPlace&) = default;
};
std::string cursor_text(const GroupPlace& place);
std::optional<GroupPlace> parse_group_cursor(std::string_view text);

struct ErrorPage {
  std::vector<ErrorGroup> groups;
  std::vector<GroupJobs> jobs;     // one for each group
  std::optional<GroupPlace> next;  // of the last group; none at the end
};
Result<ErrorPage> error_page(Catalog& catalog, const std::string& ns, int limit,
                             const std::optional<GroupPlace>& after);
std::string error_page_json(const ErrorPage& page);

// Whether the job's latest error belongs to the group.
bool is_of_group(const JobSummary& summary, std::uint64_t fingerprint);

// Leaves out of a query what cannot belong to the group, as far as the store can tell.
Result<Nothing> narrow_to_group(Catalog& catalog, std::uint64_t fingerprint, ListQuery& query);

// The jobs of a group among those that the query means. After many others the page ends early, with
// a cursor.
Result<ListPage> list_group(Catalog& catalog, ListQuery query, std::uint64_t fingerprint);

}  // namespace longshore
