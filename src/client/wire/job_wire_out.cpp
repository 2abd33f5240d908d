#include <utility>

#include "client/http/escape.h"
#include "client/wire/job_wire.h"
#include "core/record/list_page.h"
#include "core/rules/job_request.h"
#include "core/text/time_text.h"
#include "longshore/json.h"

namespace longshore {
namespace {

void put_text(JsonWriter& json, std::string_view name, const std::string& text) {
  if (text.empty()) return;
  json.name(name);
  json.string(text);
}

void put_text(JsonWriter& json, std::string_view name, const std::optional<std::string>& text) {
  if (!text) return;
  json.name(name);
  json.string(*text);
}

void put_raw(JsonWriter& json, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  json.name(name);
  json.raw(value);
}

void put(JsonWriter& json, std::string_view name, const std::optional<int>& number) {
  if (!number) return;
  json.name(name);
  json.integer(*number);
}

void put(JsonWriter& json, std::string_view name, const std::optional<Duration>& length) {
  if (!length) return;
  json.name(name);
  json.number(length->in_seconds());
}

void put(JsonWriter& json, std::string_view name, const std::optional<Instant>& at) {
  if (at) put_text(json, name, to_text(*at));
}

void put_delay(JsonWriter& json, Duration delay) {
  if (delay != Duration()) put(json, "delaySeconds", std::optional(delay));
}

std::string_view word_of(OnConflict conflict) {
  switch (conflict) {
    case OnConflict::existing:
      return "existing";
    case OnConflict::reject:
      return "reject";
    case OnConflict::replace:
      break;
  }
  return "replace";
}

std::string_view word_of(Backoff::Kind kind) {
  switch (kind) {
    case Backoff::Kind::exponential:
      return "exponential";
    case Backoff::Kind::fixed:
      return "fixed";
    case Backoff::Kind::none:
      break;
  }
  return "none";
}

void put_backoff(JsonWriter& json, const BackoffLayer& backoff) {
  if (!backoff.kind && !backoff.base && !backoff.max && !backoff.jitter) return;
  json.name("backoff");
  json.begin_object();
  if (backoff.kind) put_text(json, "kind", std::string(word_of(*backoff.kind)));
  put(json, "baseSeconds", backoff.base);
  put(json, "maxSeconds", backoff.max);
  if (backoff.jitter) {
    json.name("jitter");
    json.number(*backoff.jitter);
  }
  json.end_object();
}

void put_tags(JsonWriter& json, const std::vector<std::string>& tags) {
  if (tags.empty()) return;
  json.name("tags");
  json.begin_array();
  for (const std::string& tag : tags) {
    json.element();
    json.string(tag);
  }
  json.end_array();
}

void put_callback(JsonWriter& json, const Callback& callback) {
  json.name("callback");
  json.begin_object();
  json.name("url");
  json.string(callback.url);
  put_text(json, "secretName", callback.secret_name);
  json.end_object();
}

std::optional<Error> put_job(JsonWriter& json, const JobRequest& request) {
  const EnqueueOptions& options = request.options;
  json.begin_object();
  put_text(json, "jobType", request.type);
  put_text(json, "jobId", to_text(options.id.value_or(JobId())));
  put_text(json, "queue", options.queue);
  put(json, "priority", std::optional(options.priority));
  put_text(json, "idempotencyKey", options.idempotency_key);
  put_text(json, "jobKey", options.job_key);
  put_text(json, "onConflict", std::string(word_of(options.on_conflict)));
  put(json, "runAt", options.run_at);
  put_delay(json, options.delay);
  put(json, "expiresAt", options.expires_at);
  put(json, "maxRetries", options.policy.max_retries);
  put(json, "timeoutSeconds", options.policy.timeout);
  put_backoff(json, options.policy.backoff);
  put_tags(json, options.tags);
  const Result<std::string> metadata = metadata_json(options.metadata);
  if (!metadata) return metadata.error();
  put_raw(json, "metadata", *metadata);
  if (options.callback) put_callback(json, *options.callback);
  put_raw(json, "payload", request.payload);
  json.end_object();
  if (!json.fault()) return std::nullopt;
  return Error{Errc::invalid, *json.fault(), Code::invalid_field};
}

// The header belongs to the request, so all its jobs must have the same value.
std::optional<Error> add_trace(HttpCall& call, const std::vector<JobRequest>& requests) {
  const std::string& trace = requests.front().options.traceparent;
  for (const JobRequest& request : requests) {
    if (request.options.traceparent == trace) continue;
    return Error{Errc::invalid,
                 "traceparent: all jobs of one request to a server must have the same",
                 Code::invalid_field};
  }
  for (const char c : trace) {
    if (c > ' ' && c < 0x7f) continue;
    return Error{Errc::invalid, "traceparent: must be visible ASCII", Code::invalid_field};
  }
  if (!trace.empty()) call.headers.emplace_back("traceparent", trace);
  return std::nullopt;
}

HttpCall post(std::string path, std::string body) {
  return {.method = "POST", .path = std::move(path), .body = std::move(body)};
}

void put_error(JsonWriter& json, const JobError& error) {
  json.name("error");
  json.begin_object();
  put_text(json, "code", error.code);
  json.name("message");
  json.string(error.message);
  put_raw(json, "details", error.details);
  json.end_object();
}

HttpCall call_of(const FinishByKey& finish) {
  JsonWriter json;
  json.begin_object();
  if (finish.outcome.result) {
    put_raw(json, "result", *finish.outcome.result);
  } else {
    put_error(json, finish.outcome.error);
    json.name("retryable");
    json.boolean(finish.outcome.retryable);
  }
  if (finish.fence) {
    json.name("fence");
    json.integer(*finish.fence);
  }
  json.end_object();
  const std::string verb = finish.outcome.result ? "/complete" : "/fail";
  HttpCall call =
      post("/types/" + path_segment(finish.type) + "/keys/" + path_segment(finish.key) + verb,
           json.take());
  call.headers.emplace_back("Idempotency-Key", to_hex(finish.id));
  return call;
}

HttpCall call_of(const Resolve& resolve) {
  JsonWriter json;
  json.begin_object();
  if (resolve.outcome.result) {
    put_raw(json, "result", *resolve.outcome.result);
  } else {
    put_error(json, resolve.outcome.error);
  }
  json.end_object();
  HttpCall call = post("/jobs/" + to_text(resolve.job) + "/resolve", json.take());
  call.headers.emplace_back("Idempotency-Key", to_hex(resolve.id));
  return call;
}

HttpCall call_of(const Cancel& cancel) {
  return post("/jobs/" + to_text(cancel.job) + "/cancel",
              cancel.force ? R"({"force":true})" : "{}");
}

HttpCall call_of(const Promote& promote) {
  return post("/jobs/" + to_text(promote.job) + "/promote", "{}");
}

HttpCall call_of(const Redrive& redrive) {
  JsonWriter json;
  json.begin_object();
  put_raw(json, "payload", redrive.payload.value_or(""));
  put_text(json, "queue", redrive.queue);
  put(json, "priority", redrive.priority);
  put(json, "maxRetries", redrive.max_retries);
  put(json, "timeoutSeconds", redrive.timeout);
  put_delay(json, redrive.delay);
  put(json, "runAt", redrive.run_at);
  json.end_object();
  return post("/jobs/" + to_text(redrive.job) + "/redrive", json.take());
}

class QueryText {
 public:
  void add(std::string_view name, const std::optional<std::string>& value) {
    if (!value) return;
    text_ += (text_.empty() ? "?" : "&") + std::string(name) + "=" + escaped(*value);
  }
  void add(std::string_view name, const std::optional<Instant>& at) {
    if (at) add(name, std::optional(to_text(*at)));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

Result<HttpCall> call_for(const std::vector<JobRequest>& requests) {
  if (requests.empty())
    return Error{Errc::invalid, "jobs must be 1 to 10,000", Code::invalid_field};
  JsonWriter json;
  const bool batch = requests.size() > 1;
  if (batch) {
    json.begin_object();
    json.name("jobs");
    json.begin_array();
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (batch) json.element();
    if (auto error = put_job(json, requests[i])) {
      if (batch) error->message = "jobs[" + std::to_string(i) + "]: " + error->message;
      return *error;
    }
  }
  if (batch) {
    json.end_array();
    json.end_object();
  }
  HttpCall call = post(batch ? "/jobs/batch" : "/jobs", json.take());
  if (auto error = add_trace(call, requests)) return *error;
  return call;
}

Result<HttpCall> call_for_action(const Command& command) {
  return std::visit(
      []<class Asked>(const Asked& asked) -> Result<HttpCall> {
        if constexpr (requires { call_of(asked); }) {
          return call_of(asked);
        } else {
          return Error{Errc::invalid, "clients cannot send this command"};
        }
      },
      command);
}

namespace {

constexpr std::string_view failed_word = "FAILED";

// As values of the parameter `state`; nothing if one of them has no public name.
std::optional<std::string> words_of(std::span<const StateMatch> states) {
  std::string text;
  for (const StateMatch& match : states) {
    const bool failed = match.state == State::dead && match.withdrawn == false && !match.started;
    const bool whole = !match.withdrawn && !match.started;
    if (!failed && !whole) return std::nullopt;
    if (!text.empty()) text += ',';
    text += failed ? failed_word : to_text(match.state);
  }
  return text;
}

}  // namespace

Result<HttpCall> call_for(const ListQuery& query) {
  if (!query.ns.empty()) {
    return Error{Errc::invalid, "ns: the token determines the namespace; leave it empty"};
  }
  const std::optional<std::string> states = words_of(query.states);
  if (!states) {
    return Error{Errc::invalid, "states: a server supports parts of a state only for FAILED"};
  }
  if (query.hide_redriven && *states != failed_word) {
    return Error{Errc::invalid,
                 "hide_redriven: a server supports it only with State::dead, not withdrawn"};
  }
  QueryText text;
  if (!states->empty() && !query.hide_redriven) text.add("state", states);
  text.add("jobType", query.type);
  text.add("queue", query.queue);
  text.add("tag", query.tag);
  text.add("jobKey", query.job_key);
  text.add("idempotencyKey", query.idempotency_key);
  text.add("error", query.error);
  text.add("createdAfter", query.created_after);
  text.add("createdBefore", query.created_before);
  text.add("limit", std::to_string(query.limit));
  if (query.before) text.add("cursor", cursor_text(*query.before));
  return HttpCall{.path = (query.hide_redriven ? "/dead" : "/jobs") + text.text()};
}

}  // namespace longshore
