#include "server/report/incidents.h"

#include <optional>
#include <utility>

#include "core/time/clock.h"

namespace longshore {
namespace {

constexpr std::int64_t second = 1'000'000;
// Maintenance commits every second. If no commit has ended for this long, the store hangs.
constexpr std::int64_t stall = 10 * second;
// After a failure, commits must succeed for this long before the store counts as usable.
constexpr std::int64_t store_quiet = 3 * second;

struct Messages {
  LogLevel level;
  std::string_view happens;
  std::string_view over;
  std::string_view metric;
  std::string_view help;
};

constexpr std::array messages = {
    Messages{LogLevel::error, "store unavailable", "store available again",
             "longshore_store_failures_total",
             "Failed commits, and seconds in which no commit ended."},
    Messages{LogLevel::warn, "rejected requests without a valid token",
             "no more requests without a valid token", "longshore_tokens_refused_total",
             "Requests rejected because of a missing or invalid token."},
    Messages{LogLevel::warn, "throttled requests", "no more throttled requests",
             "longshore_requests_throttled_total", "Requests and connections rejected by a limit."},
    Messages{LogLevel::error, "cannot accept connections", "accepting connections again",
             "longshore_accept_failures_total",
             "Failures to accept a connection, for lack of descriptors or memory."}};

std::array<Episode, messages.size()> episodes_with(Duration repeat) {
  const std::int64_t micros = repeat.count() * 1000;
  const Episode::Pace usual{.repeat = micros, .quiet = micros / 2};
  const Episode::Pace of_store{.repeat = micros, .quiet = store_quiet};
  return {Episode(of_store), Episode(usual), Episode(usual), Episode(usual)};
}

std::string shown(const Exchanged& exchanged) {
  return std::string(exchanged.method) + " " + std::string(exchanged.path) + " from " +
         std::string(exchanged.peer) + ": " + std::string(exchanged.detail);
}

std::string word_of(Durability durability) {
  return durability == Durability::a ? "A" : durability == Durability::b ? "B" : "C";
}

void write_condition(MetricText& text, const StoreCondition& condition) {
  text.family("longshore_store_durability", "gauge",
              "1 for the current durability class of the store.");
  for (const Durability one : {Durability::a, Durability::b, Durability::c}) {
    text.sample({{"class", word_of(one)}}, one == condition.durability ? 1.0 : 0.0);
  }
  text.family(
      "longshore_store_refuses_commits", "gauge",
      "1 while the durability of the store is below accept-durability and writes are rejected.");
  text.sample({}, condition.refuses ? 1.0 : 0.0);
  text.family("longshore_store_trouble", "gauge",
              "1 while the store needs attention; see the log and /readyz.");
  text.sample({}, condition.trouble.empty() ? 0.0 : 1.0);
}

}  // namespace

Incidents::Incidents(Log& log, Duration repeat, std::int64_t now)
    : log_(log),
      ended_at_(now),
      answered_at_(now),
      looked_at_(now),
      episodes_(episodes_with(repeat)) {
  static_assert(messages.size() == kinds);
}

void Incidents::store_answered(std::int64_t now) {
  ended_at_.store(now, std::memory_order_relaxed);
  answered_at_.store(now, std::memory_order_relaxed);
}

// Overload is reported to the caller and is not an incident.
void Incidents::store_failed(const Error& error, std::int64_t now) {
  ended_at_.store(now, std::memory_order_relaxed);
  if (error.code != Errc::overloaded) add(store, 1, error.message, now);
}

void Incidents::condition_changed(const StoreCondition& condition) {
  const std::string durability = word_of(condition.durability);
  if (condition.refuses) {
    return log_.error(
        "the durability of the store is below accept-durability; writes are rejected",
        {{"durability", durability}, {"detail", condition.trouble}, {"server", condition.where}});
  }
  if (!condition.trouble.empty()) {
    return log_.warn(
        "the store needs attention",
        {{"durability", durability}, {"detail", condition.trouble}, {"server", condition.where}});
  }
  log_.info("the store has recovered", {{"durability", durability}});
}

void Incidents::answered(const Exchanged& exchanged) {
  if (exchanged.code == "UNAUTHENTICATED") add(token, 1, shown(exchanged), steady_micros());
  if (exchanged.code == "OVERLOADED") add(throttle, 1, shown(exchanged), steady_micros());
}

void Incidents::refused(std::string_view code, std::string_view detail) {
  if (code == "OVERLOADED") add(throttle, 1, std::string(detail), steady_micros());
}

void Incidents::add(Kind kind, std::int64_t count, const std::string& what, std::int64_t now) {
  std::optional<Episode::Report> report;
  {
    MutexLock lock(mutex_);
    report = episodes_[kind].add(count, what, now);
    if (kind == store) store_down_ = true;
  }
  if (report) tell(kind, *report);
}

void Incidents::look(const HttpTroubles& troubles, std::int64_t now) {
  const HttpTroubles before = std::exchange(seen_, troubles);
  if (const auto more = troubles.accept_failures - before.accept_failures; more > 0) {
    add(accept, more, troubles.accept_failure, now);
  }
  if (const auto more = troubles.closed_unanswered - before.closed_unanswered; more > 0) {
    add(throttle, more, "too many connections", now);
  }
  look_for_stall(now);
  for (const Kind kind : {store, token, throttle, accept}) {
    std::optional<Episode::Report> report;
    {
      MutexLock lock(mutex_);
      Episode& episode = episodes_[kind];
      report = episode.look(now, kind != store || answered_at_ > episode.last());
      if (kind == store) store_down_ = episode.under_way();
    }
    if (report) tell(kind, *report);
  }
}

// No commit can end while this process is stopped.
void Incidents::look_for_stall(std::int64_t now) {
  const std::int64_t since = std::exchange(looked_at_, now);
  if (now - since > 2 * second) ended_at_ = now;
  const std::int64_t ended = ended_at_;
  if (now - ended < stall || now - stalled_at_ < second) return;
  stalled_at_ = now;
  add(store, 1, "no commit has ended for " + std::to_string((now - ended) / second) + " s", now);
}

void Incidents::finish(std::int64_t now) {
  for (const Kind kind : {store, token, throttle, accept}) {
    std::optional<Episode::Report> report;
    {
      MutexLock lock(mutex_);
      report = episodes_[kind].final_report(now);
    }
    if (report) tell(kind, *report);
  }
}

void Incidents::tell(Kind kind, const Episode::Report& report) {
  const Messages& message = messages[kind];
  const bool ends = report.phase == Episode::Phase::ends;
  // A single occurrence was reported when it began.
  if (ends && kind != store && report.count == 1) return;
  log_.write(ends ? LogLevel::info : message.level, ends ? message.over : message.happens,
             {{"count", report.count}, {"seconds", report.seconds}, {"detail", report.latest}});
}

void Incidents::write_metrics(MetricText& text, const StoreCondition& condition) const {
  text.family("longshore_store_up", "gauge", "1 while the store is available.");
  text.sample({}, store_down_ ? 0.0 : 1.0);
  write_condition(text, condition);
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    MutexLock lock(mutex_);
    text.family(messages[kind].metric, "counter", messages[kind].help);
    text.sample({}, episodes_[kind].total());
  }
}

}  // namespace longshore
