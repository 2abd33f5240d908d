// Stores with a known defect, each of which the differential test must find.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "conformance/harness.h"

namespace longshore::conformance {

enum class Defect {
  trusts_stale_tokens,
  answers_a_claim_twice,
  loses_every_50th_enqueue,
  serves_the_last_first,
  ignores_types,
  forgets_keys_of_existing_jobs,
  grants_one_retry_too_many,
  swallows_cancels,
  leases_too_long,
  never_reaps,
  forgets_who_canceled,
  // Those that only wide programs find,
  loses_the_end_of_a_large_group,
  claims_fifty_at_most,
  ignores_run_at,
  swallows_rules,
  // and those that only several threads find.
  loses_one_of_two_that_meet,
  answers_by_the_latest_namespace,
};

struct NamedDefect {
  Defect defect;
  std::string_view name;
};
const std::vector<NamedDefect>& defects();
const std::vector<NamedDefect>& wide_defects();
const std::vector<NamedDefect>& thread_defects();

// `enqueues` counts across the stores of one search; it must outlive them.
std::unique_ptr<StoreHarness> open_defective(const std::string& store, const Rules& rules,
                                             Defect defect, int& enqueues);

}  // namespace longshore::conformance
