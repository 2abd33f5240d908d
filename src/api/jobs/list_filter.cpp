#include "api/jobs/list_filter.h"

#include <algorithm>

#include "api/errors/error_pages.h"
#include "core/record/state_filter.h"
#include "core/rules/limits.h"
#include "core/text/names.h"
#include "core/text/utf8.h"

namespace longshore {
namespace {

std::optional<std::string> part_fault(std::string_view text) {
  const std::optional<std::size_t> length = utf8_length(text);
  if (length && *length >= 1 && *length <= error_filter_characters_max) return std::nullopt;
  return "must be 1 to 500 characters";
}

template <class Source>
std::vector<StateMatch> read_states_of(Source& source, const JobView& view) {
  const std::optional<std::string> text = source.text("state");
  if (!text) return {};
  std::optional<std::vector<StateMatch>> states = read_states(*text, view.profile);
  if (!states) {
    source.invalid("state", "must be a comma-separated list of " + state_words_text(view.profile));
  }
  return std::move(states).value_or(std::vector<StateMatch>());
}

template <class Source>
std::optional<std::uint64_t> read_fingerprint(Source& source) {
  const std::optional<std::string> text = source.text("fingerprint");
  if (!text) return std::nullopt;
  const std::optional<std::uint64_t> fingerprint = parse_fingerprint(*text);
  if (!fingerprint) {
    source.invalid("fingerprint", "must be 16 hexadecimal digits, as in GET /errors");
  }
  return fingerprint;
}

template <class Source>
JobFilter read(Source& source, const std::string& ns) {
  JobFilter filter{.query = {.ns = ns}, .view = &read_view(source), .fingerprint = {}};
  ListQuery& query = filter.query;
  query.states = read_states_of(source, *filter.view);
  // Longshore's own types have reserved names, and are listed like all others.
  query.type = source.text("jobType", any_job_type_fault);
  query.queue = source.text("queue", queue_fault);
  query.tag = source.text("tag", tag_fault);
  query.job_key = source.text("jobKey", key_fault);
  query.idempotency_key = source.text("idempotencyKey", key_fault);
  query.error = source.text("error", part_fault);
  query.created_after = source.time("createdAfter");
  query.created_before = source.time("createdBefore");
  filter.fingerprint = read_fingerprint(source);
  return filter;
}

// Lists are sorted by id, newest first: a page before this id begins with that job.
JobId next_to(const JobId& id) {
  const std::uint64_t low = id.low + 1;
  return {.high = id.high + (low == 0 ? 1 : 0), .low = low};
}

// That job only, if the rest of the query matches it.
ListQuery query_for(const Job& job, ListQuery query) {
  query.idempotency_key.reset();
  query.created_after = std::max(query.created_after.value_or(job.created_at), job.created_at);
  query.before = next_to(job.id);
  query.limit = 1;
  return query;
}

}  // namespace

Result<ListPage> list_jobs(Catalog& catalog, const ListQuery& query) {
  Result<ListPage> page = catalog.list(query);
  if (!page || !page->jobs.empty() || !query.idempotency_key || query.before) return page;
  const Result<KeyView> key = catalog.find_idempotency_key(query.ns, *query.idempotency_key);
  const Result<Job> job = key ? catalog.glance(query.ns, key->job) : Result<Job>(key.error());
  if (!job && job.error().code == Errc::not_found) return page;
  if (!job) return job.error();
  Result<ListPage> found = catalog.list(query_for(*job, query));
  if (!found || found->jobs.empty()) return found;
  if (found->jobs.front().job.id != job->id) return page;
  found->next.reset();
  return found;
}

JobFilter read_filter(Query& source, const std::string& ns) { return read(source, ns); }
JobFilter read_filter(Fields& source, const std::string& ns) { return read(source, ns); }

}  // namespace longshore
