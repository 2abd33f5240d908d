// The design's class Job. Its payload and result are text; its status is an enumerator, written by
// name and by number.
#include "api/views/writers.h"
#include "core/json/json_value.h"
#include "core/policy/profile_words.h"
#include "core/rules/job_events.h"

namespace longshore {
namespace {

std::vector<JsonMember> members_of(std::string_view object) {
  std::vector<JsonMember> members;
  if (!object.empty() && !scan_object(object, members)) members.clear();
  return members;
}

// The JSON of a member; `otherwise` if it is absent.
std::string_view member_or(const std::vector<JsonMember>& members, std::string_view name,
                           std::string_view otherwise) {
  for (const JsonMember& member : members) {
    if (is_named(member, name)) return member.value.text;
  }
  return otherwise;
}

// A list of {Key, Value}, with all values of a name.
void write_query(JsonOut& out, std::string_view parameters) {
  std::vector<JsonSlice> elements;
  if (!scan_array(parameters, elements)) elements.clear();
  out.key("QueryParams");
  out.open('[');
  for (const JsonSlice& element : elements) {
    const std::vector<JsonMember> parameter = members_of(element.text);
    out.open('{');
    out.member("Key", Verbatim{member_or(parameter, "name", "null")});
    out.member("Value", Verbatim{member_or(parameter, "values", "[]")});
    out.close('}');
  }
  out.close(']');
}

void write_request(JsonOut& out, std::string_view request) {
  const std::vector<JsonMember> members = members_of(request);
  out.member("Headers", Verbatim{member_or(members, "headers", "{}")});
  out.member("RouteParams", Verbatim{member_or(members, "routeParams", "{}")});
  write_query(out, member_or(members, "queryParams", "[]"));
}

void write_failure(JsonOut& out, const ShownJob& shown) {
  out.key("Error");
  if (!shown.error) return out.value(nullptr);
  out.open('{');
  out.member("Code", shown.error->code);
  if (shown.record == nullptr) {
    out.member("Message", short_message(shown.error->message));
  } else {
    out.member("Message", shown.error->message);
    write_json(out, "Details", shown.error->details);
  }
  out.close('}');
}

void write_content(JsonOut& out, const JobRecord& record) {
  write_request(out, record.body.request);
  out.member("Payload", record.body.payload.empty() ? "null" : record.body.payload);
  out.member("Result", record.result);
}

}  // namespace

void write_endpoints(JsonOut& out, const ShownJob& shown) {
  const Job& job = shown.job;
  const bool delayed = job.state == State::scheduled || job.state == State::retry;
  const bool leased = job.lease_expires_at.has_value();
  const ProfileWord status = profile_word("endpoints", job).value_or(ProfileWord());
  out.member("Id", job.id);
  out.member("Name", job.type);
  out.member("Status", status.word);
  out.member("StatusNumber", status.number);
  if (shown.record != nullptr) write_content(out, *shown.record);
  write_failure(out, shown);
  out.member("RetryCount", job.retry_count);
  out.member("MaxRetries", job.policy.max_retries);
  out.member("RetryDelayUntil", delayed ? std::optional(job.run_at) : std::nullopt);
  out.text_or_null("WorkerId", leased ? job.worker : "");
  out.member("CreatedAt", job.created_at);
  out.member("StartedAt", job.started_at);
  out.member("CompletedAt", job.completed_at);
  out.member("LastUpdatedAt", job.updated_at);
}

}  // namespace longshore
