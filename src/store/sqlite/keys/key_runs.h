// Older idempotency keys: sorted runs, each written once in the order of its hashes. Eight runs of
// one tier are merged into one of the next, a slice at a time: a slice moves rows from the heads
// of the old runs to the end of the new one, in the caller's transaction, so that between two
// slices every key is in exactly one run and a crash leaves nothing to repair. A merge of a lower
// tier goes before one of a higher: otherwise small runs would add up behind a large merge.
//
// A newer run answers before an older one, and a lower tier is newer than a higher one. An entry
// without a job says that the key was forgotten.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/id.h"
#include "store/sqlite/file/connection.h"
#include "store/sqlite/keys/key_filter.h"
#include "store/sqlite/write/inserts.h"

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
  // To be written by write_appended(). REQUIRES: hashes never fall; of equal keys the newest comes
  // first, and nothing is written between two entries of one hash.
  void append(KeyEntry entry);
  void write_appended();
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
  // What has been read of a run that is being emptied. Rows are removed when they have been moved.
  struct Head {
    Run* run = nullptr;
    std::vector<KeyEntry> entries;
    std::size_t next = 0;     // to be moved
    std::size_t removed = 0;  // so many of them
    bool at_end = false;      // nothing is left unread
  };
  struct Merge {
    Run* target = nullptr;
    std::vector<Head> heads;                   // in the order of age, the newest first
    std::vector<std::vector<KeyEntry>> spent;  // read and moved, by this slice
  };
  // A row about to be inserted.
  struct NewEntry {
    std::int64_t run = 0;
    const KeyEntry* entry = nullptr;
    void bind_to(Statement& statement);
  };

  Run& add(int tier, std::int64_t entries_max);
  void set_state(Run& run, State state);
  void note(Run& run, std::int64_t hash);
  void save_parts(Run& run, std::size_t until);
  void load_filter(Run& run);
  Merge* next_merge();
  Merge* begin_merge(int tier);
  void end_merge(const Merge& merge);
  std::vector<Head> heads_of(int tier);
  void read_on(Merge& merge, Head& head);
  void remove_moved(Head& head);
  Head* first_of(Merge& merge);
  std::vector<const KeyEntry*> take(Merge& merge, std::int64_t budget);
  void remove(Run* run);
  void sort();

  Database& database_;
  const int fan_;
  std::vector<std::unique_ptr<Run>> runs_;  // the newest first
  Run* filling_ = nullptr;
  std::vector<KeyEntry> appended_;  // and not written yet
  std::map<int, Merge> under_way_;  // by the tier that is being emptied
  std::int64_t next_id_ = 1;
  std::int64_t merges_ = 0;
  Inserts<NewEntry> inserts_;
  Statement find_, last_, head_, delete_head_;
  Statement insert_run_, update_run_, delete_run_, insert_part_, delete_parts_;
};

}  // namespace longshore::sqlite
