#include "client/server/server_caller.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "client/job_service.h"
#include "client/server/either_stop.h"
#include "client/wire/members.h"
#include "client/wire/wire.h"
#include "core/rules/refusal.h"

namespace longshore {
namespace {

constexpr Duration first_pause = Duration::millis(100);
constexpr Duration longest_pause = Duration::seconds(5);

bool is_retryable(int status) {
  constexpr int statuses[] = {408, 425, 429, 500, 502, 503, 504, 507};
  return std::ranges::find(statuses, status) != std::end(statuses);
}

Duration retry_after_of(const HttpReply& reply) {
  const std::string_view text = reply.header("Retry-After");
  int seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return Duration::seconds(std::clamp(seconds, 0, 60));
}

// The response is not from a Longshore server, but from a proxy or another program.
Error error_of_other_server(const std::string& url, const HttpReply& reply) {
  const std::string answered = " answered status " + std::to_string(reply.status);
  if (reply.status == 401) {
    return {Errc::refused, url + answered + "; set OpenOptions::token", Code::unauthenticated};
  }
  if (reply.status == 403) {
    return {Errc::refused, url + answered + "; a proxy in front of the server forbids the request",
            Code::forbidden};
  }
  if (is_retryable(reply.status))
    return {Errc::unavailable, url + answered + " without an error code"};
  const std::string_view elsewhere = reply.header("Location");
  const std::string to = elsewhere.empty() ? "" : " and points to " + std::string(elsewhere);
  return {Errc::invalid,
          url + " is not a Longshore server: it" + answered + to + "; check the address"};
}

}  // namespace

ServerCaller::ServerCaller(std::shared_ptr<HttpClient> client, Duration retry_for,
                           std::unique_ptr<Random> random)
    : client_(std::move(client)), retry_for_(retry_for), random_(std::move(random)) {}

Instant ServerCaller::now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return Instant::millis(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
}

std::optional<Error> ServerCaller::stopped_error() const {
  if (!stopping_.stop_requested()) return std::nullopt;
  return Error{Errc::refused, "this Longshore has been stopped; open the server again to use it"};
}

Error ServerCaller::error_of(const HttpReply& reply) const {
  const std::optional<Refusal> refusal = read_problem(reply);
  if (!refusal) return error_of_other_server(url(), reply);
  const bool canceled = refusal->code == Code::job_canceled;
  if (refusal->job && (canceled || refusal->code == Code::job_failed)) {
    return ended_badly(*refusal->job, canceled, read_error(Members(reply.body).view("error")));
  }
  Error error = to_error(*refusal);
  if (refusal->code == Code::unauthenticated) {
    error.message += "; " + url() + " requires a valid token: set OpenOptions::token";
  }
  if (refusal->code == Code::forbidden) {
    error.message += "; use a token of another role or namespace";
  }
  return error;
}

bool ServerCaller::is_transient(const Error& error) {
  return error.code == Errc::unavailable || error.code == Errc::overloaded ||
         error.code == Errc::disk_full;
}

bool ServerCaller::pause(int tries, Duration least, Instant deadline, const std::stop_token& stop) {
  const Duration grown = Duration::millis(first_pause.count() << std::min(tries, 10));
  const double share = 0.5 + with_random([](Random& random) { return random.fraction(); });
  const auto jittered = static_cast<std::int64_t>(
      share * static_cast<double>(std::min(grown, longest_pause).count()));
  const Duration wait = std::max(Duration::millis(jittered), least);
  if (now() + wait > deadline) return false;
  const EitherStop either(stop, stopped());
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait_for(lock, either.token(), std::chrono::milliseconds(wait.count()),
                   [] { return false; });
  return !either.token().stop_requested();
}

Result<HttpReply> ServerCaller::ask_once(const HttpCall& call, const std::stop_token& stop) {
  if (auto error = stopped_error()) return *error;
  const EitherStop either(stop, stopped());
  Result<HttpReply> reply = client_->send(call, either.token());
  if (auto error = stopped_error(); error && !reply) return *error;
  return reply;
}

Result<HttpReply> ServerCaller::ask(const HttpCall& call, const std::stop_token& stop) {
  const Instant deadline = now() + retry_for_;
  for (int tries = 0;; ++tries) {
    Result<HttpReply> reply = ask_once(call, stop);
    if (reply && reply->status >= 200 && reply->status < 300) return reply;
    const Error error = reply ? error_of(*reply) : reply.error();
    const bool later = reply ? is_retryable(reply->status) : is_transient(error);
    const Duration least = reply ? retry_after_of(*reply) : Duration();
    if (!later || !pause(tries, least, deadline, stop)) return stopped_error().value_or(error);
  }
}

}  // namespace longshore
