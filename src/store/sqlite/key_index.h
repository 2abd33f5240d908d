// Idempotency keys and the jobs they lead to. A key is written once and read at every enqueue that
// brings one; what became of its job is not kept here, so an entry never changes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "longshore/id.h"
#include "store/sqlite/connection.h"

namespace longshore::sqlite {

// A namespace together with who gives out its keys: clients, or the platform for its own jobs.
using KeySpace = std::int64_t;

struct BoundKey {
  JobId job;
  std::uint64_t body_hash = 0;
};

// Used by one connection; the writer's has no lock, a reader's sees the last commit.
class KeyIndex {
 public:
  explicit KeyIndex(Database& database);

  // Forgets what it knows of spaces; they are read again when asked for.
  void load() { spaces_.clear(); }

  // The space of a namespace; nothing if it has never held a key.
  std::optional<KeySpace> find_space(const std::string& ns, bool platform);
  KeySpace space(const std::string& ns, bool platform);

  std::optional<BoundKey> find(KeySpace space, std::string_view key);
  // REQUIRES: the key leads nowhere yet.
  void put(KeySpace space, std::string_view key, const BoundKey& bound);
  void erase(KeySpace space, std::string_view key);

 private:
  Database& database_;
  std::map<std::pair<std::string, bool>, KeySpace> spaces_;
  Statement find_space_;
  Statement find_;
  Statement insert_space_;
  Statement insert_;
  Statement erase_;
};

}  // namespace longshore::sqlite
