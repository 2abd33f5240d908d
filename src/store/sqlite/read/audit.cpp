#include "store/sqlite/read/audit.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/record/soundness.h"
#include "core/rules/enqueue.h"
#include "store/sqlite/read/audit_questions.h"
#include "store/sqlite/read/catalog.h"

namespace longshore::sqlite {
namespace {

constexpr std::size_t findings_max = 1000;

constexpr int rows_at_once = 20'000;
constexpr int rows_at_least = 4;
// How often a question that needs one moment is asked of a store that is written to.
constexpr int tries = 2;

// An audit under way, and what a store that is written to left no time to check.
struct Progress {
  const AuditWatch& watch;
  Audit audit;
  std::vector<std::string> not_checked;
};

// Between two parts; fails when the audit is to end.
Result<Nothing> tell(const Progress& progress, const std::string& rule) {
  if (!progress.watch) return Nothing{};
  if (progress.watch({.jobs_checked = progress.audit.jobs_checked, .rule = rule})) return Nothing{};
  return Error{.code = Errc::unavailable, .message = "the check was ended"};
}

void find(Audit& audit, const std::string& rule, std::string what) {
  if (audit.findings.size() < findings_max) audit.findings.push_back({rule, std::move(what)});
}

// Adds what a part of the audit found, once it is known that nothing interrupted it.
void add(Audit& audit, std::vector<Finding> found) {
  for (Finding& one : found) find(audit, one.rule, std::move(one.what));
}

// A job's own key leads to it.
void check_key(Reader& reader, const Job& job, Audit& audit) {
  if (job.idempotency_key.empty()) return;
  const auto space = reader.keys.find_space(job.ns, is_platform_type(job.type));
  const auto bound = space ? reader.keys.find(*space, job.idempotency_key) : std::nullopt;
  if (bound && bound->job == job.id) return;
  find(audit, "idempotency-key-unbound",
       to_text(job.id) + " brought a key that does not lead to it");
}

// A slice of the records is looked at in a brief read. One that was ended all the same, since the
// machine is busy, is looked at again.
Result<Nothing> check_records(Readers& readers, const Rules& rules, Progress& progress) {
  Audit& audit = progress.audit;
  std::optional<JobId> after = JobId{};
  while (after && audit.findings.size() < findings_max) {
    if (auto told = tell(progress, ""); !told) return told;
    Audit part;
    const auto last = readers.read_again([&](Reader& reader) {
      part = {};
      return each_slice(reader, *after, [&](const JobRecord& record) {
        ++part.jobs_checked;
        check_record(record, rules, part.findings);
        check_key(reader, record.job, part);
        return part.findings.size() < findings_max;
      });
    });
    if (!last) return last.error();
    audit.jobs_checked += part.jobs_checked;
    add(audit, std::move(part.findings));
    after = *last;
  }
  return Nothing{};
}

// ---- Questions that can be asked of one row after the other -------------------------------------

// Of the rows of a table in the order of their ids; without bounds for what is no id at all.
struct Slice {
  std::optional<JobId> after;  // none: from the beginning
  std::optional<JobId> last;   // none: to the end
};

std::string range_text(const Slice& slice, const std::string& column) {
  return (slice.after ? " AND " + column + " > ?" : "") +
         (slice.last ? " AND " + column + " <= ?" : "");
}

void bind_range(Statement& rows, const Slice& slice) {
  if (slice.after) rows.bind(*slice.after);
  if (slice.last) rows.bind(*slice.last);
}

std::optional<JobId> slice_end(Reader& reader, const RowQuestion& question, const Slice& slice,
                               int rows) {
  const std::string column = question.column;
  const Slice behind{.after = slice.after};
  Statement end(*reader.database, "SELECT " + column + " FROM " + question.table + " WHERE 1" +
                                      range_text(behind, column) + " ORDER BY " + column +
                                      " LIMIT 1 OFFSET " + std::to_string(rows));
  bind_range(end, behind);
  return end.step() ? std::optional(end.id<JobId>()) : std::nullopt;
}

std::vector<Finding> ask_slice(Reader& reader, const RowQuestion& question, const Slice& slice) {
  const std::string column = std::string("x.") + question.column;
  Statement rows(*reader.database, question.sql + range_text(slice, column));
  bind_range(rows, slice);
  std::vector<Finding> found;
  while (found.size() < findings_max && rows.step()) found.push_back({question.rule, rows.text()});
  return found;
}

Result<Nothing> ask(Readers& readers, const RowQuestion& question, Progress& progress) {
  Audit& audit = progress.audit;
  Slice slice;
  int rows = rows_at_once;
  bool more = true;
  while (more && audit.findings.size() < findings_max) {
    if (auto told = tell(progress, question.rule); !told) return told;
    auto found = readers.read([&](Reader& reader) -> Result<std::vector<Finding>> {
      slice.last = slice_end(reader, question, slice, rows);
      if (slice.last <= slice.after) slice.last.reset();  // something that is no id
      return ask_slice(reader, question, slice);
    });
    if (!found && found.error().code == Errc::overloaded && rows > rows_at_least) {
      rows = std::max(rows / 4, rows_at_least);
      continue;
    }
    if (!found) return found.error();
    add(audit, std::move(*found));
    more = slice.last.has_value();
    slice.after = slice.last;
  }
  return Nothing{};
}

// ---- Questions about one moment of all of it ----------------------------------------------------

// Whether it was asked to its end. The writer may interrupt it, and what was found then means
// nothing.
Result<bool> ask_at_length(Readers& readers, const std::string& sql, const std::string& rule,
                           Audit& audit) {
  const auto look = [&](Reader& reader) -> Result<std::vector<Finding>> {
    Statement rows(*reader.database, sql);
    std::vector<Finding> found;
    while (found.size() < findings_max && rows.step()) {
      std::string words = rows.text();
      if (words != "ok") found.push_back({rule, std::move(words)});
    }
    return found;
  };
  auto found = readers.read(look, LogLimiter::Read::lengthy);
  if (!found && found.error().code == Errc::overloaded) return false;
  if (!found) return found.error();
  add(audit, std::move(*found));
  return true;
}

Result<Nothing> ask(Readers& readers, const WholeQuestion& question, Progress& progress) {
  Audit& audit = progress.audit;
  for (int i = 0; i < tries && audit.findings.size() < findings_max; ++i) {
    if (auto told = tell(progress, question.rule); !told) return told;
    const Result<bool> asked = ask_at_length(readers, question.sql, question.rule, audit);
    if (!asked) return asked.error();
    if (*asked) return Nothing{};
  }
  if (audit.findings.size() < findings_max) progress.not_checked.emplace_back(question.rule);
  return Nothing{};
}

Result<std::vector<std::string>> table_names(Readers& readers) {
  return readers.read([](Reader& reader) -> Result<std::vector<std::string>> {
    Statement rows(*reader.database, "SELECT name FROM sqlite_schema WHERE type = 'table'");
    std::vector<std::string> names;
    while (rows.step()) names.push_back(rows.text());
    return names;
  });
}

// SQLite compares every index with its table and walks every page: of the whole file at once, or if
// there is no time for that, of one table after the other.
Result<Nothing> check_pages(Readers& readers, Progress& progress) {
  Audit& audit = progress.audit;
  const std::string rule = "file-damaged";
  if (auto told = tell(progress, rule); !told) return told;
  const auto whole = ask_at_length(readers, "PRAGMA integrity_check(100)", rule, audit);
  if (!whole) return whole.error();
  if (*whole) return Nothing{};
  progress.not_checked.push_back(rule + ": whether every page is used by one table alone");
  const auto tables = table_names(readers);
  if (!tables) return tables.error();
  for (const std::string& table : *tables) {
    if (auto told = tell(progress, rule); !told) return told;
    const auto asked =
        ask_at_length(readers, "PRAGMA integrity_check('" + table + "')", rule, audit);
    if (!asked) return asked.error();
    if (!*asked) progress.not_checked.push_back(rule + ": the table " + table);
  }
  return Nothing{};
}

// What was not checked says nothing against the store, but nothing for it either.
Result<Audit> conclude(Progress progress) {
  if (progress.not_checked.empty()) return std::move(progress.audit);
  std::string rules;
  for (const std::string& one : progress.not_checked) rules += (rules.empty() ? "" : ", ") + one;
  if (!progress.audit.sound()) {
    find(progress.audit, "not-checked", rules);
    return std::move(progress.audit);
  }
  return Error{.code = Errc::overloaded,
               .message = "so much is being written to the store that this could not be checked: " +
                          rules + "; the rest is sound, check again when the store is less busy"};
}

}  // namespace

Result<Audit> audit_file(Readers& readers, const Rules& rules, const AuditWatch& watch) {
  Progress progress{.watch = watch};
  Result<Nothing> done = check_records(readers, rules, progress);
  for (const RowQuestion& question : row_questions()) {
    if (done) done = ask(readers, question, progress);
  }
  for (const WholeQuestion& question : whole_questions()) {
    if (done) done = ask(readers, question, progress);
  }
  if (done) done = check_pages(readers, progress);
  if (!done) return done.error();
  return conclude(std::move(progress));
}

void audit_memory(SqliteTransaction& work, Audit& audit) {
  std::vector<JobId> held;
  Statement rows(work.database(), "SELECT id FROM live WHERE state IN (3, 4) ORDER BY id");
  while (rows.step()) held.push_back(rows.id<JobId>());
  if (held != work.leases().all()) {
    find(audit, "lease-without-running-job",
         "memory holds " + std::to_string(work.leases().all().size()) + " leases, the file " +
             std::to_string(held.size()) + " jobs that are held, and they are not the same");
  }
  work.queue_types().audit(audit.findings);
  if (audit.findings.size() > findings_max) audit.findings.resize(findings_max);
}

}  // namespace longshore::sqlite
