// Checks the server: readiness, access, version, clock, and workers for its jobs.
#include <set>

#include "cli/client/json_row.h"
#include "cli/client/queue_rows.h"
#include "cli/client/server_calls.h"
#include "cli/doctor/diagnosis.h"
#include "cli/terminal/figures.h"
#include "client/server/server_address.h"
#include "client/server/server_clock.h"

namespace longshore {
namespace {

using Level = Diagnosis::Level;

constexpr Duration apart_max = Duration::seconds(2);

Diagnosis diagnose_version(const std::string& metrics) {
  constexpr std::string_view label = "version=\"";
  const std::size_t line = metrics.find("longshore_build_info{");
  const std::size_t at = metrics.find(label, line == std::string::npos ? metrics.size() : line);
  if (at == std::string::npos) {
    return {Level::warning, "versions", "the version of the server is unknown",
            "use a token that can read /metrics"};
  }
  const std::size_t begin = at + label.size();
  const std::string theirs = metrics.substr(begin, metrics.find('"', begin) - begin);
  if (theirs == LONGSHORE_VERSION)
    return {Level::good, "versions", "server and program are " + theirs};
  return {Level::warning, "versions",
          "the server is " + theirs + ", this program is " LONGSHORE_VERSION,
          "install the same version of both"};
}

void examine_about(HttpClient& client, Diagnoses& found) {
  const Result<HttpReply> about = call_api(client, {.path = "/about"});
  if (!about) return;
  const JsonRow answer(about->body);
  found.push_back(diagnose_store_clock(answer.row("clock").text("alarm")));
  for (const std::string_view conflict : answer.list("ruleConflicts")) {
    found.push_back({Level::warning, "rules",
                     std::string(conflict.substr(1, conflict.size() - 2)) + "; the store's is used",
                     "raise [rules] revision and restart, or run `longshore apply FILE`"});
  }
}

void examine_clock(HttpClient& client, Diagnoses& found) {
  const Instant sent = wall_now();
  Result<HttpReply> reply = client.send({.path = "/livez"});
  const Instant received = wall_now();
  if (!reply) return;
  const auto date = parse_http_date(reply->header("Date"));
  if (!date) return;
  found.push_back(diagnose_clocks(*date - received, *date + Duration::seconds(1) - sent));
}

void examine_readiness(const HttpReply& reply, Diagnoses& found) {
  const JsonRow answer(reply.body);
  if (reply.status == 200) {
    const std::string durability = answer.text("durability");
    found.push_back({durability == "C" ? Level::warning : Level::good, "server",
                     "ready, on " + answer.text("store") + " with durability class " + durability,
                     durability == "C"
                         ? "its jobs are lost when the process ends: use sqlite: or postgres://"
                         : ""});
    if (const std::string alarm = answer.text("alarm"); !alarm.empty()) {
      found.push_back({Level::warning, "store", alarm, "check the server's log and its store"});
    }
    return;
  }
  found.push_back({Level::problem, "server", "not ready: " + answer.text("detail"),
                   "check the server's log and its store"});
}

void examine_address(const Settings& settings, Diagnoses& found) {
  const Result<ServerAddress> address = parse_server_url(settings.text("server"));
  if (!address || address->secure) return;
  const bool near =
      address->host == "localhost" || address->host.starts_with("127.") || address->host == "::1";
  if (near || (settings.text("token").empty() && settings.text("token-file").empty())) return;
  found.push_back({Level::warning, "security", "the token is sent to the server unencrypted",
                   "use https:// in --server"});
}

// Finds queues with jobs that are paused or have no worker.
void examine_queues(HttpClient& client, Diagnoses& found) {
  Result<std::string> queues = fetch_queues(client);
  Result<HttpReply> workers = call_api(client, {.path = "/workers"});
  if (!queues || !workers) {
    found.push_back({Level::problem, "access", (queues ? workers.error() : queues.error()).message,
                     "use a token with the role viewer or operator"});
    return;
  }
  std::set<std::string, std::less<>> served;
  const JsonRow answer(workers->body);
  for (const std::string_view worker : answer.list("workers")) {
    const JsonRow row(worker);
    for (const std::string_view queue : row.list("queues")) {
      served.emplace(queue.substr(1, queue.size() - 2));
    }
  }
  bool all_served = true;
  for (const QueueRow& queue : read_queues(*queues)) {
    if (queue.queued > 0 && queue.paused) {
      all_served = false;
      found.push_back({Level::warning, "queues",
                       queue.name + " is paused and contains " + jobs_text(queue.queued),
                       "longshore queues resume " + queue.name});
    } else if (queue.queued > 0 && !served.contains(queue.name)) {
      all_served = false;
      found.push_back({Level::warning, "queues",
                       queue.name + " has " + jobs_text(queue.queued) + " and no worker",
                       "longshore work --queue " + queue.name + " --exec TYPE=PROGRAM"});
    }
  }
  if (all_served) found.push_back({Level::good, "queues", "every queue with jobs has a worker"});
}

}  // namespace

Diagnosis diagnose_clocks(Duration apart_least, Duration apart_most) {
  const bool ahead = apart_least > apart_max;
  const bool behind = apart_most < Duration() - apart_max;
  if (!ahead && !behind)
    return {Level::good, "clock", "the clocks of this machine and the server agree"};
  const Duration by = ahead ? apart_least : Duration() - apart_most;
  return {Level::warning, "clock",
          "the server's clock is " + age_text(by) + (ahead ? " ahead of" : " behind") + " this one",
          "synchronize both with a time service; the server uses its own clock"};
}

Diagnosis diagnose_store_clock(const std::string& alarm) {
  if (alarm.empty()) return {Level::good, "clock", "the store's time agrees with its clock"};
  return {Level::problem, "clock", alarm,
          "correct the clock; if it is right, stop the server and run `longshore check "
          "--repair-clock` (SQLite); see docs/clock.md"};
}

bool examine_server(const Settings& settings, Diagnoses& found) {
  Result<std::shared_ptr<HttpClient>> client = connect(settings);
  if (!client) {
    found.push_back({Level::problem, "server", client.error().message, "correct --server"});
    return true;
  }
  Result<HttpReply> ready = (*client)->send({.path = "/readyz"});
  if (!ready) return false;
  examine_readiness(*ready, found);
  examine_address(settings, found);
  examine_token_requirement(**client, settings, found);
  examine_clock(**client, found);
  Result<HttpReply> metrics = call_api(**client, {.path = "/metrics"});
  found.push_back(diagnose_version(metrics ? metrics->body : ""));
  examine_about(**client, found);
  examine_queues(**client, found);
  return true;
}

}  // namespace longshore
