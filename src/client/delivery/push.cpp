#include "client/delivery/push.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "client/delivery/replay.h"
#include "client/server/server_clock.h"
#include "core/json/json_scan.h"
#include "core/json/json_value.h"
#include "core/record/stored_json.h"
#include "core/rules/limits.h"
#include "core/text/time_text.h"
#include "worker/plain_text.h"

namespace longshore {
namespace {

constexpr std::size_t shown_of_answer = 500;
constexpr Duration timeout_min = Duration::millis(1);

bool is_for_later(int status) {
  return status == 408 || status == 425 || status == 429 || status >= 500;
}

// JSON unchanged; other text as a JSON string; an empty body as null.
Ending with_result(const std::string& body) {
  if (body.find_first_not_of(" \t\r\n") == std::string::npos) return ok();
  if (const auto scanned = scan_json(body)) return ok(RawJson{std::string(scanned->text)});
  std::string json;
  append_json_string(json, plain_text(body));
  return ok(RawJson{std::move(json)});
}

void add(Headers& to, Headers more) {
  for (auto& header : more) to.push_back(std::move(header));
}

HttpCall plain_call(const Context& context) {
  return {.method = "POST",
          .body = std::string(context.payload()),
          .headers = {{"Content-Type", "application/json"}, {"Accept", "application/json"}}};
}

void add_job(HttpCall& call, const Context& context) {
  const Lease& lease = context.lease();
  add(call.headers, {{"Idempotency-Key", to_text(lease.job)},
                     {"Longshore-Job-Id", to_text(lease.job)},
                     {"Longshore-Job-Type", lease.type},
                     {"Longshore-Attempt", std::to_string(lease.attempt)},
                     {"Longshore-Fence", std::to_string(context.fence())},
                     {"Longshore-Deadline", to_text(lease.deadline_at)}});
  if (!lease.body.traceparent.empty()) {
    call.headers.emplace_back("traceparent", lease.body.traceparent);
  }
}

// Pushes jobs of one type.
class Pusher {
 public:
  Pusher(std::shared_ptr<const WebhookSender> sender, PushOptions options, OutgoingUrl url)
      : sender_(std::move(sender)), options_(std::move(options)), url_(std::move(url)) {}

  Ending operator()(Context& context) const {
    OutgoingUrl url = url_;
    HttpCall call = plain_call(context);
    if (options_.replay && !context.lease().body.request.empty()) {
      auto replayed = replay(context.lease().body, url_);
      if (!replayed) return fail_for_good(replayed.error().message, "BAD_REQUEST");
      url.target = std::move(replayed->target);
      call = std::move(replayed->call);
    }
    add_job(call, context);
    call.timeout = std::max(context.time_left(), timeout_min);
    // The final URL: a replayed request adds its path and query.
    const Result<const std::string*> key = sender_->secrets.for_push(options_.secret_name, url);
    if (!key) return fail_for_good(key.error().message, "NO_SECRET");
    if (*key != nullptr) {
      add(call.headers,
          signature_headers(**key, to_text(context.job()), sender_->now(), call.body));
    }
    Result<HttpReply> reply = sender_->outgoing->send(url, call, context.stop_token());
    if (context.stop_requested()) {
      return context.stop_reason() == StopReason::canceled ? canceled() : release();
    }
    if (!reply) return ending_of(reply.error());
    return ending_of(*reply, url_.authority(), sender_->now());
  }

 private:
  std::shared_ptr<const WebhookSender> sender_;
  PushOptions options_;
  OutgoingUrl url_;
};

}  // namespace

std::optional<Duration> retry_after(const HttpReply& reply, Instant now) {
  const std::string_view text = reply.header("Retry-After");
  std::int64_t seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, seconds);
  Duration wait;
  if (!text.empty() && fault == std::errc() && rest == end && seconds >= 0) {
    wait = Duration::seconds(std::min(seconds, retry_after_max.count() / 1000));
  } else if (const auto date = parse_http_date(text)) {
    wait = *date - now;
  } else {
    return std::nullopt;
  }
  return std::clamp(wait, Duration(), retry_after_max);
}

Ending ending_of(const HttpReply& reply, const std::string& from, Instant now) {
  if (reply.status == 202) return hand_off();
  if (reply.status >= 200 && reply.status < 300) return with_result(reply.body);
  const std::string status = std::to_string(reply.status);
  std::string message = from + " answered " + status;
  if (reply.status >= 300 && reply.status < 400) message += "; redirects are not followed";
  if (!reply.body.empty()) message += ": " + plain_text(reply.body, shown_of_answer);
  if (!is_for_later(reply.status)) return fail_for_good(std::move(message), "HTTP_" + status);
  if (const auto wait = retry_after(reply, now)) {
    return retry_in(*wait, std::move(message), "HTTP_" + status);
  }
  return fail(std::move(message), "HTTP_" + status);
}

Ending ending_of(const Error& error) {
  if (error.code == Errc::invalid) return fail_for_good(error.message, "URL_REFUSED");
  if (error.code == Errc::refused) return fail_for_good(error.message, "ANSWER_TOO_LARGE");
  return fail(error.message, "UNREACHABLE");
}

Result<Handler> push_handler(const std::shared_ptr<const WebhookSender>& sender,
                             PushOptions options) {
  Result<OutgoingUrl> url = sender->outgoing->check(options.url);
  if (!url) return url.error();
  const Result<const std::string*> key = sender->secrets.for_push(options.secret_name, *url);
  if (!key) return key.error();
  return Handler(Pusher(sender, std::move(options), std::move(*url)));
}

}  // namespace longshore
