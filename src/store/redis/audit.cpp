// Proves the store sound: each job stands in exactly the structures that its state demands, and
// nothing else stands there.
#include <algorithm>
#include <utility>

#include "core/soundness.h"
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

Result<Walk> walk(const View& view, const Rules& rules, const std::string& ns) {
  const Reader reader = view.of(ns);
  const std::vector<Words> last_number = {{"HGET", reader.keys().meta(), "seq"}};
  const auto before = reader.read(last_number);
  if (!before) return before.error();
  Inventory inventory(ns, rules);
  if (const auto read = inventory.read(reader); !read) return read.error();
  Walk walk;
  const auto walked = each_of(view, ns, [&](const JobRecord& record) {
    ++walk.jobs;
    check_record(record, rules, walk.findings);
    inventory.check(record, walk.findings);
    return walk.findings.size() < findings_max;
  });
  if (!walked) return walked.error();
  if (walk.findings.size() < findings_max) inventory.check_rest(walk.findings);
  const auto after = reader.read(last_number);
  if (!after) return after.error();
  walk.disturbed = *before != *after;
  return walk;
}

Result<Walk> walk_until_sure(const View& view, const Rules& rules, const std::string& ns) {
  auto first = walk(view, rules, ns);
  for (int i = 1; i < walks_max && first; ++i) {
    if (first->findings.empty() || !first->disturbed) return first;
    auto again = walk(view, rules, ns);
    if (!again) return again.error();
    std::erase_if(again->findings, [&](const Finding& finding) {
      return std::ranges::find(first->findings, finding) == first->findings.end();
    });
    first = std::move(again);
  }
  return first;
}

}  // namespace

Result<Audit> audit_store(const View& view) {
  const auto names = read_namespaces(view.channel);
  if (!names) return names.error();
  const auto record = rules_record(view);
  if (!record) return record.error();
  const Rules rules = record->for_audit();
  Audit audit;
  for (const std::string& ns : *names) {
    auto walk = walk_until_sure(view, rules, ns);
    if (!walk) return walk.error();
    audit.jobs_checked += walk->jobs;
    std::ranges::move(walk->findings, std::back_inserter(audit.findings));
    if (audit.findings.size() >= findings_max) break;
  }
  if (audit.findings.size() > findings_max) audit.findings.resize(findings_max);
  return audit;
}

}  // namespace longshore::redis
