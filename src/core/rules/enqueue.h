// How a new job meets what a store already knows: the keys it brings decide whether it is
// created, answered by an earlier job, put in the place of one, or refused.
#pragma once

#include <variant>

#include "core/rules/change.h"
#include "longshore/catalog.h"
#include "longshore/command.h"
#include "longshore/rules.h"

namespace longshore {

// What the store found under the new job's id and keys.
struct EnqueueFacts {
  const Job* same_id = nullptr;        // of any namespace; this very enqueue, or an id taken
  const KeyView* same_key = nullptr;   // what its idempotency key stands for
  const Job* holder_of_key = nullptr;  // the live job with the same type and job key
};

// An earlier job answers. If the new one brought an idempotency key that stands for nothing
// yet, the store binds it to that job.
struct AnsweredBy {
  EnqueuedJob job;
};

using EnqueueDecision = std::variant<Refusal, AnsweredBy, Change>;

// A Change of a job with history_count 0 before it creates; otherwise it replaces. In both,
// `body` is set and the store binds the keys the new job brought.
EnqueueDecision decide_enqueue(const std::string& ns, const NewJob& wanted,
                               const EnqueueFacts& facts, bool reject_mismatch, const Rules& rules,
                               Instant now);

// Jobs that the platform makes for itself have type names that begin like this. Their once-keys
// never meet the idempotency keys of clients.
bool is_platform_type(std::string_view type);

}  // namespace longshore
