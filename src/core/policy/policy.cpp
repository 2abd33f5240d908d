#include "core/policy/policy.h"

#include <ranges>

namespace longshore {
namespace {

template <class T>
void overlay(T& base, const std::optional<T>& layer) {
  if (layer) base = *layer;
}

template <class Rule>
std::optional<Duration> kept(const Rule* rule, Status ended_as) {
  if (rule == nullptr) return std::nullopt;
  if (ended_as == Status::completed) return rule->keep_success;
  if (ended_as == Status::canceled) return rule->keep_canceled;
  return rule->keep_dead;
}

Duration kept(const Retention& retention, Status ended_as) {
  if (ended_as == Status::completed) return retention.success;
  if (ended_as == Status::canceled) return retention.canceled;
  return retention.dead;
}

}  // namespace

Policy resolve_policy(std::span<const PolicyLayer> strongest_first, const Policy& rules) {
  Policy policy = rules;
  for (const PolicyLayer& layer : strongest_first | std::views::reverse) {
    overlay(policy.max_retries, layer.max_retries);
    overlay(policy.timeout, layer.timeout);
    overlay(policy.backoff.kind, layer.backoff.kind);
    overlay(policy.backoff.base, layer.backoff.base);
    if (layer.backoff.max) policy.backoff.max = layer.backoff.max;
    overlay(policy.backoff.jitter, layer.backoff.jitter);
  }
  return policy;
}

std::optional<Instant> resolve_prune_after(Status ended_as, Instant ended, const TypeRule* type,
                                           const QueueRule* queue, const Retention& retention) {
  std::optional<Duration> keep = kept(type, ended_as);
  if (!keep) keep = kept(queue, ended_as);
  if (!keep) keep = kept(retention, ended_as);
  if (*keep == Duration::forever()) return std::nullopt;
  return ended + *keep;
}

}  // namespace longshore
