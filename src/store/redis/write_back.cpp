#include "store/redis/write_back.h"

#include <algorithm>
#include <ranges>

#include "store/redis/fields.h"
#include "store/redis/names.h"

namespace longshore::redis {
namespace {

// Lua puts no more than some thousands of values on its stack at once.
constexpr std::size_t arguments_max = 2000;
// A job lists all its keys.
constexpr int keys_max = 1'000'000;

std::string text_of(Instant at) { return std::to_string(at.count()); }

Line::Part number_part(const Entry& entry) {
  if (entry.number_step != 0) return {.number = entry.number_step};
  return {.text = std::to_string(entry.job().number)};
}

}  // namespace

std::string count_field(const std::string& queue, State state) {
  return "q/" + word(queue) + "/" + std::to_string(static_cast<int>(state));
}
std::string count_field(const std::string& type) { return "t/" + word(type); }
std::string stale_field(const ReadyList& list) { return word(list.queue) + "/" + name_of(list); }

// Elements never come twice, and come to the ends of a list alone: where the first and the last of
// some still stand at their places, all between them do.
void WriteBack::pop(const ReadyList& list, const Front& front) {
  const auto& [elements, kept, gone, stale] = front;
  if (elements.empty()) return;
  const std::string key = keys_.ready(list);
  const std::string last = std::to_string(elements.size() - 1);
  deed_.expect(elements.front(), Line("LINDEX").text(key).text("0"));
  if (elements.size() > 1) deed_.expect(elements.back(), Line("LINDEX").text(key).text(last));
  Line trim("LTRIM");
  trim.text(key).text(std::to_string(elements.size())).text("-1");
  deed_.write(trim);
  put_back(key, kept);
  popped_.insert(gone.begin(), gone.end());
  shortened_.insert(list);
  stale_[stale_field(list)] -= stale;
}

void WriteBack::put_back(const std::string& list, std::span<const std::string> elements) {
  while (!elements.empty()) {
    const std::size_t some = std::min(elements.size(), arguments_max);
    Line push("LPUSH");
    push.text(list);
    for (const std::string& element : elements.last(some) | std::views::reverse) push.text(element);
    deed_.write(push);
    elements = elements.first(elements.size() - some);
  }
}

void WriteBack::add(Entry& entry) {
  const Whereabouts to = whereabouts_of(entry.job(), rules_.rules);
  if (entry.stored.exists) {
    write_hash(entry, to);
  } else {
    new_.push_back(&entry);
    place_in_time(entry.job().id, to);
  }
  move_ready(entry, to);
  move_dead(entry, to);
  move_key(entry, to);
  weigh(entry, to);
  count(entry.stored, -1);
  count(to, +1);
}

void WriteBack::write_hash(Entry& entry, const Whereabouts& to) {
  entry.head.named = options_.names;
  ChangedHash hash{.id = entry.job().id,
                   .v = entry.v,
                   .wants_payload = entry.payload_wanted,
                   .lines = entry.history,
                   .number = entry.job().number,
                   .order = entry.order_step,
                   .life = life_text(entry.head)};
  if (options_.names) put_names(hash.more, entry);
  if (entry.rewritten) hash.more.put("given", given_text(entry.head, rules_.usual));
  if (entry.body_changed) hash.more.put("payload", entry.body->payload);
  std::vector<std::string> gone;
  write_parts(hash.more, entry, &gone);
  move_times(hash.moves, entry, to);
  move_claim(hash, entry.stored, to);
  deed_.change(std::move(hash));
  write_lines(entry);
  if (gone.empty()) return;
  Line fields("HDEL");
  fields.text(keys_.job(entry.job().id));
  for (const std::string& field : gone) fields.text(field);
  deed_.write(fields);
}

void WriteBack::make_hash(Entry& entry, std::int64_t list) {
  entry.head.named = options_.names;
  NewHash hash{.id = entry.job().id,
               .number = entry.number_step,
               .order = entry.order_step,
               .list = list,
               .life = life_text(entry.head),
               .given = given_text(entry.head, rules_.usual),
               .payload = entry.body ? std::string_view(entry.body->payload) : ""};
  if (!entry.history.empty()) hash.more.put("history", entry.history);
  if (options_.names) put_names(hash.more, entry);
  write_parts(hash.more, entry, nullptr);
  deed_.make(std::move(hash));
  write_lines(entry);
}

// Errors, and further keys that lead to the job.
void WriteBack::write_lines(const Entry& entry) {
  const auto append = [&](const char* field, const std::string& text, int most) {
    if (text.empty()) return;
    Line lines("lines");
    lines.text(keys_.job(entry.job().id));
    deed_.write(lines.text(field).text(text).text("0").text(std::to_string(most)));
  };
  append("errors", entry.failures, failures_kept);
  append("keys", entry.keys, keys_max);
}

// `gone`: fields that are to go; null for a new job, which has none.
void WriteBack::write_parts(Fields& fields, const Entry& entry, std::vector<std::string>* gone) {
  const auto put = [&](const char* field, const std::string* value) {
    if (value != nullptr) {
      fields.put(field, *value);
    } else if (gone != nullptr) {
      gone->emplace_back(field);
    }
  };
  const auto unless_empty = [](const std::string& text) { return text.empty() ? nullptr : &text; };
  const auto if_any = [](const std::optional<std::string>& text) {
    return text ? &*text : nullptr;
  };
  if (entry.body_changed) {
    const JobBody& body = *entry.body;
    const std::string tags = list_text(body.tags);
    put("tags", unless_empty(tags));
    put("metadata", unless_empty(body.metadata));
    put("request", unless_empty(body.request));
    put("trace", unless_empty(body.traceparent));
  }
  if (entry.checkpoint_changed) put("checkpoint", if_any(entry.checkpoint));
  if (entry.result_changed) put("result", if_any(entry.result));
}

// An element that is not taken off its list stays there as nobody's.
void WriteBack::move_ready(const Entry& entry, const Whereabouts& to) {
  const Whereabouts& from = entry.stored;
  const bool stays = from.ready == to.ready && from.list == to.list && !entry.misplaced;
  if (stays) return;
  if (from.ready && !entry.misplaced) {
    if (!popped_.contains(*from.ready)) stale_[stale_field(from.list)] += 1;
  }
  if (to.ready) {
    pushes_[to.list].push_back(
        {.job = to.ready->job, .step = entry.order_step, .order = to.ready->order});
  }
}

void WriteBack::move_times(Moves& moves, const Entry& entry, const Whereabouts& to) {
  for (std::size_t i = 0; i < table_count; ++i) {
    if (entry.stored.times[i] == to.times[i] && !entry.misplaced) continue;
    if (to.times[i]) {
      moves.add(table_names[i], text_of(*to.times[i]));
    } else if (entry.stored.times[i]) {
      moves.remove(table_names[i]);
    }
  }
}

// Of a new job, which stands nowhere yet; it may have been claimed in the same batch.
void WriteBack::place_in_time(const JobId& id, const Whereabouts& to) {
  for (std::size_t i = 0; i < table_count; ++i) {
    if (to.times[i]) addition(i).text(text_of(*to.times[i])).id(id);
  }
  if (to.claim) addition(claims_set).text("0").text(claim_member(*to.claim, id));
}

void WriteBack::move_claim(ChangedHash& hash, const Whereabouts& from, const Whereabouts& to) {
  if (from.claim == to.claim) return;
  hash.claim = to.claim ? to.claim : from.claim;
  hash.is_claimed = to.claim.has_value();
  // Let go of and claimed again in one batch.
  if (from.claim && to.claim) removal(claims_set).text(claim_member(*from.claim, hash.id));
}

void WriteBack::move_dead(const Entry& entry, const Whereabouts& to) {
  if (entry.stored.dead == to.dead) return;
  Line line(to.dead ? "RPUSH" : "LREM");
  line.text(keys_.one("dead"));
  if (!to.dead) line.text("1");
  deed_.write(line.text(to_text(entry.job().id)));
}

// The live job of a key ranks above all that ended; those by their numbers.
void WriteBack::move_key(const Entry& entry, const Whereabouts& to) {
  const Job& job = entry.job();
  if (job.job_key.empty()) return;
  if (entry.stored.exists && entry.stored.live_key == to.live_key && !entry.misplaced) return;
  Line line("ZADD");
  line.text(keys_.job_key(job_key_name(job.type, job.job_key)));
  if (to.live_key) {
    line.text("+inf");
  } else {
    line.parts({number_part(entry)});
  }
  deed_.write(line.text(to_text(job.id)));
}

// Only what may be forgotten has a weight: the rest stays, whatever it takes.
void WriteBack::weigh(const Entry& entry, const Whereabouts& to) {
  const bool had = entry.stored.time(Table::prune).has_value();
  const bool has = to.time(Table::prune).has_value();
  if (had == has || (has && !options_.weighs)) return;
  deed_.write(Line(has ? "weigh" : "unweigh").text(keys_.job(entry.job().id)));
}

void WriteBack::count(const Whereabouts& there, std::int64_t by) {
  if (!there.exists) return;
  count(there.list.queue, there.counted, by);
  if (there.counted == State::running) count(there.list.type, std::nullopt, by);
}

// A batch has few of them, mostly the same ones again.
void WriteBack::count(const std::string& name, std::optional<State> state, std::int64_t by) {
  for (Sum& sum : counts_) {
    if (sum.state != state || sum.name != name) continue;
    sum.sum += by;
    return;
  }
  counts_.push_back({name, state, by});
}

void WriteBack::remove(const Entry& entry) {
  const Job& job = entry.job();
  const std::string id = to_text(job.id);
  deed_.write(Line("unweigh").text(keys_.job(job.id)));
  Line line("DEL");
  deed_.write(line.text(keys_.job(job.id)));
  removal(jobs_set).id(job.id);
  for (std::size_t i = 0; i < table_count; ++i) {
    if (entry.stored.times[i]) removal(i).id(job.id);
  }
  if (entry.stored.dead) {
    Line dead("LREM");
    deed_.write(dead.text(keys_.one("dead")).text("1").text(id));
  }
  if (!job.job_key.empty()) {
    Line key("ZREM");
    deed_.write(key.text(keys_.job_key(job_key_name(job.type, job.job_key))).text(id));
  }
  count(entry.stored, -1);
}

void WriteBack::finish() {
  finish_new();
  finish_lists();
  finish_sets();
  const auto add_up = [&](const char* name, const std::string& field, std::int64_t by) {
    if (by == 0) return;
    Line line("HINCRBY");
    deed_.write(line.text(keys_.one(name)).text(field).text(std::to_string(by)));
  };
  for (const auto& [name, state, by] : counts_) {
    add_up("counts", state ? count_field(name, *state) : count_field(name), by);
  }
  for (const auto& [field, by] : stale_) add_up("stale", field, by);
}

// A list that only new jobs go to, in the order in which they are made, need not be told them
// again.
void WriteBack::finish_new() {
  std::map<ReadyList, std::int64_t> lists;
  std::map<ReadyList, std::size_t> made;
  for (const Entry* entry : new_) {
    if (entry->job().state == State::queued) ++made[list_of(entry->job())];
  }
  for (const auto& [list, count] : made) {
    std::vector<Deed::Push>& pushes = pushes_[list];
    if (pushes.size() != count || pushes.front().step <= 0) continue;
    if (!std::ranges::is_sorted(pushes, {}, &Deed::Push::order)) continue;
    lists[list] = deed_.list(keys_.ready(list));
    pushes.clear();
  }
  for (Entry* entry : new_) {
    const bool queued = entry->job().state == State::queued && !lists.empty();
    const auto list = queued ? lists.find(list_of(entry->job())) : lists.end();
    make_hash(*entry, list == lists.end() ? 0 : list->second);
  }
}

void WriteBack::finish_lists() {
  for (auto& [list, pushes] : pushes_) {
    const std::string key = keys_.ready(list);
    std::ranges::sort(pushes, {}, &Deed::Push::order);
    // What goes to the front was the latest to be released, and so has the least order.
    const auto back =
        std::ranges::find_if(pushes, [](const Deed::Push& push) { return push.order > 0; });
    const auto push = [&](const char* command, std::span<const Deed::Push> elements) {
      while (!elements.empty()) {
        const std::size_t some = std::min(elements.size(), arguments_max);
        deed_.push(command, key, elements.first(some));
        elements = elements.subspan(some);
      }
    };
    push("RPUSH", {back, pushes.end()});
    std::reverse(pushes.begin(), back);
    push("LPUSH", {pushes.begin(), back});
    Line index("SADD");
    deed_.write(index.text(keys_.lists(list.queue)).text(name_of(list)));
  }
  for (const ReadyList& list : shortened_) {
    if (pushes_.contains(list)) continue;
    Line tidy("tidy");
    deed_.write(tidy.text(keys_.ready(list)).text(keys_.lists(list.queue)).text(name_of(list)));
  }
}

Line& WriteBack::open_line(std::vector<Line>& lines, const char* command, std::size_t set) {
  if (lines.empty() || lines.back().count() >= arguments_max) {
    lines.emplace_back(command);
    lines.back().text(keys_.one(set == jobs_set     ? "jobs"
                                : set == claims_set ? "claims"
                                                    : table_names[set]));
  }
  return lines.back();
}

void WriteBack::finish_sets() {
  for (const auto& [additions, removals] : sets_) {
    for (const Line& line : additions) deed_.write(line);
    for (const Line& line : removals) deed_.write(line);
  }
}

}  // namespace longshore::redis
