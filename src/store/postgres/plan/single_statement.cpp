#include "store/postgres/plan/single_statement.h"

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

std::string commit_counter_part(int first, const std::string& wrote) {
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

void add_frame(Parameters& parameters, const SingleStatement& single) {
  // The same bytes, whatever they name.
  const RequestId commit_counter{.high = single.commit_counter.id.high,
                                 .low = single.commit_counter.id.low};
  parameters.add(single.carried).add(single.config).add(commit_counter).add(single.now);
  parameters.add(single.commit_counter.always);
}

void add_counts(Parameters& parameters, const SingleStatement& single) {
  parameters.add(single.slot).add(single.queue.ns).add(single.queue.name);
  for (const std::int64_t by : single.counts) parameters.add(by);
}

}  // namespace longshore::postgres
