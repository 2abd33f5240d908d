#include "conformance/snapshot.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace longshore::conformance {
namespace {

template <class T>
T expected(Result<T> result) {
  EXPECT_TRUE(result.ok()) << "the catalog failed";
  return result ? std::move(*result) : T{};
}

template <class T>
void append(std::vector<T>& all, std::vector<T> some) {
  all.insert(all.end(), some.begin(), some.end());
}

void rank_numbers(std::vector<JobRecord>& jobs) {
  std::vector<std::int64_t> numbers;
  for (const JobRecord& each : jobs) numbers.push_back(each.job.number);
  std::ranges::sort(numbers);
  for (JobRecord& each : jobs) {
    const auto place = std::ranges::lower_bound(numbers, each.job.number);
    each.job.number = place - numbers.begin() + 1;
    each.job.order = 0;
  }
}

bool is_nothing(const QueueView& view) {
  return view.depth.empty() && !view.paused && !view.max_running;
}

std::vector<QueueView> evened(std::vector<QueueView> queues) {
  for (QueueView& view : queues) {
    std::erase_if(view.depth, [](const auto& state) { return state.second == 0; });
  }
  std::erase_if(queues, is_nothing);
  std::ranges::sort(queues, {}, &QueueView::queue);
  return queues;
}

void take_namespace(Catalog& catalog, const std::string& ns, Snapshot& taken) {
  append(taken.queues, evened(expected(catalog.queues(ns))));
  auto workers = expected(catalog.workers(ns));
  std::ranges::sort(workers, {}, [](const WorkerView& view) { return view.info.worker; });
  for (WorkerView& view : workers) std::ranges::sort(view.jobs);
  append(taken.workers, std::move(workers));
  auto minutes = expected(catalog.minutes(ns, Instant::millis(0)));
  std::ranges::sort(minutes, {}, [](const MinuteRow& row) {
    return std::tuple(row.minute, row.node, row.queue, row.type);
  });
  append(taken.minutes, std::move(minutes));
  auto groups = expected(catalog.error_groups(ns));
  std::ranges::sort(
      groups, {}, [](const ErrorGroup& group) { return std::pair(group.type, group.fingerprint); });
  append(taken.error_groups, std::move(groups));
  auto trail = expected(catalog.audit_trail(ns, 10'000));
  std::ranges::sort(trail, {}, &AuditEntry::number);
  for (AuditEntry& entry : trail) entry.number = 0;
  append(taken.trail, std::move(trail));
}

template <class T>
std::string unlike(const char* what, const std::vector<T>& left, const std::vector<T>& right) {
  if (left == right) return {};
  std::string text = std::string(what) + ": " + std::to_string(left.size()) + " and " +
                     std::to_string(right.size());
  const std::size_t both = std::min(left.size(), right.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (!(left[i] == right[i])) return text + ", first unlike at " + std::to_string(i);
  }
  return text;
}

std::string in_words(const JobRecord& record) {
  std::string text = to_text(record.job.id) + " " + std::string(to_text(record.job.state)) +
                     " version " + std::to_string(record.job.version) + ":";
  for (const Transition& step : record.history) {
    text += " " + std::string(to_text(step.cause)) + ">" + std::string(to_text(step.to));
  }
  return text;
}

std::string unlike_jobs(const std::vector<JobRecord>& left, const std::vector<JobRecord>& right) {
  std::string text = unlike("jobs", left, right);
  const std::size_t both = std::min(left.size(), right.size());
  for (std::size_t i = 0; i < both && !text.empty(); ++i) {
    if (left[i] == right[i]) continue;
    return text + "\n  " + in_words(left[i]) + "\n  " + in_words(right[i]);
  }
  return text;
}

}  // namespace

Snapshot snapshot(Catalog& catalog, const Seen& seen) {
  Snapshot taken;
  expected(catalog.each([&](const JobRecord& record) {
    const bool own =
        !seen.shared || std::ranges::find(seen.namespaces, record.job.ns) != seen.namespaces.end();
    if (own) taken.jobs.push_back(record);
    return true;
  }));
  for (const JobRecord& each : taken.jobs) {
    taken.logs.push_back(expected(catalog.logs(each.job.ns, each.job.id)));
  }
  rank_numbers(taken.jobs);
  for (const std::string& ns : seen.namespaces) {
    take_namespace(catalog, ns, taken);
    for (const std::string& key : seen.idempotency_keys) {
      const auto view = catalog.find_idempotency_key(ns, key);
      if (view) taken.keys[ns + "/" + key] = *view;
    }
  }
  taken.nodes = expected(catalog.nodes());
  std::ranges::sort(taken.nodes, {}, &NodeView::node);
  taken.tokens = expected(catalog.tokens());
  std::ranges::sort(taken.tokens, {}, &TokenRecord::id);
  const Configure rules = expected(catalog.configuration());
  taken.queue_rules = rules.queues;
  std::ranges::sort(taken.queue_rules, {},
                    [](const QueueRule& rule) { return std::pair(rule.ns, rule.queue); });
  taken.type_rules = rules.types;
  std::ranges::sort(taken.type_rules, {},
                    [](const TypeRule& rule) { return std::pair(rule.ns, rule.type); });
  taken.rules = expected(catalog.stored_rules());
  return taken;
}

std::string difference(const Snapshot& left, const Snapshot& right) {
  const std::string found[] = {
      unlike_jobs(left.jobs, right.jobs),
      unlike("logs", left.logs, right.logs),
      left.keys == right.keys ? "" : "idempotency keys",
      unlike("queues", left.queues, right.queues),
      unlike("workers", left.workers, right.workers),
      unlike("nodes", left.nodes, right.nodes),
      unlike("minutes", left.minutes, right.minutes),
      unlike("error groups", left.error_groups, right.error_groups),
      unlike("audit trail", left.trail, right.trail),
      unlike("tokens", left.tokens, right.tokens),
      unlike("queue rules", left.queue_rules, right.queue_rules),
      unlike("type rules", left.type_rules, right.type_rules),
      left.rules == right.rules ? "" : "rules of the store",
  };
  for (const std::string& text : found) {
    if (!text.empty()) return text;
  }
  return {};
}

}  // namespace longshore::conformance
