#include "api/metrics/metrics.h"

#include <algorithm>
#include <functional>
#include <tuple>

namespace longshore {
namespace {

constexpr std::array second_bounds = {0.001, 0.005, 0.025, 0.1, 0.5,  1.0,   2.5,
                                      5.0,   10.0,  30.0,  60., 300., 1800., 7200.};
constexpr std::array delay_bounds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                     0.05,   0.1,   0.25,   0.5,   1.0,  5.0};
constexpr std::array size_bounds = {1., 2., 4., 8., 16., 32., 64., 128., 256., 512., 1024.};

constexpr std::string_view other = "other";

std::size_t status_index(std::span<const int> statuses, int status) {
  const auto at = std::ranges::find(statuses, status);
  return static_cast<std::size_t>(at - statuses.begin());
}

// A failure after which the job is not ended by its next transition in the same commit.
bool is_retry(const JobEvent& one, const JobEvent* next) {
  const Transition& move = one.transition;
  if (move.to != State::retry || (move.cause != Cause::fail && move.cause != Cause::timeout)) {
    return false;
  }
  return next == nullptr || next->job != one.job || !is_terminal(next->transition.to);
}

// At most series_max queues: the shallowest others become one called "other".
std::vector<QueueView> bounded(std::vector<QueueView> queues) {
  if (queues.size() <= Metrics::series_max) return queues;
  const auto depth = [](const QueueView& queue) {
    std::int64_t sum = 0;
    for (const auto& [state, count] : queue.depth) sum += count;
    return sum;
  };
  std::ranges::stable_sort(queues, std::greater(), depth);
  QueueView rest{.ns = queues[0].ns, .queue = std::string(other)};
  for (std::size_t i = Metrics::series_max - 1; i < queues.size(); ++i) {
    for (const auto& [state, count] : queues[i].depth) rest.depth[state] += count;
    const auto& oldest = queues[i].oldest_queued;
    if (oldest) rest.oldest_queued = std::min(rest.oldest_queued.value_or(*oldest), *oldest);
  }
  queues.resize(Metrics::series_max - 1);
  queues.push_back(std::move(rest));
  return queues;
}

void write_queues(MetricText& text, const MetricsNow& now) {
  const std::vector<QueueView> queues = bounded(now.queues);
  text.family("longshore_queue_depth", "gauge", "Jobs in a queue, by state.");
  for (const QueueView& queue : queues) {
    for (const auto& [state, count] : queue.depth) {
      text.sample({{"namespace", queue.ns}, {"queue", queue.queue}, {"state", to_text(state)}},
                  count);
    }
  }
  text.family("longshore_queue_oldest_age_seconds", "gauge",
              "Time since the first job of a queue became eligible.");
  for (const QueueView& queue : queues) {
    const Duration age = queue.oldest_queued ? now.now - *queue.oldest_queued : Duration();
    text.sample({{"namespace", queue.ns}, {"queue", queue.queue}}, std::max(age.in_seconds(), 0.0));
  }
  text.family("longshore_queue_paused", "gauge", "1 while a queue is paused.");
  for (const QueueView& queue : queues) {
    text.sample({{"namespace", queue.ns}, {"queue", queue.queue}}, queue.paused ? 1.0 : 0.0);
  }
}

}  // namespace

Metrics::Counts::Counts() : wait(second_bounds), run(second_bounds) {}

Metrics::Metrics(std::span<const Route> routes)
    : routes_(routes),
      requests_(std::make_unique<RouteCounts[]>(routes.size() + 1)),
      commit_jobs_(size_bounds),
      commit_delay_(delay_bounds) {}

void Metrics::on_commit(const Committed& committed) {
  MutexLock lock(mutex_);
  commit_jobs_.observe(static_cast<double>(committed.verdicts.size()));
  const JobEvent* last = nullptr;
  Counts* counts = nullptr;
  for (std::size_t i = 0; i < committed.events.size(); ++i) {
    const JobEvent& one = committed.events[i];
    // Most of a commit has one queue and type; the lookup is the expensive part.
    const bool same =
        last != nullptr && last->type == one.type && last->queue == one.queue && last->ns == one.ns;
    if (!same) counts = &counts_for(one);
    last = &one;
    add(*counts, one);
    const bool is_last = i + 1 == committed.events.size();
    if (is_retry(one, is_last ? nullptr : &one + 1)) counts->retries += 1;
  }
}

