#include "store/sqlite/write/side_writes.h"

#include "core/record/error_group.h"

namespace longshore::sqlite {
namespace {

// Keeps the end, and never begins inside a character.
void keep_newest(std::string& text) {
  if (text.size() <= log_bytes_kept) return;
  std::size_t begin = text.size() - log_bytes_kept;
  while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) ++begin;
  text.erase(0, begin);
}

}  // namespace

SideWrites::SideWrites(Database& database)
    : last_failure_(database, "SELECT max(seq) FROM failure WHERE id = ?"),
      insert_failure_(database, "INSERT INTO failure VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
      trim_failures_(database, "DELETE FROM failure WHERE id = ? AND seq <= ?"),
      upsert_group_(database,
                    "INSERT INTO error_group VALUES (?1, ?2, ?3, 1, ?4, ?4, ?5, ?6, ?7) "
                    "ON CONFLICT DO UPDATE SET count = count + 1, last_at = ?4, sample = ?5, "
                    "code = ?6, message = ?7"),
      find_log_(database, "SELECT text, last_append FROM log WHERE id = ? AND attempt = ?"),
      replace_log_(database, "REPLACE INTO log VALUES (?, ?, ?, ?)"),
      insert_audit_(database, "INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?)") {}

void SideWrites::add_failure(const Job& job, const JobError& error) {
  last_failure_.begin();
  last_failure_.bind(job.id);
  const std::int64_t seq = (last_failure_.step() ? last_failure_.integer() : 0) + 1;
  last_failure_.release();
  const std::uint64_t fingerprint = error_fingerprint(job.type, error.code, error.message);
  insert_failure_.run(job.id, seq, job.attempt, job.updated_at, error.code, error.message,
                      error.details, fingerprint);
  if (seq > failures_kept) trim_failures_.run(job.id, seq - failures_kept);
  group(job, error, fingerprint);
}

void SideWrites::group(const Job& job, const JobError& error, std::uint64_t fingerprint) {
  const std::string_view first_line =
      std::string_view(error.message).substr(0, error.message.find('\n'));
  upsert_group_.run(job.ns, job.type, fingerprint, job.updated_at, job.id, error.code, first_line);
}

void SideWrites::append_log(const JobId& id, int attempt, const std::string& text,
                            const std::optional<RequestId>& append) {
  if (text.empty()) return;
  find_log_.begin();
  find_log_.bind(id);
  find_log_.bind(attempt);
  std::string log;
  if (find_log_.step()) {
    log = find_log_.text();
    const auto last = find_log_.optional_id<RequestId>();
    if (append && append == last) {
      find_log_.release();
      return;
    }
  }
  find_log_.release();
  log += text;
  keep_newest(log);
  replace_log_.run(id, attempt, log, append);
}

void SideWrites::add_audit(std::int64_t number, Instant now, const std::string& ns,
                           const Actor& actor, const std::string& action,
                           const std::string& target) {
  insert_audit_.run(number, now, ns, actor.name, actor.request_id, action, target);
}

}  // namespace longshore::sqlite
