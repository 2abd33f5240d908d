#include "store/sqlite/keys/key_index.h"

#include <algorithm>
#include <utility>

#include "core/text/hash.h"

namespace longshore::sqlite {
namespace {

std::int64_t hash_of(KeySpace space, std::string_view key) {
  return static_cast<std::int64_t>(hash64(key, static_cast<std::uint32_t>(space)));
}

}  // namespace

KeyIndex::KeyIndex(Database& database, const KeyIndexOptions& options)
    : database_(database),
      options_(options),
      runs_(database, options.fan),
      find_space_(database, "SELECT id FROM keyspace WHERE ns = ? AND platform = ?"),
      insert_space_(database, "INSERT INTO keyspace(ns, platform) VALUES (?, ?)"),
      read_log_(database, "SELECT seq, space, key FROM key_log WHERE seq > ? ORDER BY seq"),
      find_log_(database,
                "SELECT space, key, job, body_hash FROM key_log WHERE seq = ? AND "
                "seq > (SELECT drained FROM key_progress)"),
      read_row_(database, "SELECT space, key, job, body_hash FROM key_log WHERE seq = ?"),
      insert_log_(database, "INSERT INTO key_log VALUES (?, ?, ?, ?, ?)"),
      clear_log_(database, "DELETE FROM key_log WHERE seq <= ?"),
      find_in_runs_(database,
                    "SELECT job, body_hash FROM key_run CROSS JOIN key_entry ON run = key_run.id "
                    "WHERE hash = ? AND space = ? AND key = ? "
                    "ORDER BY tier, key_run.id DESC LIMIT 1"),
      save_progress_(database, "UPDATE key_progress SET frozen = ?, drained = ?") {}

void KeyIndex::load() {
  writes_ = true;
  spaces_.clear();
  recent_.clear();
  frozen_.clear();
  since_slice_ = 0;
  runs_.load();
  Statement progress(database_,
                     "SELECT frozen, drained, (SELECT min(seq) FROM key_log) FROM key_progress");
  if (progress.step()) {
    frozen_seq_ = progress.integer();
    drained_seq_ = progress.integer();
    const bool is_empty = progress.is_null();
    cleared_seq_ = is_empty ? drained_seq_ : std::min(progress.integer() - 1, drained_seq_);
  }
  progress.release();
  last_seq_ = drained_seq_;
  read_log();
  last_seq_ = std::max(last_seq_, frozen_seq_);
  frozen_next_ = frozen_.begin();
  if (!runs_.filling()) return;
  // A slice moves whole groups of equal hashes.
  if (const auto last = runs_.last_hash()) frozen_next_ = frozen_.upper_bound(*last);
}

// Catches up with what was appended since.
void KeyIndex::read_log() {
  read_log_.begin();
  read_log_.bind(last_seq_);
  RowGuard guard(read_log_);
  while (read_log_.step()) {
    last_seq_ = read_log_.integer();
    const KeySpace space = read_log_.integer();
    const bool is_frozen = writes_ && last_seq_ <= frozen_seq_;
    (is_frozen ? frozen_ : recent_).emplace(hash_of(space, read_log_.bytes()), last_seq_);
  }
}

std::optional<KeySpace> KeyIndex::find_space(const std::string& ns, bool platform) {
  const auto known = spaces_.find({ns, platform});
  if (known != spaces_.end()) return known->second;
  find_space_.begin();
  find_space_.bind(ns);
  find_space_.bind(platform);
  RowGuard guard(find_space_);
  if (!find_space_.step()) return std::nullopt;
  return spaces_[{ns, platform}] = find_space_.integer();
}

KeySpace KeyIndex::space(const std::string& ns, bool platform) {
  if (const auto known = find_space(ns, platform)) return *known;
  insert_space_.run(ns, platform);
  return spaces_[{ns, platform}] = sqlite3_last_insert_rowid(database_.handle());
}

// ---- Finding ------------------------------------------------------------------------------------

std::optional<BoundKey> KeyIndex::find(KeySpace space, std::string_view key) {
  if (!writes_) {
    // What a reader remembers of rows that have left the log leads nowhere, and adds up.
    if (recent_.size() > 8 * options_.log_max) {
      recent_.clear();
      last_seq_ = 0;
    }
    read_log();
  }
  const std::int64_t hash = hash_of(space, key);
  auto entry = find_recent(recent_, hash, space, key);
  if (!entry) entry = find_recent(frozen_, hash, space, key);
  if (!entry) entry = writes_ ? runs_.find(hash, space, key) : find_in_runs(hash, space, key);
  if (!entry || !entry->job) return std::nullopt;
  return BoundKey{.job = *entry->job, .body_hash = entry->body_hash};
}

std::optional<KeyEntry> KeyIndex::find_recent(const Recent& recent, std::int64_t hash,
                                              KeySpace space, std::string_view key) {
  const auto [first, last] = recent.equal_range(hash);
  for (auto at = last; at != first;) {
    --at;
    find_log_.begin();
    find_log_.bind(at->second);
    RowGuard guard(find_log_);
    if (!find_log_.step()) continue;
    KeyEntry entry{.hash = hash, .space = find_log_.integer()};
    entry.key = find_log_.text();
    entry.job = find_log_.optional_id<JobId>();
    entry.body_hash = static_cast<std::uint64_t>(find_log_.integer());
    if (entry.space == space && entry.key == key) return entry;
  }
  return std::nullopt;
}

std::optional<KeyEntry> KeyIndex::find_in_runs(std::int64_t hash, KeySpace space,
                                               std::string_view key) {
  find_in_runs_.begin();
  find_in_runs_.bind(hash);
  find_in_runs_.bind(space);
  find_in_runs_.bind(key);
  RowGuard guard(find_in_runs_);
  if (!find_in_runs_.step()) return std::nullopt;
  KeyEntry entry{.hash = hash, .space = space, .key = std::string(key)};
  entry.job = find_in_runs_.optional_id<JobId>();
  entry.body_hash = static_cast<std::uint64_t>(find_in_runs_.integer());
  return entry;
}

// ---- Writing ------------------------------------------------------------------------------------

void KeyIndex::put(KeySpace space, std::string_view key, const BoundKey& bound) {
  append(space, key, bound.job, bound.body_hash);
}

void KeyIndex::erase(KeySpace space, std::string_view key) { append(space, key, std::nullopt, 0); }

void KeyIndex::append(KeySpace space, std::string_view key, const std::optional<JobId>& job,
                      std::uint64_t body_hash) {
  insert_log_.run(++last_seq_, space, key, job, body_hash);
  recent_.emplace(hash_of(space, key), last_seq_);
  if (++since_slice_ < options_.slice_every) return;
  since_slice_ = 0;
  work();
}

// One slice. The log comes first: it must be out before it is full again.
void KeyIndex::work() {
  if (recent_.size() >= options_.log_max && !runs_.filling() && cleared_seq_ == drained_seq_) {
    freeze();
  }
  last_slice_ = 0;
  while (last_slice_ < options_.slice_rows && !database_.failed()) {
    const std::int64_t budget = options_.slice_rows - last_slice_;
    std::int64_t rows = 0;
    if (cleared_seq_ < drained_seq_) {
      rows = clear_log(budget);
    } else if (runs_.filling()) {
      rows = fill_run(budget);
    } else {
      rows = runs_.merge(budget);
    }
    if (rows == 0) return;
    last_slice_ += rows;
  }
}

void KeyIndex::freeze() {
  frozen_ = std::move(recent_);
  recent_.clear();
  frozen_next_ = frozen_.begin();
  frozen_seq_ = last_seq_;
  save_progress();
  runs_.begin(std::ssize(frozen_));
}

std::int64_t KeyIndex::fill_run(std::int64_t budget) {
  std::int64_t rows = 0;
  while (frozen_next_ != frozen_.end() && rows < budget) {
    const auto next = frozen_.upper_bound(frozen_next_->first);
    for (auto at = next; at != frozen_next_; ++rows) {
      --at;
      runs_.append(read_row(at->first, at->second));
    }
    frozen_next_ = next;
  }
  runs_.write_appended();
  if (frozen_next_ != frozen_.end()) return rows;
  runs_.end();
  frozen_.clear();
  frozen_next_ = frozen_.end();
  drained_seq_ = frozen_seq_;
  save_progress();
  return rows + 1;
}

KeyEntry KeyIndex::read_row(std::int64_t hash, std::int64_t seq) {
  read_row_.begin();
  read_row_.bind(seq);
  RowGuard guard(read_row_);
  KeyEntry entry{.hash = hash};
  if (!read_row_.step()) return entry;
  entry.space = read_row_.integer();
  entry.key = read_row_.text();
  entry.job = read_row_.optional_id<JobId>();
  entry.body_hash = static_cast<std::uint64_t>(read_row_.integer());
  return entry;
}

std::int64_t KeyIndex::clear_log(std::int64_t budget) {
  const std::int64_t until = std::min(drained_seq_, cleared_seq_ + budget);
  clear_log_.run(until);
  return until - std::exchange(cleared_seq_, until);
}

void KeyIndex::save_progress() { save_progress_.run(frozen_seq_, drained_seq_); }

}  // namespace longshore::sqlite