Metrics::Counts& Metrics::counts_for(const JobEvent& one) {
  mutex_.assert_held();
  Series series{one.ns, one.queue, one.type};
  const auto found = series_.find(series);
  if (found != series_.end()) return found->second;
  if (series_.size() >= series_max) series = Series{one.ns, std::string(other), std::string(other)};
  // A flood of namespaces must not grow it either.
  if (series_.size() >= 2 * series_max && !series_.contains(series)) series.ns = other;
  return series_[series];
}

void Metrics::add(Counts& counts, const JobEvent& one) {
  const Transition& move = one.transition;
  if (move.cause == Cause::enqueue) counts.enqueued += 1;
  if (move.cause == Cause::claim) {
    counts.started += 1;
    counts.wait.observe(one.took.in_seconds());
  } else if (move.from == State::running || move.from == State::waiting) {
    if (move.to != State::waiting) counts.run.observe(one.took.in_seconds());
  }
  const Status status = status_of(move);
  if (status == Status::completed) counts.succeeded += 1;
  if (status == Status::failed) counts.dead += 1;
  if (status == Status::canceled) counts.canceled += 1;
  if (move.cause == Cause::lease_lost) counts.lost_leases += 1;
}

void Metrics::commit_took(Duration delay) {
  MutexLock lock(mutex_);
  commit_delay_.observe(delay.in_seconds());
}

void Metrics::answered(const Route* route, int status, Duration took) {
  const std::size_t index =
      route == nullptr ? routes_.size() : static_cast<std::size_t>(route - routes_.data());
  RouteCounts& counts = requests_[index];
  counts.by_status[status_index(statuses, status)].fetch_add(1, std::memory_order_relaxed);
  counts.micros.fetch_add(
      static_cast<std::uint64_t>(std::max<std::int64_t>(took.count(), 0)) * 1000,
      std::memory_order_relaxed);
}

std::string Metrics::text(const std::string& ns, const MetricsNow& now,
                          const std::function<void(MetricText&)>& more) const {
  MetricText text;
  text.family("longshore_build_info", "gauge",
              "1, with the version, store and durability of this node.");
  text.sample({{"version", now.version}, {"store", now.store}, {"durability", now.durability}},
              1.0);
  write_queues(text, now);
  {
    MutexLock lock(mutex_);
    write_jobs(text, ns);
    write_times(text, ns);
    write_commits(text);
  }
  text.family("longshore_commits_waiting", "gauge", "Commands waiting to be committed.");
  text.sample({}, static_cast<std::uint64_t>(now.commits_waiting));
  text.family("longshore_claims_waiting", "gauge", "Lease requests waiting for a job.");
  text.sample({}, static_cast<std::uint64_t>(now.claims_waiting));
  text.family("longshore_store_losses_total", "counter",
              "Losses of acknowledged commits detected in the store.");
  text.sample({}, static_cast<std::uint64_t>(now.losses));
  text.family("longshore_clock_steps_total", "counter",
              "Steps of the store's clock that were detected.");
  text.sample({{"direction", "forward"}}, static_cast<std::uint64_t>(now.clock.steps_forward));
  text.sample({{"direction", "back"}}, static_cast<std::uint64_t>(now.clock.steps_back));
  text.family("longshore_store_clock_ahead_seconds", "gauge",
              "How far the store's time is ahead of its clock.");
  text.sample({}, now.clock.ahead.in_seconds());
  text.family("longshore_store_pruning_waits", "gauge",
              "1 while pruning is suspended because the clock stepped forward.");
  text.sample({}, now.clock.prunes_from ? 1.0 : 0.0);
  text.family("longshore_rules_conflict", "gauge",
              "Rules of this node's configuration that differ from the store's.");
  text.sample({}, static_cast<double>(now.rule_conflicts));
  write_requests(text);
  if (more) more(text);
  return text.take();
}

