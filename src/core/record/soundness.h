// The consistency of one record, for every store. Each store's audit() checks every job with this
// and then compares its indexes with places_of().
#pragma once

#include <vector>

#include "longshore/catalog.h"
#include "longshore/job.h"
#include "longshore/rules.h"

namespace longshore {

// Adds a Finding for each contradiction in the record and each illegal transition.
void check_record(const JobRecord& record, const Rules& rules, std::vector<Finding>& findings);

// The indexes that contain a job in this state; no others do.
struct Places {
  bool ready = false;     // can be claimed
  bool future = false;    // waits for run_at
  bool leased = false;    // by the end of its lease or its deadline
  bool dead = false;      // the dead letters
  bool live_key = false;  // its (namespace, type, job key) is in use
  friend bool operator==(const Places&, const Places&) = default;
};
Places places_of(const Job& job);

// The state under which its queue counts the job: its own, or CANCELED for a withdrawn job that its
// profile keeps as DEAD. So the number of DEAD jobs is the number of dead letters.
State counted_as(const Job& job);

}  // namespace longshore
