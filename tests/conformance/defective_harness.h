// Stores with a known defect: the differential test has to find each, or it finds nothing.
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
};

struct NamedDefect {
  Defect defect;
  std::string_view name;
};
const std::vector<NamedDefect>& defects();

// `enqueues` counts across the stores of one search; it must outlive them.
std::unique_ptr<StoreHarness> open_defective(const std::string& store, const Rules& rules,
                                             Defect defect, int& enqueues);

}  // namespace longshore::conformance
