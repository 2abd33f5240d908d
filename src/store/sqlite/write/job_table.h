// The rows of jobs: where each lives, and how it is read and written whole.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longshore/job.h"
#include "store/sqlite/file/connection.h"
#include "store/sqlite/write/deletes.h"
#include "store/sqlite/write/inserts.h"
#include "store/sqlite/write/rows.h"

namespace longshore::sqlite {

// The table that holds a job's row.
enum class Home : std::uint8_t { none, live, done };

struct Found {
  Head head;
  Home home = Home::none;
};

// Reads on any connection.
class JobReader {
 public:
  JobReader(Database& database, const Policy& usual);

  std::optional<Found> find(const JobId& id);
  // The live job of a key, by the number of its type.
  std::optional<JobId> find_live_key(std::int64_t kind, std::string_view key);
  // The finished job with the highest number.
  std::optional<JobId> find_done_key(std::int64_t kind, std::string_view key);
  JobBody body(const JobId& id);
  std::optional<std::string> checkpoint(const JobId& id);
  std::optional<std::string> result(const JobId& id);

 private:
  std::optional<JobId> find_key(Statement& statement, std::int64_t kind, std::string_view key);
  std::optional<std::string> find_text(Statement& statement, const JobId& id);

  Rows rows_;
  Statement live_;
  Statement done_;
  Statement live_key_;
  Statement done_key_;
  Statement body_;
  Statement checkpoint_;
  Statement result_;
};

// Writes on the writer's connection.
class JobWriter {
 public:
  JobWriter(Database& database, const Policy& usual);

  // Moves the row from where it is to where it belongs by its state. `rewritten`: what was given
  // at enqueue changed too. All that is passed must live until move_all().
  void write(const Head& head, const Names& names, Home from, bool rewritten,
             const std::optional<std::string>& result);
  void set_result(const JobId& id, const std::optional<std::string>& result);
  void set_body(const JobId& id, const JobBody& body, bool is_new);
  // Runs removals and inserts, which wait until then. What is removed is gone before, so that a key
  // that was given up is free.
  void move_all();
  void set_checkpoint(const JobId& id, const std::optional<std::string>& value);

  // The job and everything that belongs to it.
  void remove(const JobId& id);

 private:
  Rows rows_;
  Inserts<NewRow> insert_live_;
  Statement update_live_;
  Deletes delete_live_;
  Inserts<NewRow> insert_done_;
  Statement update_done_;
  Statement delete_done_;
  Statement set_result_;
  Inserts<NewBody> insert_body_;
  Statement delete_body_;
  Statement replace_checkpoint_;
  Statement delete_checkpoint_;
  Statement delete_failures_;
  Statement delete_logs_;
};

}  // namespace longshore::sqlite
