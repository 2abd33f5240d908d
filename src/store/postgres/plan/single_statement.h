// What a batch says beside its jobs: that the moment is the one by which it was judged, how many
// jobs of a queue are now in which state, and that it commits. Where one statement writes all of a
// batch's jobs, these are parts of that statement, which then is a transaction by itself: each
// statement more costs a batch of a few jobs as much as several jobs do.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "longshore/job.h"
#include "store/postgres/connection/values.h"
#include "store/postgres/connection/write_connection.h"
#include "store/postgres/write/placement.h"

namespace longshore::postgres {

struct SingleStatement {
  Instant carried;                              // the database's time, as far as the node knows
  std::int64_t config = 0;                      // the version of the rules
  WriteConnection::CommitCount commit_counter;  // who says that it commits
  Instant now;                                  // and when
  int slot = 0;                                 // of the tally
  Scoped queue;
  std::array<std::int64_t, state_count> counts{};
};

// "SELECT ... AS proved", the time in microseconds, from parameters `first` (the time carried
// forward) and the next one (the version of the rules). Fails with StickyError::Kind::again if
// these are not what they were.
std::string proof_of_moment(int first);

// Parts of a WITH, without a comma at the end. The moment and the commit_counter take
// single_parameters, one behind the other, and the counts the next count_parameters.
inline constexpr int single_parameters = 5;
inline constexpr int count_parameters = 3 + state_count;
// "moment", of which `proved` has to be selected.
std::string moment_part(int first);
// `wrote` is a condition in SQL: whether the statement has written something.
std::string commit_counter_part(int first, const std::string& wrote);
// "counted", which adds to the tally when the part `after` has run. If that locks rows, whoever has
// a row of the tally waits for nobody who may want it.
std::string counts_part(int first, const std::string& after);
// The same as a statement, and how it adds to what the tally knows.
std::string add_counts_text(int first);
std::string adding_to_known();

// In the order of moment_part and commit_counter_part, and of counts_part.
void add_frame(Parameters& parameters, const SingleStatement& single);
void add_counts(Parameters& parameters, const SingleStatement& single);

}  // namespace longshore::postgres
