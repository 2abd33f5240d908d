#include "faults/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ids/lease_token.h"
#include "core/text/time_text.h"

namespace longshore::faults {
namespace {

// A field of an answer: its name and its value, in words. Whatever operator== compares is one.
using Field = std::pair<std::string, std::string>;
using Fields = std::vector<Field>;

std::string text(const std::string& words) {
  constexpr std::size_t shown = 60;
  if (words.size() <= shown) return fmt::format("'{}'", words);
  return fmt::format("'{}...' ({} bytes)", words.substr(0, shown), words.size());
}
std::string text(bool yes) { return yes ? "yes" : "no"; }
std::string text(std::int64_t number) { return std::to_string(number); }
std::string text(Instant at) { return to_text(at); }
std::string text(const JobId& id) { return to_text(id); }
std::string text(const JobError& error) {
  return fmt::format("{} {} {}", error.code, text(error.message), text(error.details));
}
template <class T>
std::string text(const std::optional<T>& value) {
  return value ? text(*value) : "none";
}
std::string text(const std::vector<std::string>& words) {
  return fmt::format("[{}]", fmt::join(words, ", "));
}

std::string text(const EnqueuedJob& job) {
  return fmt::format("{} {}{}", to_text(job.id), to_text(job.status),
                     job.fresh ? "" : " from before");
}

std::string kind_of(const Verdict& verdict) {
  constexpr const char* kinds[] = {"refused", "enqueued", "leased", "beaten",
                                   "settled", "swept",    "done"};
  static_assert(std::size(kinds) == std::variant_size_v<Verdict>);
  return kinds[verdict.index()];
}

Fields fields_of(const Refusal& refusal) {
  return {{"code", std::string(to_text(refusal.code))},
          {"detail", text(refusal.detail)},
          {"job", text(refusal.job)},
          {"index", std::to_string(refusal.index)}};
}

Fields fields_of(const Enqueued& enqueued) {
  Fields fields{{"jobs", std::to_string(enqueued.jobs.size())}};
  for (std::size_t at = 0; at < enqueued.jobs.size(); ++at) {
    fields.emplace_back(fmt::format("job {}", at), text(enqueued.jobs[at]));
  }
  return fields;
}

Fields fields_of(const Lease& lease) {
  const JobBody& body = lease.body;
  return {{"job", text(lease.job)},
          {"token", to_text(lease.token)},
          {"type", lease.type},
          {"job key", text(lease.job_key)},
          {"queue", lease.queue},
          {"payload", text(body.payload)},
          {"tags", text(body.tags)},
          {"metadata", text(body.metadata)},
          {"request", text(body.request)},
          {"traceparent", text(body.traceparent)},
          {"attempt", text(std::int64_t{lease.attempt})},
          {"failures", text(std::int64_t{lease.failures})},
          {"max retries", text(std::int64_t{lease.max_retries})},
          {"end", text(lease.lease_expires_at)},
          {"deadline", text(lease.deadline_at)},
          {"created", text(lease.created_at)},
          {"checkpoint", text(lease.checkpoint)},
          {"last error", text(lease.last_error)},
          {"heard", text(lease.heard)},
          {"heard before", text(lease.heard_before)}};
}

Fields fields_of(const Leased& leased) {
  Fields fields{{"leases", std::to_string(leased.leases.size())}};
  for (std::size_t at = 0; at < leased.leases.size(); ++at) {
    for (auto& [name, value] : fields_of(leased.leases[at])) {
      fields.emplace_back(fmt::format("{} of lease {}", name, at), std::move(value));
    }
  }
  return fields;
}

Fields fields_of(const Beaten& beaten) {
  return {{"lease end", text(beaten.lease_expires_at)},
          {"cancel requested", text(beaten.cancel_requested)}};
}

Fields fields_of(const Settled& settled) {
  return {{"job", text(settled.job)},
          {"status", std::string(to_text(settled.status))},
          {"asked", text(settled.asked)}};
}

Fields fields_of(const Swept& swept) {
  return {{"count", text(swept.count)},
          {"more", text(swept.more)},
          {"next", text(swept.next)},
          {"seen until", text(swept.seen_until)},
          {"repaired", text(swept.repaired)}};
}

Fields fields_of(const Done&) { return {}; }

Fields fields_of(const JobEvent& events) {
  const Transition& move = events.transition;
  return {{"namespace", events.ns},
          {"job", text(events.job)},
          {"type", events.type},
          {"queue", events.queue},
          {"number", text(move.seq)},
          {"from", move.from ? std::string(to_text(*move.from)) : "none"},
          {"to", std::string(to_text(move.to))},
          {"cause", std::string(to_text(move.cause))},
          {"time", text(move.at)},
          {"epoch", text(move.epoch)},
          {"worker", text(move.worker)},
          {"detail", text(move.detail)},
          {"took", fmt::format("{} ms", events.took.count())},
          {"message", text(events.message)}};
}

// "count 3, next none"; of those fields alone that the other answer has not.
std::string list(const Fields& fields, const Fields& other) {
  std::string list;
  for (std::size_t at = 0; at < fields.size(); ++at) {
    if (at < other.size() && fields[at] == other[at]) continue;
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", fields[at].first, fields[at].second);
  }
  return list.empty() ? "nothing more" : list;
}

std::string contrast(const Fields& expected, const Fields& actual) {
  return fmt::format("{}; expected {}", list(actual, expected), list(expected, actual));
}

Fields fields_of(const Verdict& verdict) {
  return std::visit([](const auto& said) { return fields_of(said); }, verdict);
}

std::string contrast(const Verdict& expected, const Verdict& actual) {
  if (expected.index() == actual.index()) {
    return fmt::format("{} with {}", kind_of(actual),
                       contrast(fields_of(expected), fields_of(actual)));
  }
  return fmt::format("{} with {}; expected {} with {}", kind_of(actual),
                     list(fields_of(actual), {}), kind_of(expected), list(fields_of(expected), {}));
}

std::string moves_difference(const std::vector<JobEvent>& expected,
                             const std::vector<JobEvent>& actual) {
  for (std::size_t at = 0; at < std::max(expected.size(), actual.size()); ++at) {
    const Fields want = at < expected.size() ? fields_of(expected[at]) : Fields{};
    const Fields have = at < actual.size() ? fields_of(actual[at]) : Fields{};
    if (want != have) return fmt::format("transition {} has {}", at, contrast(want, have));
  }
  return "the transitions differ";
}

}  // namespace

std::string difference(const Committed& expected, const Committed& actual) {
  if (expected.verdicts.size() != actual.verdicts.size()) {
    return fmt::format("{} verdicts; expected {}", actual.verdicts.size(),
                       expected.verdicts.size());
  }
  for (std::size_t at = 0; at < expected.verdicts.size(); ++at) {
    if (expected.verdicts[at] == actual.verdicts[at]) continue;
    return fmt::format("command {} is answered: {}", at,
                       contrast(expected.verdicts[at], actual.verdicts[at]));
  }
  if (expected.events != actual.events) {
    return moves_difference(expected.events, actual.events);
  }
  if (expected.at == actual.at) return {};
  return fmt::format("the time is {}; expected {}", to_text(actual.at), to_text(expected.at));
}

}  // namespace longshore::faults
