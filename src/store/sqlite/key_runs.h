// Older idempotency keys: sorted runs, each written once in the order of its hashes. Eight runs of
// one tier are merged into one of the next, a slice at a time: a slice moves rows from the heads
// of the old runs to the end of the new one, in the caller's transaction, so that between two
// slices every key is in exactly one run and a crash leaves nothing to repair.
//
// A newer run answers before an older one, and a lower tier is newer than a higher one. An entry
// without a job says that the key was forgotten.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/id.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/key_filter.h"

namespace longshore::sqlite {

// A namespace together with who gives out its keys: clients, or the platform for its own jobs.
using KeySpace = std::int64_t;

struct KeyEntry {
  std::int64_t hash = 0;
  KeySpace space = 0;
  std::string key;
  std::optional<JobId> job;  // none: forgotten
  std::uint64_t body_hash = 0;
};

// Used by the writer alone.
class KeyRuns {
 public:
  KeyRuns(Database& database, int fan);

  // Reads which runs there are, and their filters.
  void load();

  // The newest entry of the key.
  std::optional<KeyEntry> find(std::int64_t hash, KeySpace space, std::string_view key);

  // ---- The newest run, written by its owner
  // ------------------------------------------------------

  bool filling() const { return filling_ != nullptr; }
  void begin(std::int64_t entries_max);
  // Moves the log's row there. REQUIRES: hashes never fall; of equal keys the newest comes first.
  void append(std::int64_t hash, std::int64_t seq);
  std::optional<std::int64_t> last_hash();
  void end();

  // ---- Merging
  // -----------------------------------------------------------------------------------

  // Does at most about `budget` rows of the work there is; how many. 0: there is none.
  std::int64_t merge(std::int64_t budget);
  std::int64_t merges() const { return merges_; }
  std::size_t count() const { return runs_.size(); }

 private:
  enum State { growing = 0, whole = 1, draining = 2 };
  struct Run {
    std::int64_t id = 0;
    int tier = 0;
    int state = growing;
    std::int64_t entries = 0;  // at most
    KeyFilter filter;
    std::size_t parts_saved = 0;
  };
  struct Head {
    Run* run = nullptr;
    std::vector<KeyEntry> entries;
  };

  Run& add(int tier, std::int64_t entries_max);
  void set_state(Run& run, State state);
  void note(Run& run, std::int64_t hash);
  void save_parts(Run& run, std::size_t until);
  void load_filter(Run& run);
  bool begin_merge();
  void end_merge();
  std::vector<Head> read_heads(std::int64_t each);
  void move(std::vector<Head> heads, std::int64_t each);
  void remove(Run* run);
  void sort();

  Database& database_;
  const int fan_;
  std::vector<std::unique_ptr<Run>> runs_;  // the newest first
  Run* filling_ = nullptr;
  Run* target_ = nullptr;  // of the merge under way
  std::int64_t next_id_ = 1;
  std::int64_t merges_ = 0;
  Statement find_, insert_, copy_, last_, head_, delete_head_;
  Statement insert_run_, update_run_, delete_run_, insert_part_, delete_parts_;
};

}  // namespace longshore::sqlite
