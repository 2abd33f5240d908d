#include "store/sqlite/key_runs.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace longshore::sqlite {
namespace {

auto place_of(const KeyEntry& entry) {
  return std::tuple<std::int64_t, KeySpace, std::string_view>(entry.hash, entry.space, entry.key);
}

KeyEntry read_entry(Statement& row) {
  KeyEntry entry;
  entry.hash = row.integer();
  entry.space = row.integer();
  entry.key = row.text();
  entry.job = row.optional_id<JobId>();
  entry.body_hash = static_cast<std::uint64_t>(row.integer());
  return entry;
}

}  // namespace

KeyRuns::KeyRuns(Database& database, int fan)
    : database_(database),
      fan_(fan),
      find_(database,
            "SELECT hash, space, key, job, body_hash FROM key_entry "
            "WHERE run = ? AND hash = ? AND space = ? AND key = ?"),
      insert_(database, "INSERT INTO key_entry VALUES (?, ?, ?, ?, ?, ?)"),
      copy_(database,
            "INSERT OR IGNORE INTO key_entry SELECT ?, ?, space, key, job, body_hash "
            "FROM key_log WHERE seq = ?"),
      last_(database, "SELECT hash FROM key_entry WHERE run = ? ORDER BY hash DESC LIMIT 1"),
      head_(database,
            "SELECT hash, space, key, job, body_hash FROM key_entry WHERE run = ? "
            "ORDER BY hash, space, key LIMIT ?"),
      delete_head_(database,
                   "DELETE FROM key_entry WHERE run = ? AND (hash, space, key) <= (?, ?, ?)"),
      insert_run_(database, "INSERT INTO key_run VALUES (?, ?, ?, ?)"),
      update_run_(database, "UPDATE key_run SET state = ? WHERE id = ?"),
      delete_run_(database, "DELETE FROM key_run WHERE id = ?"),
      insert_part_(database, "INSERT INTO key_filter VALUES (?, ?, ?)"),
      delete_parts_(database, "DELETE FROM key_filter WHERE run = ?") {}

// ---- What there is ------------------------------------------------------------------------------

void KeyRuns::load() {
  runs_.clear();
  filling_ = nullptr;
  target_ = nullptr;
  Statement rows(database_, "SELECT id, tier, state, entries FROM key_run ORDER BY id");
  while (rows.step()) {
    const std::int64_t id = rows.integer();
    const int tier = rows.small();
    const int state = rows.small();
    const std::int64_t entries = rows.integer();
    runs_.push_back(std::make_unique<Run>(Run{
        .id = id, .tier = tier, .state = state, .entries = entries, .filter = KeyFilter(entries)}));
    Run& run = *runs_.back();
    if (run.state == growing) (run.tier == 0 ? filling_ : target_) = &run;
    next_id_ = std::max(next_id_, id + 1);
  }
  for (const auto& run : runs_) load_filter(*run);
  sort();
}

// What a growing run has not stored of its filter is read from its entries.
void KeyRuns::load_filter(Run& run) {
  Statement parts(database_, "SELECT part, bits FROM key_filter WHERE run = ? ORDER BY part");
  parts.bind(run.id);
  while (parts.step()) {
    const auto part = static_cast<std::size_t>(parts.integer());
    if (part != run.parts_saved || !run.filter.restore(part, parts.bytes())) {
      return database_.fail(SQLITE_CORRUPT);
    }
    ++run.parts_saved;
  }
  if (run.parts_saved == run.filter.parts()) return;
  Statement rest(database_, "SELECT hash FROM key_entry WHERE run = ? AND hash >= ?");
  rest.bind(run.id);
  rest.bind(run.filter.first_hash(run.parts_saved));
  while (rest.step()) run.filter.add(rest.integer());
}

void KeyRuns::sort() {
  std::ranges::sort(runs_, {}, [](const auto& run) { return std::pair(run->tier, -run->id); });
}

std::optional<KeyEntry> KeyRuns::find(std::int64_t hash, KeySpace space, std::string_view key) {
  for (const auto& run : runs_) {
    if (!run->filter.may_hold(hash)) continue;
    find_.begin();
    find_.bind(run->id);
    find_.bind(hash);
    find_.bind(space);
    find_.bind(key);
    RowGuard guard(find_);
    if (find_.step()) return read_entry(find_);
  }
  return std::nullopt;
}

// ---- Writing one --------------------------------------------------------------------------------

KeyRuns::Run& KeyRuns::add(int tier, std::int64_t entries_max) {
  auto run = std::make_unique<Run>(Run{.id = next_id_++,
                                       .tier = tier,
                                       .state = growing,
                                       .entries = entries_max,
                                       .filter = KeyFilter(entries_max)});
  Run& added = *run;
  insert_run_.run(added.id, added.tier, added.state, added.entries);
  runs_.push_back(std::move(run));
  sort();
  return added;
}

void KeyRuns::set_state(Run& run, State state) {
  run.state = state;
  update_run_.run(static_cast<int>(state), run.id);
}

