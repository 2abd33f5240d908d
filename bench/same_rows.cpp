#include "bench/same_rows.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "bench/callers.h"

namespace longshore::bench {
namespace {

class File {
 public:
  explicit File(const std::string& path) {
    sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READONLY, nullptr);
  }
  ~File() { sqlite3_close(handle_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // The first column of every row, as text.
  std::vector<std::string> ask(const std::string& question) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(handle_, question.c_str(), -1, &statement, nullptr);
    if (statement == nullptr) give_up("cannot ask " + question + ": " + sqlite3_errmsg(handle_));
    std::vector<std::string> answers;
    while (sqlite3_step(statement) == SQLITE_ROW) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
      answers.emplace_back(text == nullptr ? "" : text);
    }
    sqlite3_finalize(statement);
    return answers;
  }

 private:
  sqlite3* handle_ = nullptr;
};

// Numbers count by how many there are, for times and ids differ; of lanes they are counts.
std::string summary(const std::string& column) {
  return fmt::format(
      "count({0}) || ' values from ' || ifnull(min(typeof({0})), '-') || ' to ' || "
      "ifnull(max(typeof({0})), '-') || ' of length ' || "
      "ifnull(sum(CASE WHEN typeof({0}) IN ('text', 'blob') THEN length({0}) END), 0)",
      column);
}

}  // namespace

int expect_same_rows(const std::string& ours, const std::string& reference,
                     const std::vector<std::pair<std::string, std::string>>& tables) {
  File our_file(ours);
  File other_file(reference);
  int compared = 0;
  const auto expect_same = [&](const std::string& what, const std::string& our_question,
                               const std::string& other_question) {
    const auto our = our_file.ask(our_question);
    const auto other = other_file.ask(other_question);
    if (our == other) return;
    give_up(fmt::format("{} differs: ours {}, the reference's {}", what,
                        our.empty() ? "nothing" : our.front(),
                        other.empty() ? "nothing" : other.front()));
  };
  for (const auto& [our, other] : tables) {
    expect_same(our, "SELECT count(*) FROM " + our, "SELECT count(*) FROM " + other);
    const auto columns = "SELECT name FROM pragma_table_info('{}') ORDER BY name";
    expect_same("the columns of " + our, fmt::format(fmt::runtime(columns), our),
                fmt::format(fmt::runtime(columns), other));
    for (const auto& column : our_file.ask(fmt::format(fmt::runtime(columns), our))) {
      expect_same(our + "." + column, "SELECT " + summary(column) + " FROM " + our,
                  "SELECT " + summary(column) + " FROM " + other);
      ++compared;
    }
  }
  const std::string counts =
      "SELECT queued || ' ' || running || ' ' || success || ' ' || waiting || ' ' || dead FROM "
      "lane";
  expect_same("what the lane counts", counts, counts);
  return compared;
}

std::string ask_file(const std::string& path, const std::string& question) {
  const auto answers = File(path).ask(question);
  return answers.empty() ? "" : answers.front();
}

std::vector<std::pair<std::string, std::string>> tables_of_a_job() {
  std::vector<std::pair<std::string, std::string>> tables;
  for (const char* table : {"store", "lane", "kind", "live", "done", "body", "checkpoint",
                            "failure", "log", "keyspace", "bound_key", "gone"}) {
    tables.emplace_back(table, table);
  }
  return tables;
}

}  // namespace longshore::bench
