#include "faults/snapshot.h"

#include <fmt/format.h>

#include <algorithm>

namespace longshore::faults {
namespace {

// Collects results until the first error, which it keeps.
class Reader {
 public:
  template <class T>
  void read(Result<std::vector<T>> answer, std::vector<T>& into) {
    if (!keep_error(answer)) return;
    for (T& item : *answer) into.push_back(std::move(item));
  }
  template <class T>
  bool keep_error(const Result<T>& answer) {
    if (!answer.ok() && !error_) error_ = answer.error();
    return answer.ok();
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  std::optional<Error> error_;
};

void read_keys(Catalog& catalog, const std::string& ns, Reader& reader, Snapshot& into) {
  for (int number = 0; number < 30; ++number) {
    auto key = catalog.find_idempotency_key(ns, fmt::format("once-{}", number));
    if (key.ok()) {
      into.keys.push_back(*key);
    } else if (key.error().code != Errc::not_found) {
      reader.keep_error(key);
    }
  }
}

std::string describe(const JobRecord& record) {
  const Job& job = record.job;
  std::string path;
  for (const Transition& step : record.history) path += fmt::format(" {}", to_text(step.to));
  return fmt::format("{} {} v{} attempt {} epoch {} number {} order {}:{}", to_text(job.id),
                     to_text(job.state), job.version, job.attempt, job.epoch, job.number, job.order,
                     path);
}

std::string jobs_difference(const std::vector<JobRecord>& expected,
                            const std::vector<JobRecord>& actual) {
  const auto [want, have] = std::ranges::mismatch(expected, actual);
  if (want == expected.end() && have == actual.end()) return {};
  return fmt::format("jobs differ, first here:\n  expected {}\n  found    {}",
                     want == expected.end() ? "no more" : describe(*want),
                     have == actual.end() ? "no more" : describe(*have));
}

}  // namespace

Result<Snapshot> take_snapshot(Catalog& catalog, const Scope& scope) {
  Snapshot snapshot;
  Reader reader;
  reader.keep_error(catalog.each([&](const JobRecord& record) {
    snapshot.jobs.push_back(record);
    return true;
  }));
  for (const JobRecord& record : snapshot.jobs) {
    if (!scope.logs) break;
    reader.read(catalog.logs(record.job.ns, record.job.id), snapshot.logs.emplace_back());
  }
  for (const std::string ns : {"main", "side"}) {
    reader.read(catalog.queues(ns), snapshot.queues);
    reader.read(catalog.audit_trail(ns, 1000), snapshot.audit_trail);
    reader.read(catalog.error_groups(ns), snapshot.error_groups);
    reader.read(catalog.workers(ns), snapshot.workers);
    reader.read(catalog.minutes(ns, Instant{}), snapshot.minutes);
    read_keys(catalog, ns, reader, snapshot);
  }
  reader.read(catalog.nodes(), snapshot.nodes);
  auto rules = catalog.configuration();
  if (reader.keep_error(rules)) {
    snapshot.queue_rules = std::move(rules->queues);
    snapshot.type_rules = std::move(rules->types);
  }
  if (reader.error()) return *reader.error();
  return snapshot;
}

std::string difference(const Snapshot& expected, const Snapshot& actual) {
  if (std::string jobs = jobs_difference(expected.jobs, actual.jobs); !jobs.empty()) return jobs;
  if (expected.logs != actual.logs) return "the logs of attempts differ";
  if (expected.queues != actual.queues) return "the queues differ";
  if (expected.audit_trail != actual.audit_trail) return "the audit trails differ";
  if (expected.error_groups != actual.error_groups) return "the error groups differ";
  if (expected.keys != actual.keys) return "the idempotency keys differ";
  if (expected.workers != actual.workers) return "the workers differ";
  if (expected.nodes != actual.nodes) return "the nodes differ";
  if (expected.minutes != actual.minutes) return "the minutes differ";
  if (expected.queue_rules != actual.queue_rules || expected.type_rules != actual.type_rules) {
    return "the configured rules differ";
  }
  return {};
}

}  // namespace longshore::faults
