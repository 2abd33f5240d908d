#include "engine/running_limits.h"

namespace longshore {
namespace {

bool contains(const std::map<std::string, std::set<std::string>>& names, const std::string& ns,
              const std::string& name) {
  const auto found = names.find(ns);
  return found != names.end() && found->second.contains(name);
}

}  // namespace

RunningLimits::RunningLimits(const Configure& rules) {
  for (const QueueRule& rule : rules.queues) {
    if (rule.max_running) queues_[rule.ns].insert(rule.queue);
  }
  for (const TypeRule& rule : rules.types) {
    if (rule.max_running) types_[rule.ns].insert(rule.type);
  }
}

bool RunningLimits::has_queue(const std::string& ns, const std::string& queue) const {
  return contains(queues_, ns, queue);
}

bool RunningLimits::has_type(const std::string& ns, const std::string& type) const {
  return contains(types_, ns, type);
}

}  // namespace longshore
