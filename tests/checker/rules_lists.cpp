// Lists and counts match the jobs, and no client sees jobs of another namespace.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "checker/facts.h"
#include "core/record/soundness.h"

namespace longshore::checker {
namespace {

void check_dead_letters(Facts& facts) {
  std::set<std::pair<std::string_view, JobId>> listed;
  for (const Listed& one : facts.history.dead) {
    if (!listed.emplace(one.ns, one.job).second) {
      facts.violate("S18", facts.find(one.job), "listed twice among the dead letters");
    }
  }
  for (const JobFacts* job : facts.ordered) {
    if (job->dump == nullptr) continue;
    const Job& held = job->dump->job;
    const bool dead = held.state == State::dead && !held.withdrawn;
    const bool in_list = listed.erase({job->dump->job.ns, job->id}) > 0;
    if (dead != in_list) {
      facts.violate(
          "S18", job,
          dead ? "dead, and not among the dead letters" : "among the dead letters, and not dead");
    }
  }
  for (const auto& [ns, id] : listed) {
    facts.violate("S18", facts.find(id), "the dead letters list a job that does not exist");
  }
}

void check_depths(Facts& facts) {
  std::map<std::tuple<std::string_view, std::string_view, State>, std::int64_t> held;
  for (const JobDump& dump : facts.history.jobs)
    held[{dump.job.ns, dump.job.queue, counted_as(dump.job)}]++;
  for (const DepthDump& depth : facts.history.depths) {
    std::int64_t& count = held[{depth.ns, depth.queue, depth.state}];
    if (count != depth.count) {
      facts.violate("S20", nullptr,
                    "queue " + depth.queue + " counts " + std::to_string(depth.count) + " jobs " +
                        std::string(to_text(depth.state)) + " and holds " + std::to_string(count));
    }
    count = 0;
  }
  for (const auto& [place, count] : held) {
    if (count == 0) continue;
    facts.violate(
        "S20", nullptr,
        "queue " + std::string(std::get<1>(place)) + " holds jobs that it does not count");
  }
}

bool asked_for(const Call& call, const Grant& grant) {
  const bool queue = std::ranges::find(call.queues, grant.queue) != call.queues.end();
  const bool type =
      call.types.empty() || std::ranges::find(call.types, grant.type) != call.types.end();
  return queue && type;
}

void check_namespaces(Facts& facts) {
  for (const JobFacts* job : facts.ordered) {
    for (const Operation* op : job->ops) {
      if (!op->ok()) continue;
      if (job->dump != nullptr && op->call->ns != job->dump->job.ns) {
        facts.violate("S21", job,
                      "a job of namespace " + job->dump->job.ns + " answered in " + op->call->ns +
                          ": " + describe(*op));
      }
    }
  }
  for (const Operation& op : facts.ops) {
    if (op.call->verb != Verb::claim || !op.ok()) continue;
    for (const Grant& grant : op.answer->grants) {
      if (asked_for(*op.call, grant)) continue;
      facts.violate("S21", facts.find(grant.job),
                    "a claim was given what it did not ask for: " + describe(op));
    }
  }
}

}  // namespace

void check_lists(Facts& facts) {
  check_namespaces(facts);
  if (!facts.history.dumped_at) return;
  check_dead_letters(facts);
  check_depths(facts);
  for (const Finding& finding : facts.history.findings) {
    facts.violate("A1", nullptr, finding.rule + ": " + finding.what);
  }
}

}  // namespace longshore::checker
