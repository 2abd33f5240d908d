#include "api/errors/error_pages.h"

#include <algorithm>
#include <utility>

#include "api/jobs/list_filter.h"
#include "api/wire/json_out.h"
#include "core/ids/uuid.h"
#include "core/record/error_group.h"

namespace longshore {
namespace {

constexpr int jobs_counted = 500;
constexpr int jobs_per_read = 500;
constexpr std::size_t looked_at_max = 20'000;

GroupCursor place_of(const ErrorGroup& group) { return {group.last_at, group.fingerprint}; }

bool comes_first(const GroupCursor& a, const GroupCursor& b) {
  return a.last != b.last ? a.last > b.last : a.fingerprint < b.fingerprint;
}

void write_group(JsonOut& out, const ErrorGroup& group, const GroupJobs& jobs) {
  out.open('{');
  out.member("jobType", group.type);
  out.member("fingerprint", fingerprint_text(group.fingerprint));
  out.member("count", group.count);
  out.member("first", group.first_at);
  out.member("last", group.last_at);
  out.member("sample", group.sample);
  out.member("code", group.code);
  out.member("message", group.message);
  out.member("dead", jobs.dead);
  out.member("retrying", jobs.retrying);
  out.member("recovered", jobs.recovered);
  out.member("more", jobs.more);
  out.close('}');
}

}  // namespace

std::string fingerprint_text(std::uint64_t fingerprint) {
  return to_hex(0, fingerprint).substr(16);
}

std::optional<std::uint64_t> parse_fingerprint(std::string_view text) {
  const auto halves = parse_hex(std::string(16, '0') + std::string(text));
  return halves ? std::optional(halves->second) : std::nullopt;
}

std::string cursor_text(const GroupCursor& place) {
  return "g" + to_hex(static_cast<std::uint64_t>(place.last.count()), place.fingerprint);
}

std::optional<GroupCursor> parse_group_cursor(std::string_view text) {
  if (!text.starts_with('g')) return std::nullopt;
  const auto halves = parse_hex(text.substr(1));
  if (!halves) return std::nullopt;
  const GroupCursor place{Instant::millis(static_cast<std::int64_t>(halves->first)),
                          halves->second};
  return cursor_text(place) == text ? std::optional(place) : std::nullopt;
}

Result<ErrorPage> error_page(Catalog& catalog, const std::string& ns, int limit,
                             const std::optional<GroupCursor>& after) {
  Result<std::vector<ErrorGroup>> all = catalog.error_groups(ns);
  if (!all) return all.error();
  std::ranges::sort(*all, comes_first, place_of);
  ErrorPage page;
  for (ErrorGroup& group : *all) {
    if (after && !comes_first(*after, place_of(group))) continue;
    if (std::ssize(page.groups) == limit) {
      page.next = place_of(page.groups.back());
      break;
    }
    page.groups.push_back(std::move(group));
  }
  Result<std::vector<GroupJobs>> jobs = catalog.jobs_of_groups(page.groups, jobs_counted);
  if (!jobs) return jobs.error();
  page.jobs = std::move(*jobs);
  return page;
}

std::string error_page_json(const ErrorPage& page) {
  JsonOut out;
  out.open('{');
  out.key("errors");
  out.open('[');
  for (std::size_t i = 0; i < page.groups.size(); ++i) {
    write_group(out, page.groups[i], page.jobs[i]);
  }
  out.close(']');
  out.member("nextCursor", page.next ? std::optional(cursor_text(*page.next)) : std::nullopt);
  out.close('}');
  return out.take();
}

bool is_of_group(const JobSummary& summary, std::uint64_t fingerprint) {
  if (!summary.error) return false;
  const auto& [code, message, details] = *summary.error;
  return error_fingerprint(summary.job.type, code, message) == fingerprint;
}

Result<Nothing> narrow_to_group(Catalog& catalog, std::uint64_t fingerprint, ListQuery& query) {
  const Result<std::vector<ErrorGroup>> groups = catalog.error_groups(query.ns);
  if (!groups) return groups.error();
  const auto group = std::ranges::find(*groups, fingerprint, &ErrorGroup::fingerprint);
  // A group may be pruned before its dead letters.
  if (group == groups->end()) return Nothing{};
  if (!query.type) query.type = group->type;
  if (!query.error && !group->code.empty()) query.error = group->code;
  return Nothing{};
}

Result<ListPage> list_group(Catalog& catalog, ListQuery query, std::uint64_t fingerprint) {
  const auto limit = static_cast<std::size_t>(query.limit);
  query.limit = jobs_per_read;
  if (const auto narrowed = narrow_to_group(catalog, fingerprint, query); !narrowed) {
    return narrowed.error();
  }
  ListPage found;
  for (std::size_t looked_at = 0; looked_at < looked_at_max; looked_at += jobs_per_read) {
    Result<ListPage> page = list_jobs(catalog, query);
    if (!page) return page.error();
    for (JobSummary& summary : page->jobs) {
      if (!is_of_group(summary, fingerprint)) continue;
      if (found.jobs.size() == limit) {
        found.next = found.jobs.back().job.id;
        return found;
      }
      found.jobs.push_back(std::move(summary));
    }
    query.before = found.next = page->next;
    if (!page->next) break;
  }
  return found;
}

}  // namespace longshore
