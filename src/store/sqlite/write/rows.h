// How a job becomes a row and a row a job.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "longshore/job.h"
#include "store/sqlite/file/connection.h"

namespace longshore::sqlite {

// What the row of a job holds: the job itself and the small parts of its record.
struct Head {
  Job job;
  std::string history;  // core/record/history_text.h
  std::optional<JobError> error;
  bool has_checkpoint = false;
};

// The numbers that stand for names in a row.
struct Names {
  std::int64_t queue_type = 0;
  std::optional<std::int64_t> kind;  // set exactly for a job with a key
};

// A row about to be inserted, with what of it is made for the occasion.
struct NewRow {
  const Head* head = nullptr;
  Names names;
  const std::optional<std::string>* result = nullptr;  // of one that has ended
  std::string policy;
  std::array<char, 34> settled;

  // Every column of head_columns(), and the result if there is one.
  void bind_to(Statement& statement);
};

struct NewBody {
  JobId id;
  const JobBody* body = nullptr;

  // Every one of body_columns, after the id.
  void bind_to(Statement& statement);
  std::string tags;
};

// Rows leave out a policy that is the store's own. Constant after construction, safe to share.
class Rows {
 public:
  explicit Rows(const Policy& usual) : usual_(usual) {}

  NewRow fresh(const Head& head, const Names& names,
               const std::optional<std::string>* result = nullptr) const;
  // Runs an update_row() statement: what can change while a job keeps its content.
  static void update(Statement& statement, const Head& head);

  // Reads what select_head() answers, from the first column on.
  Head read(Statement& row) const;

 private:
  Policy usual_;
};

// The columns that live and done share, in order.
std::vector<std::string> head_columns();
// "UPDATE live SET ... WHERE id = ?"
std::string update_row(const std::string& table);
// "SELECT ... FROM live AS job JOIN queue_type"; the caller adds its WHERE. `more` names further
// columns.
std::string select_head(const std::string& table, const std::string& more = "");

inline constexpr const char* body_columns = "payload, tags, metadata, request, traceparent";
JobBody read_body(Statement& row);

// Lists of names as one text; NULL for none.
std::string list_text(const std::vector<std::string>& names);
std::vector<std::string> parse_list(std::string_view text);

}  // namespace longshore::sqlite