void KeyRuns::note(Run& run, std::int64_t hash) {
  save_parts(run, run.filter.part_of(hash));
  run.filter.add(hash);
}

// No hash to come belongs to a part before `until`.
void KeyRuns::save_parts(Run& run, std::size_t until) {
  for (; run.parts_saved < until; ++run.parts_saved) {
    insert_part_.begin();
    insert_part_.bind(run.id);
    insert_part_.bind(static_cast<std::int64_t>(run.parts_saved));
    insert_part_.bind_blob(run.filter.bytes(run.parts_saved));
    insert_part_.finish();
  }
}

void KeyRuns::begin(std::int64_t entries_max) { filling_ = &add(0, entries_max); }

void KeyRuns::append(std::int64_t hash, std::int64_t seq) {
  copy_.run(filling_->id, hash, seq);
  note(*filling_, hash);
}

std::optional<std::int64_t> KeyRuns::last_hash() {
  last_.begin();
  last_.bind(filling_->id);
  RowGuard guard(last_);
  return last_.step() ? std::optional(last_.integer()) : std::nullopt;
}

void KeyRuns::end() {
  save_parts(*filling_, filling_->filter.parts());
  set_state(*filling_, whole);
  filling_ = nullptr;
}

// ---- Merging ------------------------------------------------------------------------------------

std::int64_t KeyRuns::merge(std::int64_t budget) {
  if (target_ == nullptr && !begin_merge()) return 0;
  const std::int64_t each = std::max<std::int64_t>(2, budget / fan_);
  std::vector<Head> heads = read_heads(each);
  std::int64_t rows = 0;
  for (const Head& head : heads) rows += std::ssize(head.entries);
  move(std::move(heads), each);
  if (rows == 0) end_merge();
  return rows + 1;
}

// Takes the oldest runs of the lowest tier that has enough.
bool KeyRuns::begin_merge() {
  for (const auto& candidate : runs_) {
    const int tier = candidate->tier;
    std::vector<Run*> old;
    for (const auto& run : runs_) {
      if (run->tier == tier && run->state == whole) old.push_back(run.get());
    }
    if (std::ssize(old) < fan_) continue;
    old.erase(old.begin(), old.end() - fan_);
    std::int64_t entries = 0;
    for (Run* run : old) {
      entries += run->entries;
      set_state(*run, draining);
    }
    target_ = &add(tier + 1, entries);
    return true;
  }
  return false;
}

std::vector<KeyRuns::Head> KeyRuns::read_heads(std::int64_t each) {
  std::vector<Head> heads;
  for (const auto& run : runs_) {
    if (run->state != draining) continue;
    Head& head = heads.emplace_back(Head{.run = run.get(), .entries = {}});
    head_.begin();
    head_.bind(run->id);
    head_.bind(each);
    RowGuard guard(head_);
    while (head_.step()) head.entries.push_back(read_entry(head_));
  }
  return heads;
}

// Moves what no unread row can come before. Heads are in the order of age, the newest first.
void KeyRuns::move(std::vector<Head> heads, std::int64_t each) {
  const KeyEntry* bound = nullptr;
  for (const Head& head : heads) {
    if (std::ssize(head.entries) < each) continue;  // nothing unread in it
    const KeyEntry& last = head.entries.back();
    if (bound == nullptr || place_of(last) < place_of(*bound)) bound = &last;
  }
  std::vector<const KeyEntry*> moved;
  for (const Head& head : heads) {
    const KeyEntry* last = nullptr;
    for (const KeyEntry& entry : head.entries) {
      if (bound != nullptr && place_of(*bound) < place_of(entry)) break;
      moved.push_back(last = &entry);
    }
    if (last != nullptr) delete_head_.run(head.run->id, last->hash, last->space, last->key);
  }
  std::ranges::stable_sort(moved, {}, [](const KeyEntry* entry) { return place_of(*entry); });
  const bool oldest = runs_.back().get() == target_;
  const KeyEntry* before = nullptr;
  for (const KeyEntry* entry : moved) {
    const bool shadowed = before != nullptr && place_of(*before) == place_of(*entry);
    before = entry;
    if (shadowed || (oldest && !entry->job)) continue;
    insert_.run(target_->id, entry->hash, entry->space, entry->key, entry->job, entry->body_hash);
    note(*target_, entry->hash);
  }
}

void KeyRuns::end_merge() {
  save_parts(*target_, target_->filter.parts());
  set_state(*target_, whole);
  target_ = nullptr;
  ++merges_;
  std::vector<Run*> emptied;
  for (const auto& run : runs_) {
    if (run->state == draining) emptied.push_back(run.get());
  }
  for (Run* run : emptied) remove(run);
}

void KeyRuns::remove(Run* run) {
  delete_parts_.run(run->id);
  delete_run_.run(run->id);
  std::erase_if(runs_, [&](const auto& other) { return other.get() == run; });
}

}  // namespace longshore::sqlite
