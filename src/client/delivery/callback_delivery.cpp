#include "client/delivery/callback_delivery.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/json/json_scan.h"
#include "core/json/json_value.h"
#include "longshore/json.h"
#include "worker/plain_text.h"

namespace longshore {
namespace {

// The payload of a callback job; see core/rules/callback.h.
struct Notice {
  std::string job, type, status, completed_at, url, secret_name;
};

std::optional<Notice> read_notice(std::string_view payload) {
  std::vector<JsonMember> members;
  if (!scan_object(payload, members)) return std::nullopt;
  const auto text = [&](std::string_view name) -> std::string {
    for (const JsonMember& member : members) {
      if (is_named(member, name)) return json_string(member.value).value_or("");
    }
    return "";
  };
  return Notice{text("jobId"),       text("jobType"), text("status"),
                text("completedAt"), text("url"),     text("secretName")};
}

void member(JsonWriter& json, std::string_view name, std::string_view text) {
  json.name(name);
  json.string(text);
}

void write_outcome(JsonWriter& json, const JobRecord& record) {
  if (!record.job.job_key.empty()) member(json, "jobKey", record.job.job_key);
  if (record.result) {
    json.name("result");
    json.raw(*record.result);
  } else if (record.error) {
    json.name("error");
    json.begin_object();
    member(json, "code", record.error->code);
    member(json, "message", record.error->message);
    json.end_object();
  }
}

std::string event_of(const std::string& status) {
  std::string event = "job." + status;
  std::ranges::transform(event, event.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return event;
}

std::string body_of(const Notice& notice, const Result<JobRecord>& record) {
  JsonWriter json;
  json.begin_object();
  member(json, "type", event_of(notice.status));
  member(json, "timestamp", notice.completed_at);
  json.name("data");
  json.begin_object();
  member(json, "jobId", notice.job);
  member(json, "jobType", notice.type);
  member(json, "status", notice.status);
  member(json, "completedAt", notice.completed_at);
  if (record) write_outcome(json, *record);
  json.end_object();
  json.end_object();
  return json.take();
}

// Every status but 410 is retried: the receiver may be fixed.
Ending ending_for(const HttpReply& reply, const std::string& to, Instant now) {
  if (reply.status >= 200 && reply.status < 300) return ok();
  const std::string code = "HTTP_" + std::to_string(reply.status);
  const std::string message = to + " answered " + std::to_string(reply.status);
  if (reply.status == 410) return fail_for_good(message, code);
  if (const auto wait = retry_after(reply, now)) return retry_in(*wait, message, code);
  return fail(message, code);
}

class Delivery {
 public:
  Delivery(std::shared_ptr<const WebhookSender> sender, std::string ns, Duration timeout,
           FindJob find)
      : sender_(std::move(sender)), ns_(std::move(ns)), timeout_(timeout), find_(std::move(find)) {}

  Ending operator()(Context& context) const {
    const auto notice = read_notice(context.payload());
    const auto job = notice ? parse_job_id(notice->job) : std::nullopt;
    if (!job) return fail_for_good("the payload is not a callback notice", "BAD_ARGUMENTS");
    Result<OutgoingUrl> url = sender_->outgoing->check(notice->url);
    if (!url) return ending_of(url.error());
    const Result<JobRecord> record = find_(*job);
    if (!record && record.error().code != Errc::not_found) return fail(record.error().message);
    HttpCall call{.method = "POST", .body = body_of(*notice, record), .timeout = timeout_};
    call.headers = {{"Content-Type", "application/json"}};
    Result<Headers> more = signed_by(*notice, to_text(context.job()), call.body);
    if (!more) return fail(more.error().message, "NO_SECRET");
    for (auto& header : *more) call.headers.push_back(std::move(header));
    Result<HttpReply> reply = sender_->outgoing->send(*url, call, context.stop_token());
    if (context.stop_requested()) return release();
    if (!reply) return ending_of(reply.error());
    return ending_for(*reply, url->authority(), sender_->now());
  }

 private:
  Result<Headers> signed_by(const Notice& notice, const std::string& id,
                            const std::string& body) const {
    const Result<const std::string*> key =
        sender_->secrets.for_callback(ns_, {.url = notice.url, .secret_name = notice.secret_name});
    if (!key) return key.error();
    if (*key == nullptr) return message_headers(id, sender_->now());
    return signature_headers(**key, id, sender_->now(), body);
  }

  std::shared_ptr<const WebhookSender> sender_;
  std::string ns_;
  Duration timeout_;
  FindJob find_;
};

}  // namespace

Handler callback_handler(std::shared_ptr<const WebhookSender> sender, std::string ns,
                         Duration timeout, FindJob find) {
  return Delivery(std::move(sender), std::move(ns), timeout, std::move(find));
}

}  // namespace longshore
