#include <algorithm>
#include <charconv>
#include <iostream>

#include "cli/client/filter.h"
#include "cli/client/json_row.h"
#include "cli/client/server_calls.h"
#include "cli/command.h"
#include "cli/terminal/figures.h"
#include "cli/terminal/job_text.h"
#include "cli/terminal/output.h"
#include "cli/terminal/table.h"
#include "core/text/time_text.h"

namespace longshore {
namespace {

constexpr std::int64_t page_max = 500;  // the API's maximum
constexpr std::int64_t default_limit = 50;

// The number of jobs to show; unlimited with --all.
Result<std::int64_t> limit_of(const Invocation& invocation) {
  const auto text = invocation.flag("--limit");
  if (invocation.has("--all")) {
    if (text) return Error{Errc::invalid, "--all and --limit cannot both be set"};
    return std::numeric_limits<std::int64_t>::max();
  }
  if (!text) return default_limit;
  std::int64_t limit = 0;
  const char* const end = text->data() + text->size();
  const auto [rest, fault] = std::from_chars(text->data(), end, limit);
  if (fault == std::errc() && rest == end && limit >= 1) return limit;
  return Error{Errc::invalid, "--limit must be a whole number, 1 or more"};
}

struct Jobs {
  std::vector<std::string> jobs;  // JSON objects of the API
  std::string next;               // cursor of the next page; empty at the end
};

// Fetches pages until there are enough jobs.
Result<Jobs> fetch(HttpClient& client, const std::string& path, const Filter& filter,
                   std::int64_t limit, std::string cursor) {
  Jobs found;
  do {
    const std::int64_t left = limit - std::ssize(found.jobs);
    std::string call = path + "limit=" + std::to_string(std::min(left, page_max));
    if (!filter.empty()) call += "&" + filter.query();
    if (!cursor.empty()) call += "&cursor=" + escaped(cursor);
    Result<HttpReply> reply = call_api(client, {.path = std::move(call)});
    if (!reply) return reply.error();
    const JsonRow page(reply->body);
    for (const std::string_view job : page.list("jobs")) found.jobs.emplace_back(job);
    found.next = cursor = page.text("nextCursor");
  } while (!cursor.empty() && std::ssize(found.jobs) < limit);
  return found;
}

std::string since(const std::string& at) {
  const auto time = parse_time(at);
  return time ? age_text(std::max(wall_now() - *time, Duration())) : "";
}

// A table with one column per field of the profile, in the order of the reply.
void print_view(const Jobs& found) {
  if (found.jobs.empty()) return;
  const std::vector<std::string> names = JsonRow(found.jobs.front()).names();
  std::vector<Column> columns;
  for (const std::string& name : names) {
    columns.push_back({.title = name, .least = columns.empty() ? 0U : 8U});
  }
  Table table(std::move(columns));
  for (const std::string& job : found.jobs) {
    const JsonRow row(job);
    std::vector<Cell> cells;
    for (const std::string& name : names) cells.push_back({row.text(name)});
    table.add(std::move(cells));
  }
  std::cout << table.text();
}

void print_jobs(const Jobs& found) {
  Table table({{.title = "JOB"},
               {.title = "TYPE", .least = 8},
               {.title = "QUEUE", .least = 6},
               {.title = "STATE"},
               {.title = "TRIES", .right = true, .rank = 2},
               {.title = "AGE", .right = true, .rank = 1},
               {.title = "KEY", .least = 5, .rank = 3},
               {.title = "TAGS", .least = 5, .rank = 4}});
  for (const std::string& job : found.jobs) {
    const JsonRow row(job);
    std::string tags;
    for (const std::string_view tag : row.list("tags")) {
      tags += (tags.empty() ? "" : " ") + std::string(tag.substr(1, tag.size() - 2));
    }
    const std::string state = row.text("state");
    table.add({{row.text("jobId")},
               {row.text("jobType")},
               {row.text("queue")},
               {state, colour_of_state(state)},
               {row.text("attempt")},
               {since(row.text("createdAt"))},
               {row.text("jobKey")},
               {tags}});
  }
  std::cout << table.text();
}

ExitCode run_on(const Invocation& invocation, const std::string& path) {
  Result<Filter> filter = read_filter(invocation);
  if (!filter) return usage_error(filter.error().message);
  const Result<std::int64_t> limit = limit_of(invocation);
  if (!limit) return usage_error(limit.error().message);
  Result<std::shared_ptr<HttpClient>> client = connect(invocation.settings);
  if (!client) return usage_error(client.error().message);
  Result<Jobs> found =
      fetch(**client, path, *filter, *limit, invocation.flag("--cursor").value_or(""));
  if (!found) return print_error(found.error());
  const Format format = format_of(invocation.settings);
  if (format != Format::text) {
    const std::string next = found->next.empty() ? "null" : "\"" + found->next + "\"";
    print_list(format, "jobs", found->jobs, ",\"nextCursor\":" + next);
    return ExitCode::done;
  }
  const std::string view = invocation.flag("--view").value_or("native");
  if (view == "native") {
    print_jobs(*found);
  } else {
    print_view(*found);
  }
  if (!found->next.empty()) {
    std::cerr << "More jobs match: use --limit N or --all to show them, or --cursor " << found->next
              << " to continue" << std::endl;
  } else if (found->jobs.empty()) {
    std::cerr << "No matching jobs" << std::endl;
  }
  return ExitCode::done;
}

// Prints each page as it arrives.
Result<std::vector<std::string>> all_groups(HttpClient& client) {
  std::vector<std::string> groups;
  for (std::string path = "/errors?limit=500"; !path.empty();) {
    Result<HttpReply> reply = call_api(client, {.path = path});
    if (!reply) return reply.error();
    const JsonRow page(reply->body);
    for (const std::string_view group : page.list("errors")) groups.emplace_back(group);
    const std::string next = page.text("nextCursor");
    path = next.empty() ? "" : "/errors?limit=500&cursor=" + next;
  }
  return groups;
}

ExitCode print_groups(const Invocation& invocation) {
  const Result<Filter> filter = read_filter(invocation);
  if (!filter) return usage_error(filter.error().message);
  if (!filter->empty()) return usage_error("--groups cannot be combined with filters");
  Result<std::shared_ptr<HttpClient>> client = connect(invocation.settings);
  if (!client) return usage_error(client.error().message);
  const Result<std::vector<std::string>> found = all_groups(**client);
  if (!found) return print_error(found.error());
  const std::vector<std::string>& errors = *found;
  const Format format = format_of(invocation.settings);
  if (format != Format::text) {
    print_list(format, "errors", errors);
    return ExitCode::done;
  }
  Table table({{.title = "COUNT", .right = true},
               {.title = "TYPE", .least = 8},
               {.title = "CODE", .least = 8},
               {.title = "MESSAGE", .least = 12},
               {.title = "LAST", .right = true, .rank = 1},
               {.title = "SAMPLE", .rank = 2}});
  for (const std::string& error : errors) {
    const JsonRow row(error);
    table.add({{count_text(row.integer("count"))},
               {row.text("jobType")},
               {row.text("code"), Colour::red},
               {row.text("message")},
               {since(row.text("last"))},
               {row.text("sample")}});
  }
  std::cout << table.text();
  return ExitCode::done;
}

}  // namespace

ExitCode run_list(const Invocation& invocation) { return run_on(invocation, "/jobs?"); }

ExitCode run_dead(const Invocation& invocation) {
  if (invocation.has("--groups")) return print_groups(invocation);
  return run_on(invocation, invocation.has("--redriven") ? "/dead?redriven=true&" : "/dead?");
}

}  // namespace longshore
