// The decision about an enqueue: by its id and keys a job is created, answered with an earlier
// job, replaces one, or is refused.
#pragma once

#include <variant>

#include "core/rules/change.h"
#include "longshore/catalog.h"
#include "longshore/command.h"
#include "longshore/rules.h"

namespace longshore {

// What the store found for the new job's id and keys.
struct EnqueueFacts {
  const Job* same_id = nullptr;       // of any namespace; a repeat of this enqueue, or an id in use
  const KeyView* same_key = nullptr;  // the job of its idempotency key
  const Job* holder_of_key = nullptr;  // the live job with the same type and job key
};

// The answer is an earlier job. If the new one has an idempotency key that is not in use, the store
// binds the key to the earlier job.
struct AnsweredBy {
  EnqueuedJob job;
};

using EnqueueDecision = std::variant<Refusal, AnsweredBy, Change>;

// A Change whose first transition has no `from` creates a job; otherwise it replaces one. In both,
// `body` is set, and the store binds the keys of the new job.
EnqueueDecision decide_enqueue(const std::string& ns, const NewJob& wanted,
                               const EnqueueFacts& facts, bool reject_mismatch, const Rules& rules,
                               Instant now);

// True for the types of jobs that the platform creates. Their once-keys are separate from the
// idempotency keys of clients.
bool is_platform_type(std::string_view type);

}  // namespace longshore
