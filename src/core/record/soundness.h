// What must be true of one record, whatever store holds it. Each store's audit() asks this of
// every job and then compares its own indexes with places_of().
#pragma once

#include <vector>

#include "longshore/catalog.h"
#include "longshore/job.h"
#include "longshore/rules.h"

namespace longshore {

// Adds a Finding for everything in the record that contradicts itself or the table of moves.
void check_record(const JobRecord& record, const Rules& rules, std::vector<Finding>& findings);

// In which structures a job in this state stands; it stands in no other.
struct Places {
  bool ready = false;     // may be claimed
  bool future = false;    // waits for run_at
  bool leased = false;    // waits for the end of a lease or a deadline
  bool dead = false;      // listed among the dead letters
  bool live_key = false;  // holds (namespace, type, job key) against others
  friend bool operator==(const Places&, const Places&) = default;
};
Places places_of(const Job& job);

// Under which state its queue counts it: its own, or CANCELED if it was withdrawn and its profile
// has no other end for it than DEAD. So what is counted as DEAD is what the dead letters list.
State counted_as(const Job& job);

}  // namespace longshore
