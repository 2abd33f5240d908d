#include "store/sqlite/keys/key_runs.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace longshore::sqlite {
namespace {

constexpr std::int64_t read_at_once = 32;  // rows of each run

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
      inserts_(database, "key_entry", {"run", "hash", "space", "key", "job", "body_hash"}),
      find_(database,
            "SELECT hash, space, key, job, body_hash FROM key_entry "
            "WHERE run = ? AND hash = ? AND space = ? AND key = ?"),
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
  appended_.clear();
  under_way_.clear();
  Statement rows(database_, "SELECT id, tier, state, entries FROM key_run ORDER BY id");
  while (rows.step()) {
    const std::int64_t id = rows.integer();
    const int tier = rows.small();
    const int state = rows.small();
    const std::int64_t entries = rows.integer();
    runs_.push_back(std::make_unique<Run>(Run{
        .id = id, .tier = tier, .state = state, .entries = entries, .filter = KeyFilter(entries)}));
    Run& run = *runs_.back();
    if (run.state == growing && run.tier == 0) filling_ = &run;
    if (run.state == growing && run.tier > 0) under_way_[run.tier - 1].target = &run;
    next_id_ = std::max(next_id_, id + 1);
  }
  for (const auto& run : runs_) load_filter(*run);
  sort();
  for (auto& [tier, merge] : under_way_) merge.heads = heads_of(tier);
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

void KeyRuns::append(KeyEntry entry) {
  for (auto newer = appended_.rbegin(); newer != appended_.rend(); ++newer) {
    if (newer->hash != entry.hash) break;
    if (place_of(*newer) == place_of(entry)) return;
  }
  note(*filling_, entry.hash);
  appended_.push_back(std::move(entry));
}

void KeyRuns::write_appended() {
  for (const KeyEntry& entry : appended_) inserts_.add({.run = filling_->id, .entry = &entry});
  inserts_.run();
  appended_.clear();
}

void KeyRuns::NewEntry::bind_to(Statement& statement) {
  statement.bind(run);
  statement.bind(entry->hash);
  statement.bind(entry->space);
  statement.bind(entry->key);
  statement.bind(entry->job);
  statement.bind(entry->body_hash);
}

std::optional<std::int64_t> KeyRuns::last_hash() {
  last_.begin();
  last_.bind(filling_->id);
  RowGuard guard(last_);
  return last_.step() ? std::optional(last_.integer()) : std::nullopt;
}

void KeyRuns::end() {
  write_appended();
  save_parts(*filling_, filling_->filter.parts());
  set_state(*filling_, whole);
  filling_ = nullptr;
}

// ---- Merging ------------------------------------------------------------------------------------

std::int64_t KeyRuns::merge(std::int64_t budget) {
  Merge* merge = next_merge();
  if (merge == nullptr) return 0;
  const std::vector<const KeyEntry*> moved = take(*merge, budget);
  if (moved.empty()) return end_merge(*merge), 1;
  const bool oldest = runs_.back().get() == merge->target;
  const KeyEntry* before = nullptr;
  for (const KeyEntry* entry : moved) {
    const bool shadowed = before != nullptr && place_of(*before) == place_of(*entry);
    before = entry;
    if (shadowed || (oldest && !entry->job)) continue;
    inserts_.add({.run = merge->target->id, .entry = entry});
    note(*merge->target, entry->hash);
  }
  inserts_.run();
  merge->spent.clear();
  return std::ssize(moved) + 1;
}

KeyRuns::Merge* KeyRuns::next_merge() {
  std::optional<int> seen;
  for (const auto& candidate : runs_) {
    const int tier = candidate->tier;
    if (seen == tier) continue;
    seen = tier;
    if (const auto found = under_way_.find(tier); found != under_way_.end()) return &found->second;
    if (Merge* begun = begin_merge(tier)) return begun;
  }
  return nullptr;
}

// Takes the oldest runs of the tier, if it has enough.
KeyRuns::Merge* KeyRuns::begin_merge(int tier) {
  std::vector<Run*> old;
  for (const auto& run : runs_) {
    if (run->tier == tier && run->state == whole) old.push_back(run.get());
  }
  if (std::ssize(old) < fan_) return nullptr;
  old.erase(old.begin(), old.end() - fan_);
  std::int64_t entries = 0;
  for (Run* run : old) {
    entries += run->entries;
    set_state(*run, draining);
  }
  Merge& merge = under_way_[tier];
  merge.target = &add(tier + 1, entries);
  merge.heads = heads_of(tier);
  return &merge;
}

std::vector<KeyRuns::Head> KeyRuns::heads_of(int tier) {
  std::vector<Head> heads;
  for (const auto& run : runs_) {
    if (run->tier != tier || run->state != draining) continue;
    heads.emplace_back();
    heads.back().run = run.get();
  }
  return heads;
}

// The next entries in the order of hashes, of equal keys the newest first. Equal keys are never
// divided between two slices.
std::vector<const KeyEntry*> KeyRuns::take(Merge& merge, std::int64_t budget) {
  std::vector<const KeyEntry*> moved;
  while (Head* head = first_of(merge)) {
    const KeyEntry& entry = head->entries[head->next];
    const bool again = !moved.empty() && place_of(*moved.back()) == place_of(entry);
    if (std::ssize(moved) >= budget && !again) break;
    moved.push_back(&entry);
    head->next += 1;
  }
  for (Head& head : merge.heads) remove_moved(head);
  return moved;
}

KeyRuns::Head* KeyRuns::first_of(Merge& merge) {
  Head* first = nullptr;
  for (Head& head : merge.heads) {
    if (head.next == head.entries.size() && !head.at_end) read_on(merge, head);
    if (head.next == head.entries.size()) continue;
    const bool earlier = first == nullptr ||
                         place_of(head.entries[head.next]) < place_of(first->entries[first->next]);
    if (earlier) first = &head;
  }
  return first;
}

void KeyRuns::read_on(Merge& merge, Head& head) {
  remove_moved(head);
  merge.spent.push_back(std::exchange(head.entries, {}));
  head.next = 0;
  head.removed = 0;
  head_.begin();
  head_.bind(head.run->id);
  head_.bind(read_at_once);
  RowGuard guard(head_);
  while (head_.step()) head.entries.push_back(read_entry(head_));
  head.at_end = std::ssize(head.entries) < read_at_once;
}

void KeyRuns::remove_moved(Head& head) {
  if (head.next == head.removed) return;
  const KeyEntry& last = head.entries[head.next - 1];
  delete_head_.run(head.run->id, last.hash, last.space, last.key);
  head.removed = head.next;
}

void KeyRuns::end_merge(const Merge& merge) {
  save_parts(*merge.target, merge.target->filter.parts());
  set_state(*merge.target, whole);
  ++merges_;
  for (const Head& head : merge.heads) remove(head.run);
  under_way_.erase(merge.target->tier - 1);
}

void KeyRuns::remove(Run* run) {
  delete_parts_.run(run->id);
  delete_run_.run(run->id);
  std::erase_if(runs_, [&](const auto& other) { return other.get() == run; });
}

}  // namespace longshore::sqlite
