// Proves the store sound: each job stands in exactly the structures that its state demands, and
// nothing else stands there.
#include <algorithm>
#include <utility>

#include "core/record/soundness.h"
#include "store/redis/catalog.h"
#include "store/redis/inventory.h"

namespace longshore::redis {
namespace {

constexpr std::size_t findings_max = 1000;
// A store that is written to meanwhile contradicts itself in the eyes of whoever walks through it.
// What it really contradicts is there again the next time.
constexpr int walks_max = 5;

struct Walk {
  std::int64_t jobs = 0;
  std::vector<Finding> findings;
  bool disturbed = false;
};

// Told of every page of jobs.
constexpr std::int64_t jobs_between_looks = 200;

// What the walks of one audit share.
struct Plan {
  const Rules& rules;
  const AuditWatch& watch;
  std::int64_t jobs_before = 0;  // in the namespaces that are done

  bool goes_on(std::int64_t jobs, const char* rule) const {
    return !watch || watch({.jobs_checked = jobs_before + jobs, .rule = rule});
  }
};

Error ended() { return {.code = Errc::unavailable, .message = "the check was ended"}; }

Result<Walk> walk(const View& view, const Plan& plan, const std::string& ns) {
  const Rules& rules = plan.rules;
  if (!plan.goes_on(0, "index")) return ended();
  const Reader reader = view.of(ns);
  const std::vector<Words> last_number = {{"HGET", reader.keys().meta(), "seq"}};
  const auto before = reader.read(last_number);
  if (!before) return before.error();
  Inventory inventory(ns, rules);
  if (const auto read = inventory.read(reader); !read) return read.error();
  Walk walk;
  bool goes_on = true;
  const auto walked = each_of(view, ns, [&](const JobRecord& record) {
    ++walk.jobs;
    check_record(record, rules, walk.findings);
    inventory.check(record, walk.findings);
    if (walk.jobs % jobs_between_looks == 0) goes_on = plan.goes_on(walk.jobs, "");
    return goes_on && walk.findings.size() < findings_max;
  });
  if (!walked) return walked.error();
  if (!goes_on) return ended();
  if (walk.findings.size() < findings_max) inventory.check_rest(walk.findings);
  const auto after = reader.read(last_number);
  if (!after) return after.error();
  walk.disturbed = *before != *after;
  return walk;
}

Result<Walk> walk_until_sure(const View& view, const Plan& plan, const std::string& ns) {
  auto first = walk(view, plan, ns);
  for (int i = 1; i < walks_max && first; ++i) {
    if (first->findings.empty() || !first->disturbed) return first;
    auto again = walk(view, plan, ns);
    if (!again) return again.error();
    std::erase_if(again->findings, [&](const Finding& finding) {
      return std::ranges::find(first->findings, finding) == first->findings.end();
    });
    first = std::move(again);
  }
  return first;
}

}  // namespace

Result<Audit> audit_store(const View& view, const AuditWatch& watch) {
  const auto names = read_namespaces(view.channel);
  if (!names) return names.error();
  const auto record = rules_record(view);
  if (!record) return record.error();
  const Rules rules = record->for_audit();
  Audit audit;
  for (const std::string& ns : *names) {
    const Plan plan{.rules = rules, .watch = watch, .jobs_before = audit.jobs_checked};
    auto walk = walk_until_sure(view, plan, ns);
    if (!walk) return walk.error();
    audit.jobs_checked += walk->jobs;
    std::ranges::move(walk->findings, std::back_inserter(audit.findings));
    if (audit.findings.size() >= findings_max) break;
  }
  if (audit.findings.size() > findings_max) audit.findings.resize(findings_max);
  return audit;
}

}  // namespace longshore::redis
