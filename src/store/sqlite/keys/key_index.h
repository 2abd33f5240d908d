// Idempotency keys and the jobs they lead to. A key is written once and read at every enqueue that
// brings one; what became of its job is not kept here, so an entry never changes.
//
// Random keys in one large tree would dirty a page each. So new keys go to the end of a log, which
// memory indexes; a full log is written out as a sorted run, and runs are merged (key_runs.h).
// That work is done in slices of a bounded number of rows, paid for by the keys that come: no
// thread and no timer, and always within the transaction of whoever brought the key.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "longshore/id.h"
#include "store/sqlite/file/connection.h"
#include "store/sqlite/keys/key_runs.h"

namespace longshore::sqlite {

struct BoundKey {
  JobId job;
  std::uint64_t body_hash = 0;
};

struct KeyIndexOptions {
  std::size_t log_max = 16 * 1024;  // keys in the log before it is written out
  int fan = 8;                      // runs of one tier that are merged
  std::int64_t slice_every = 32;    // keys
  std::int64_t slice_rows = 160;    // about; five for each key pay for the log and three merges
};

// Used by one connection; the writer's has no lock, a reader's sees the last commit.
class KeyIndex {
 public:
  explicit KeyIndex(Database& database, const KeyIndexOptions& options = {});

  // Reads what memory holds of the file; the writer's, before it puts or erases.
  void load();

  // The space of a namespace; nothing if it has never held a key.
  std::optional<KeySpace> find_space(const std::string& ns, bool platform);
  KeySpace space(const std::string& ns, bool platform);

  std::optional<BoundKey> find(KeySpace space, std::string_view key);
  // REQUIRES: the key leads nowhere yet.
  void put(KeySpace space, std::string_view key, const BoundKey& bound);
  void erase(KeySpace space, std::string_view key);

  // ---- For those who watch it work
  // ---------------------------------------------------------------

  std::int64_t merges() const { return runs_.merges(); }
  std::size_t runs() const { return runs_.count(); }
  std::int64_t rows_of_last_slice() const { return last_slice_; }

 private:
  // By hash; equal ones in the order in which they came.
  using Recent = std::multimap<std::int64_t, std::int64_t>;

  void read_log();
  std::optional<KeyEntry> find_recent(const Recent& recent, std::int64_t hash, KeySpace space,
                                      std::string_view key);
  std::optional<KeyEntry> find_in_runs(std::int64_t hash, KeySpace space, std::string_view key);
  void append(KeySpace space, std::string_view key, const std::optional<JobId>& job,
              std::uint64_t body_hash);
  void work();
  std::int64_t clear_log(std::int64_t budget);
  std::int64_t fill_run(std::int64_t budget);
  KeyEntry read_row(std::int64_t hash, std::int64_t seq);
  void freeze();
  void save_progress();

  Database& database_;
  const KeyIndexOptions options_;
  bool writes_ = false;
  std::map<std::pair<std::string, bool>, KeySpace> spaces_;

  Recent recent_;
  Recent frozen_;  // on its way into a run; empty when none is
  Recent::iterator frozen_next_ = frozen_.end();
  std::int64_t last_seq_ = 0;
  std::int64_t frozen_seq_ = 0;   // the last of the log that is in frozen_, or was
  std::int64_t drained_seq_ = 0;  // the last of the log that is in runs
  std::int64_t cleared_seq_ = 0;  // the last of the log that is gone
  std::int64_t since_slice_ = 0;
  std::int64_t last_slice_ = 0;
  KeyRuns runs_;

  Statement find_space_, insert_space_;
  Statement read_log_, find_log_, read_row_, insert_log_, clear_log_;
  Statement find_in_runs_;
  Statement save_progress_;
};

}  // namespace longshore::sqlite
