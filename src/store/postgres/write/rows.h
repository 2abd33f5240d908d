// How a job becomes a row and a row a job.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/job.h"
#include "store/postgres/connection/rowset.h"
#include "store/postgres/connection/values.h"
#include "store/postgres/write/lines.h"

namespace longshore::postgres {

// What the row of a job holds: the job itself and the small parts of its record.
struct Head {
  Job job;
  Lines history;  // of a live job what is to be appended, see Entry
  std::optional<JobError> error;
  std::int64_t body_bytes = 0;  // payload, metadata and request
  std::optional<std::int64_t> checkpoint_bytes;
};

// Rows of jobs on their way into a statement.
class HeadRows {
 public:
  // Every column, or those that change while a job keeps its content.
  enum class Extent { whole, living };
  HeadRows(Extent extent, const Policy& usual);

  void add(const Head& head);
  bool empty() const { return records_.empty(); }
  // Becomes $1 of a statement; empty again afterwards.
  Parameters take();

 private:
  void add_given(const Head& head);
  void add_living(const Head& head);

  const Extent extent_;
  const Policy& usual_;
  Records records_;
};

// "a, b, c" of every column of a head, as HeadRows of the whole extent have them.
const std::string& head_columns();
// "job.a, job.b" of those that are given at enqueue, and seldom change; of no table: "a, b".
std::string given_columns_of(const std::string& table);

// What is selected of a table's rows for read_head(). What most rows do not have is one value, so
// that its absence costs no more than one.
std::string head_values(const std::string& table);
// The same with NULL for the history, which is appended to without reading it.
std::string head_values_but_history();

// What is selected of the row of a queued job for read_queued(): nothing that follows from its
// queue and state.
std::string queued_values();
// The same of a job that has not run, for read_plain(), before or after it was started; and the
// names of these columns.
std::string plain_values(const std::string& table);
std::string plain_names();

// INSERT INTO `table` from HeadRows of the whole extent.
std::string insert_heads(const std::string& table);
// UPDATE from HeadRows of the living extent, by id. The history is appended to.
std::string update_live();
// The same by a column of places, which needs no index and leaves the planner no choice.
std::string update_live_in_place();
// The same, but the history is written whole.
std::string update_done();
// From live to done, by HeadRows of the living extent and a column of results.
std::string move_to_done();

// Of head_values().
Head read_head(RowSet& row, const Policy& usual);
// Of queued_values(), behind the id. The head is a new one's with id, namespace and queue.
void read_queued(RowSet& row, const Policy& usual, Head& head);
// Of plain_values(), likewise: the job as it was before it was started, when it had this version.
void read_plain(RowSet& row, const Policy& usual, std::int64_t version, Head& head);

// What is selected of a body for read_body(): the payload, and as one value what most bodies have
// nothing of.
std::string body_values();
JobBody read_body(RowSet& row);
std::int64_t bytes_of(const JobBody& body);

// Lists of names as one text: " a b ", and "" for none.
std::string list_text(const std::vector<std::string>& names);
std::vector<std::string> parse_list(std::string_view text);

}  // namespace longshore::postgres
