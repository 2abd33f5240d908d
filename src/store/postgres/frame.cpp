#include "store/postgres/frame.h"

namespace longshore::postgres {
namespace {

std::string parameter(int number) { return "$" + std::to_string(number); }

std::string insert_counts(int first) {
  std::string values = parameter(first) + "::bigint";
  for (int i = 1; i < count_parameters; ++i) values += ", " + parameter(first + i);
  return "INSERT INTO @tally AS known SELECT " + values;
}

}  // namespace

std::string proof_of_moment(int first) {
  const std::string time = parameter(first);
  return "SELECT (CASE WHEN now BETWEEN " + time + " AND " + time +
         " + 50 AND config = " + parameter(first + 1) +
         " THEN micros::text "
         "ELSE 'the time or the rules are not what they were; Longshore starts over' END)::bigint "
         "AS proved FROM (SELECT @store_time() AS now, (SELECT config FROM @store) AS config, "
         "@store_micros() AS micros OFFSET 0) AS clock";
}

std::string moment_part(int first) {
  return "moment AS MATERIALIZED (" + proof_of_moment(first) + ")";
}

std::string witness_part(int first, const std::string& wrote) {
  return "witnessed AS (UPDATE @witness SET commits = commits + 1, at = " + parameter(first + 1) +
         " WHERE id = " + parameter(first) + " AND (" + parameter(first + 2) + " OR " + wrote +
         "))";
}

std::string counts_part(int first, const std::string& after) {
  return "counted AS (" + insert_counts(first) + " FROM (SELECT count(*) FROM " + after +
         ") AS written" + adding_to_known() + ")";
}

std::string add_counts_text(int first) { return insert_counts(first) + adding_to_known(); }

std::string adding_to_known() {
  std::string sums;
  for (const char* state : {"created", "scheduled", "queued", "running", "waiting", "retry",
                            "success", "dead", "canceled"}) {
    sums += std::string(sums.empty() ? "" : ", ") + state + " = known." + state + " + excluded." +
            state;
  }
  return " ON CONFLICT (ns, queue, slot) DO UPDATE SET " + sums;
}

void add_frame(Parameters& parameters, const Frame& frame) {
  // The same bytes, whatever they name.
  const RequestId witness{.high = frame.witness.id.high, .low = frame.witness.id.low};
  parameters.add(frame.carried).add(frame.config).add(witness).add(frame.now);
  parameters.add(frame.witness.anyhow);
}

void add_counts(Parameters& parameters, const Frame& frame) {
  parameters.add(frame.slot).add(frame.queue.ns).add(frame.queue.name);
  for (const std::int64_t by : frame.counts) parameters.add(by);
}

}  // namespace longshore::postgres
