#include "store/sqlite/write/job_table.h"

namespace longshore::sqlite {
namespace {

std::vector<std::string> done_columns() {
  std::vector<std::string> columns = head_columns();
  columns.emplace_back("result");
  return columns;
}

}  // namespace

JobReader::JobReader(Database& database, const Policy& usual)
    : rows_(usual),
      live_(database, select_head("live") + "WHERE job.id = ?"),
      done_(database, select_head("done") + "WHERE job.id = ?"),
      live_key_(database, "SELECT id FROM live WHERE kind = ? AND job_key = ?"),
      done_key_(database,
                "SELECT id FROM done WHERE kind = ? AND job_key = ? ORDER BY number DESC LIMIT 1"),
      body_(database, std::string("SELECT ") + body_columns + " FROM body WHERE id = ?"),
      checkpoint_(database, "SELECT value FROM checkpoint WHERE id = ?"),
      result_(database, "SELECT result FROM done WHERE id = ?") {}

std::optional<Found> JobReader::find(const JobId& id) {
  for (const Home home : {Home::live, Home::done}) {
    Statement& statement = home == Home::live ? live_ : done_;
    statement.begin();
    statement.bind(id);
    RowGuard guard(statement);
    if (statement.step()) return Found{.head = rows_.read(statement), .home = home};
  }
  return std::nullopt;
}

std::optional<JobId> JobReader::find_live_key(std::int64_t kind, std::string_view key) {
  return find_key(live_key_, kind, key);
}

std::optional<JobId> JobReader::find_done_key(std::int64_t kind, std::string_view key) {
  return find_key(done_key_, kind, key);
}

std::optional<JobId> JobReader::find_key(Statement& statement, std::int64_t kind,
                                         std::string_view key) {
  statement.begin();
  statement.bind(kind);
  statement.bind(key);
  RowGuard guard(statement);
  if (!statement.step()) return std::nullopt;
  return statement.id<JobId>();
}

JobBody JobReader::body(const JobId& id) {
  body_.begin();
  body_.bind(id);
  RowGuard guard(body_);
  return body_.step() ? read_body(body_) : JobBody{};
}

std::optional<std::string> JobReader::checkpoint(const JobId& id) {
  return find_text(checkpoint_, id);
}

std::optional<std::string> JobReader::result(const JobId& id) { return find_text(result_, id); }

std::optional<std::string> JobReader::find_text(Statement& statement, const JobId& id) {
  statement.begin();
  statement.bind(id);
  RowGuard guard(statement);
  if (!statement.step()) return std::nullopt;
  return statement.optional_text();
}

JobWriter::JobWriter(Database& database, const Policy& usual)
    : rows_(usual),
      insert_live_(database, "live", head_columns()),
      update_live_(database, update_row("live")),
      delete_live_(database, "live"),
      insert_done_(database, "done", done_columns()),
      update_done_(database, update_row("done")),
      delete_done_(database, "DELETE FROM done WHERE id = ?"),
      set_result_(database, "UPDATE done SET result = ? WHERE id = ?"),
      insert_body_(database, "body",
                   {"id", "payload", "tags", "metadata", "request", "traceparent"}),
      delete_body_(database, "DELETE FROM body WHERE id = ?"),
      replace_checkpoint_(database, "REPLACE INTO checkpoint VALUES (?, ?)"),
      delete_checkpoint_(database, "DELETE FROM checkpoint WHERE id = ?"),
      delete_failures_(database, "DELETE FROM failure WHERE id = ?"),
      delete_logs_(database, "DELETE FROM log WHERE id = ?") {}

void JobWriter::write(const Head& head, const Names& names, Home from, bool rewritten,
                      const std::optional<std::string>& result) {
  const bool ended = is_terminal(head.job.state);
  const bool stays = from == (ended ? Home::done : Home::live);
  if (stays && !(rewritten && !ended)) {
    Rows::update(ended ? update_done_ : update_live_, head);
    return;
  }
  if (from == Home::live) delete_live_.add(head.job.id);
  if (from == Home::done) delete_done_.run(head.job.id);
  if (ended) {
    insert_done_.add(rows_.fresh(head, names, &result));
  } else {
    insert_live_.add(rows_.fresh(head, names));
  }
}

void JobWriter::move_all() {
  delete_live_.run();
  insert_live_.run();
  insert_body_.run();
  insert_done_.run();
}

void JobWriter::set_result(const JobId& id, const std::optional<std::string>& result) {
  set_result_.run(result, id);
}

void JobWriter::set_body(const JobId& id, const JobBody& body, bool is_new) {
  if (!is_new) delete_body_.run(id);
  insert_body_.add({.id = id, .body = &body});
}

void JobWriter::set_checkpoint(const JobId& id, const std::optional<std::string>& value) {
  if (value) {
    replace_checkpoint_.run(id, *value);
  } else {
    delete_checkpoint_.run(id);
  }
}

void JobWriter::remove(const JobId& id) {
  delete_done_.run(id);
  delete_body_.run(id);
  delete_checkpoint_.run(id);
  delete_failures_.run(id);
  delete_logs_.run(id);
}

}  // namespace longshore::sqlite
