#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <iostream>
#include <mutex>
#include <thread>

#include "cli/bench/bench_target.h"
#include "cli/client/store_access.h"
#include "cli/command.h"
#include "cli/terminal/figures.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/table.h"

namespace longshore {
namespace {

struct Plan {
  std::int64_t jobs = 10'000;
  std::int64_t at_once = 100;
  std::int64_t connections = 4;
  std::int64_t payload_bytes = 100;
};

struct Phase {
  std::string name;
  std::int64_t jobs = 0;
  double seconds = 0;
  std::vector<double> millis = {};  // of each call, sorted
  std::optional<Error> error = {};
};

double at_share(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(std::lround(share * last))];
}

// Several threads share the jobs of one phase, `at_once` jobs per call.
class Runner {
 public:
  Runner(const Plan& plan, std::string name)
      : plan_(plan), progress_(name, plan.jobs), left_(plan.jobs) {
    phase_.name = std::move(name);
  }

  // `call` takes a number of jobs and returns how many it processed.
  template <class Call>
  Phase run(Call call) {
    const auto began = std::chrono::steady_clock::now();
    {
      std::vector<std::jthread> threads;
      for (std::int64_t i = 0; i < plan_.connections; ++i) {
        threads.emplace_back([this, &call] { work(call); });
      }
    }
    phase_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    progress_.finish();
    std::ranges::sort(phase_.millis);
    return std::move(phase_);
  }

 private:
  template <class Call>
  void work(Call& call) {
    while (true) {
      const std::int64_t before = left_.fetch_sub(plan_.at_once);
      const std::int64_t mine = std::min(before, plan_.at_once);
      if (mine <= 0) return;
      if (!finish_share(call, mine)) return;
    }
  }

  // A call may process fewer jobs than requested: another thread may hold the rest.
  template <class Call>
  bool finish_share(Call& call, std::int64_t share) {
    while (share > 0) {
      const auto began = std::chrono::steady_clock::now();
      const Result<int> done = call(static_cast<int>(share));
      const std::chrono::duration<double, std::milli> took =
          std::chrono::steady_clock::now() - began;
      const std::lock_guard lock(mutex_);
      if (!done || *done == 0) {
        left_ = 0;
        if (!done && !phase_.error) phase_.error = done.error();
        if (done && !phase_.error) {
          phase_.error =
              Error{Errc::refused, "jobs are missing: another worker takes jobs from this queue"};
        }
        return false;
      }
      share -= *done;
      phase_.jobs += *done;
      phase_.millis.push_back(took.count());
      progress_.advance(*done);
    }
    return true;
  }

  const Plan plan_;
  Progress progress_;
  std::atomic<std::int64_t> left_;
  std::mutex mutex_;
  Phase phase_;
};

std::optional<Error> read_number(const Invocation& invocation, std::string_view flag,
                                 std::int64_t most, std::int64_t& into) {
  const auto text = invocation.flag(flag);
  if (!text) return std::nullopt;
  const char* const end = text->data() + text->size();
  const auto [rest, fault] = std::from_chars(text->data(), end, into);
  if (fault == std::errc() && rest == end && into >= 1 && into <= most) return std::nullopt;
  return Error{Errc::invalid,
               std::string(flag) + " must be a whole number from 1 to " + std::to_string(most)};
}

Result<Plan> plan_of(const Invocation& invocation) {
  Plan plan;
  if (auto fault = read_number(invocation, "--jobs", 100'000'000, plan.jobs)) return *fault;
  if (auto fault = read_number(invocation, "--at-once", 1'000, plan.at_once)) return *fault;
  if (auto fault = read_number(invocation, "--connections", 256, plan.connections)) return *fault;
  if (auto fault = read_number(invocation, "--payload-bytes", 1'000'000, plan.payload_bytes)) {
    return *fault;
  }
  return plan;
}

std::string json_of(const Phase& phase) {
  return fmt::format(
      R"({{"phase":"{}","jobs":{},"seconds":{:.3f},"jobsPerSecond":{:.1f},"calls":{},)"
      R"("p50Millis":{:.3f},"p95Millis":{:.3f},"p99Millis":{:.3f},"maxMillis":{:.3f}}})",
      phase.name, phase.jobs, phase.seconds, static_cast<double>(phase.jobs) / phase.seconds,
      phase.millis.size(), at_share(phase.millis, 0.5), at_share(phase.millis, 0.95),
      at_share(phase.millis, 0.99), at_share(phase.millis, 1));
}

void print(const Invocation& invocation, const std::vector<Phase>& phases) {
  const Format format = format_of(invocation.settings);
  if (format != Format::text) {
    std::vector<std::string> objects;
    for (const Phase& phase : phases) objects.push_back(json_of(phase));
    return print_list(format, "phases", objects);
  }
  Table table({{.title = "PHASE"},
               {.title = "JOBS", .right = true},
               {.title = "RATE", .right = true},
               {.title = "CALLS", .right = true, .rank = 2},
               {.title = "P50", .right = true},
               {.title = "P95", .right = true, .rank = 1},
               {.title = "P99", .right = true},
               {.title = "MAX", .right = true, .rank = 3}});
  const auto millis = [](double value) { return fmt::format("{:.1f}ms", value); };
  for (const Phase& phase : phases) {
    table.add({{phase.name},
               {count_text(phase.jobs)},
               {rate_text(static_cast<double>(phase.jobs) / phase.seconds)},
               {count_text(std::ssize(phase.millis))},
               {millis(at_share(phase.millis, 0.5))},
               {millis(at_share(phase.millis, 0.95))},
               {millis(at_share(phase.millis, 0.99))},
               {millis(at_share(phase.millis, 1))}});
  }
  std::cout << table.text();
}

}  // namespace

ExitCode run_bench(const Invocation& invocation) {
  const Result<Plan> plan = plan_of(invocation);
  if (!plan) return usage_error(plan.error().message);
  const Settings& settings = invocation.settings;
  BenchJobs jobs{
      .queue = "bench-" + std::to_string(wall_now().count()),
      .payload = "\"" + std::string(static_cast<std::size_t>(plan->payload_bytes), 'x') + "\""};
  const bool store = is_given(settings, "store") && !prefers_server(settings);
  auto target = store ? bench_store(settings, jobs) : bench_server(settings, jobs);
  if (!target) return print_error(target.error());
  std::cerr << "Using queue " << jobs.queue << " and job type " << bench_job_type
            << "; the jobs stay in the store until they are pruned" << std::endl;
  std::vector<Phase> phases;
  phases.push_back(Runner(*plan, "enqueue").run([&](int count) -> Result<int> {
    const Result<Nothing> done = (*target)->enqueue(count);
    if (!done) return done.error();
    return count;
  }));
  if (!phases.back().error) {
    phases.push_back(
        Runner(*plan, "drain").run([&](int count) { return (*target)->drain(count); }));
  }
  print(invocation, phases);
  return phases.back().error ? print_error(*phases.back().error) : ExitCode::done;
}

}  // namespace longshore