void Metrics::write_jobs(MetricText& text, const std::string& ns) const {
  mutex_.assert_held();
  struct Family {
    std::string_view name, help;
    std::uint64_t Counts::*count;
  };
  const std::array families = {
      Family{"longshore_jobs_enqueued_total", "Jobs recorded.", &Counts::enqueued},
      Family{"longshore_jobs_started_total", "Attempts started.", &Counts::started},
      Family{"longshore_jobs_retries_total", "Failed attempts after which another was granted.",
             &Counts::retries},
      Family{"longshore_leases_lost_total", "Attempts whose lease expired.", &Counts::lost_leases}};
  for (const Family& family : families) {
    text.family(family.name, "counter", family.help);
    for (const auto& [series, counts] : series_) {
      if (series.ns != ns) continue;
      text.sample({{"namespace", series.ns}, {"queue", series.queue}, {"job_type", series.type}},
                  counts.*family.count);
    }
  }
  text.family("longshore_jobs_finished_total", "counter", "Jobs that ended, by outcome.");
  for (const auto& [series, counts] : series_) {
    if (series.ns != ns) continue;
    for (const auto& [outcome, count] :
         {std::pair("success", counts.succeeded), std::pair("dead", counts.dead),
          std::pair("canceled", counts.canceled)}) {
      text.sample({{"namespace", series.ns},
                   {"queue", series.queue},
                   {"job_type", series.type},
                   {"outcome", outcome}},
                  count);
    }
  }
}

void Metrics::write_times(MetricText& text, const std::string& ns) const {
  mutex_.assert_held();
  for (const auto& [name, help, which] :
       {std::tuple("longshore_job_wait_seconds", "From becoming eligible to the start.",
                   &Counts::wait),
        std::tuple("longshore_job_run_seconds", "From the start to the end of an attempt.",
                   &Counts::run)}) {
    text.family(name, "histogram", help);
    for (const auto& [series, counts] : series_) {
      if (series.ns != ns) continue;
      text.samples({{"namespace", series.ns}, {"queue", series.queue}, {"job_type", series.type}},
                   counts.*which);
    }
  }
}

void Metrics::write_commits(MetricText& text) const {
  mutex_.assert_held();
  text.family("longshore_commit_commands", "histogram", "Commands in one commit.");
  text.samples({}, commit_jobs_);
  text.family("longshore_commit_delay_seconds", "histogram",
              "From a command's arrival to the end of its commit.");
  text.samples({}, commit_delay_);
}

void Metrics::write_requests(MetricText& text) const {
  text.family("longshore_http_requests_total", "counter", "Requests answered.");
  for (std::size_t i = 0; i <= routes_.size(); ++i) {
    const std::string_view method = i < routes_.size() ? routes_[i].method : other;
    const std::string_view pattern = i < routes_.size() ? routes_[i].pattern : "none";
    for (std::size_t s = 0; s <= statuses.size(); ++s) {
      const std::uint64_t count = requests_[i].by_status[s].load(std::memory_order_relaxed);
      if (count == 0) continue;
      const std::string status =
          s < statuses.size() ? std::to_string(statuses[s]) : std::string(other);
      text.sample({{"method", method}, {"route", pattern}, {"status", status}}, count);
    }
  }
  text.family("longshore_http_request_seconds_total", "counter", "Time spent on requests.");
  for (std::size_t i = 0; i <= routes_.size(); ++i) {
    const std::uint64_t micros = requests_[i].micros.load(std::memory_order_relaxed);
    const std::string_view method = i < routes_.size() ? routes_[i].method : other;
    const std::string_view pattern = i < routes_.size() ? routes_[i].pattern : "none";
    text.sample({{"method", method}, {"route", pattern}}, static_cast<double>(micros) / 1e6);
  }
}

}  // namespace longshore
