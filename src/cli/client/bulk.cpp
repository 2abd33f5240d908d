#include "cli/client/bulk.h"

#include <algorithm>
#include <iostream>

#include "cli/client/json_row.h"
#include "cli/terminal/confirm.h"
#include "cli/terminal/figures.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "client/server/server_clock.h"
#include "core/text/time_text.h"

namespace longshore {
namespace {

// The most jobs that one call counts, and how many it acts on, so that progress is visible.
constexpr std::int64_t count_max = 10'000;
constexpr std::int64_t part_size = 1'000;
constexpr Duration part_timeout = Duration::minutes(2);

HttpCall call_for(const BulkAction& action, const Filter& filter, std::int64_t limit,
                  const std::string& more) {
  return {
      .method = "POST",
      .path = std::string(action.path),
      .body = "{\"filter\":" + filter.json() + ",\"limit\":" + std::to_string(limit) + more + "}",
      .timeout = part_timeout};
}

struct Found {
  std::int64_t count = 0;
  bool more = false;
  std::string as_of;  // jobs created later are not affected
  std::vector<std::string> jobs;
};

Result<Found> count(HttpClient& client, const BulkAction& action, const Filter& filter) {
  Result<HttpReply> reply =
      call_api(client, call_for(action, filter, count_max, ",\"dryRun\":true"));
  if (!reply) return reply.error();
  const JsonRow answer(reply->body);
  Found found{.count = answer.integer("count"), .more = answer.boolean("more")};
  for (const std::string_view job : answer.list("jobs")) found.jobs.emplace_back(job);
  // The Date header is truncated to seconds: every job counted was created before the next second.
  if (const auto date = parse_http_date(reply->header("Date"))) {
    found.as_of = to_text(*date + Duration::seconds(1));
  }
  return found;
}

std::string how_many(const Found& found) {
  return (found.more ? "more than " : "") + jobs_text(found.count);
}

void print_jobs(const Invocation& invocation, const std::vector<std::string>& jobs) {
  const Format format = format_of(invocation.settings);
  if (format != Format::text) {
    return print_list(format, "jobs", jobs, ",\"count\":" + std::to_string(jobs.size()));
  }
  for (const std::string& job : jobs) std::cout << JsonRow(job).text("jobId") << "\n";
}

ExitCode work_through(const Invocation& invocation, HttpClient& client, const BulkAction& action,
                      const Filter& filter, const Found& found) {
  const std::string as_of = found.as_of.empty() ? "" : ",\"asOf\":\"" + found.as_of + "\"";
  std::vector<std::string> done;
  Progress progress(std::string(action.past),
                    found.more ? std::nullopt : std::optional(found.count));
  while (true) {
    Result<HttpReply> reply = call_api(client, call_for(action, filter, part_size, as_of));
    if (!reply) {
      progress.finish();
      print_jobs(invocation, done);
      return print_error(reply.error());
    }
    const JsonRow answer(reply->body);
    for (const std::string_view job : answer.list("jobs")) done.emplace_back(job);
    progress.advance(answer.integer("count"));
    // Rejected jobs, such as those whose key is in use again, would be found forever.
    if (!answer.boolean("more") || answer.integer("count") == 0) break;
  }
  progress.finish();
  print_jobs(invocation, done);
  const std::int64_t left = found.count - std::ssize(done);
  if (left > 0) {
    std::cerr << jobs_text(left) << " could not be " << action.past
              << ": their state has changed, or their job key is in use" << std::endl;
  }
  return ExitCode::done;
}

}  // namespace

ExitCode act_on_many(const Invocation& invocation, const BulkAction& action, const Filter& filter) {
  Result<std::shared_ptr<HttpClient>> client = connect(invocation.settings);
  if (!client) return usage_error(client.error().message);
  Result<Found> found = count(**client, action, filter);
  if (!found) return print_error(found.error());
  if (invocation.has("--dry-run")) {
    std::cerr << how_many(*found) << " would be " << action.past << std::endl;
    print_jobs(invocation, found->jobs);
    return ExitCode::done;
  }
  if (found->count == 0) {
    std::cerr << "No matching jobs to " << action.verb << std::endl;
    print_jobs(invocation, {});
    return ExitCode::done;
  }
  const std::string question =
      "This will " + std::string(action.verb) + " " + how_many(*found) + ".";
  const Result<bool> go_on = confirm(invocation, question);
  if (!go_on) return print_error(go_on.error());
  if (!*go_on) {
    std::cerr << "Canceled; no jobs were changed" << std::endl;
    return ExitCode::failed;
  }
  return work_through(invocation, **client, action, filter, *found);
}

ExitCode act_on_each(const Invocation& invocation, const BulkAction& action, CallFor call_for) {
  Result<std::shared_ptr<HttpClient>> client = connect(invocation.settings);
  if (!client) return usage_error(client.error().message);
  const Format format = format_of(invocation.settings);
  ExitCode code = ExitCode::done;
  for (const std::string& id : invocation.arguments) {
    if (!parse_job_id(id)) {
      const ExitCode missing = print_error({Errc::not_found, "\"" + id + "\" is not a job ID"});
      if (code == ExitCode::done) code = missing;
      continue;
    }
    HttpCall call = call_for(invocation, id);
    if (invocation.has("--dry-run")) call = {.path = "/jobs/" + id};
    Result<HttpReply> reply = call_api(**client, call);
    if (!reply) {
      const ExitCode failed = print_error(reply.error());
      if (code == ExitCode::done) code = failed;
      continue;
    }
    if (invocation.has("--dry-run")) std::cerr << id << " would be " << action.past << std::endl;
    if (format != Format::text) {
      std::cout << reply->body << "\n";
    } else {
      std::cout << member_of(reply->body, "jobId") << "  " << member_of(reply->body, "status")
                << "\n";
    }
  }
  return code;
}

ExitCode act_on_chosen(const Invocation& invocation, const BulkAction& action, CallFor call_for) {
  Result<Filter> filter = read_filter(invocation);
  if (!filter) return usage_error(filter.error().message);
  const bool many = !filter->empty() || invocation.has("--all");
  const std::string verb(action.verb);
  if (many && !invocation.arguments.empty()) {
    return usage_error(verb + " takes job IDs or filters, not both");
  }
  if (!many && invocation.arguments.empty()) {
    return usage_error("choose the jobs to " + verb +
                       ": job IDs, filters such as --queue, or --all");
  }
  return many ? act_on_many(invocation, action, *filter)
              : act_on_each(invocation, action, call_for);
}

}  // namespace longshore
