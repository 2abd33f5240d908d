#include "store/sqlite/key_index.h"

namespace longshore::sqlite {

KeyIndex::KeyIndex(Database& database)
    : database_(database),
      find_space_(database, "SELECT id FROM keyspace WHERE ns = ? AND platform = ?"),
      find_(database, "SELECT job, body_hash FROM idempotency WHERE space = ? AND key = ?"),
      insert_space_(database, "INSERT INTO keyspace(ns, platform) VALUES (?, ?)"),
      insert_(database, "INSERT INTO idempotency VALUES (?, ?, ?, ?)"),
      erase_(database, "DELETE FROM idempotency WHERE space = ? AND key = ?") {}

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

std::optional<BoundKey> KeyIndex::find(KeySpace space, std::string_view key) {
  find_.begin();
  find_.bind(space);
  find_.bind(key);
  RowGuard guard(find_);
  if (!find_.step()) return std::nullopt;
  const JobId job = find_.id<JobId>();
  return BoundKey{.job = job, .body_hash = static_cast<std::uint64_t>(find_.integer())};
}

void KeyIndex::put(KeySpace space, std::string_view key, const BoundKey& bound) {
  insert_.run(space, key, bound.job, bound.body_hash);
}

void KeyIndex::erase(KeySpace space, std::string_view key) { erase_.run(space, key); }

}  // namespace longshore::sqlite
