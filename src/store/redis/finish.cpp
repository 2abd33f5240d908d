// How a batch ends: what it rests on and what it did become one run of the apply script.
#include "store/redis/parts.h"
#include "store/redis/scripts.h"
#include "store/redis/transaction.h"
#include "store/redis/write_back.h"

namespace longshore::redis {
namespace {

// By how much Redis's time may be later than that by which a batch was decided, if it was not
// fetched but carried forward. A batch that waited longer behind others is judged again.
constexpr Duration slack = Duration::millis(50);
// What the script answers if it was.
constexpr std::int64_t wrong_time = -2;

Error unreadable_reply() {
  return {.code = Errc::corrupt, .message = "cannot read what the apply script answered"};
}

}  // namespace

Result<bool> RedisTransaction::finish(std::vector<Verdict>& verdicts) {
  if (trouble_) return *trouble_;
  Deed deed = std::move(extra_);
  WriteBack writes(keys_, *record_, deed, {.weighs = around_.weighs(), .names = around_.names});
  shelf_.pop(writes, [this](const ReadyPlace& place) {
    Entry* entry = known(place.job);
    if (entry == nullptr) return false;
    // The list may have been fetched later than the job. Whether the element is the job's is
    // decided by what is known of the job, so that must still be so.
    entry->used = true;
    return entry->stored.ready == place;
  });
  for (Entry* entry : dirty_) writes.add(*entry);
  for (const auto& entry : removed_) writes.remove(*entry);
  for (const auto& [table, id] : strays_) writes.drop(table, id);
  writes.finish();
  annals_.write(keys_, deed);
  wrote_ = deed.writes();
  // What was hoped for is proved where something is written, and else by a second look.
  if (!wrote_ && (!hoped_.empty() || recalled_ || carried_)) return false;
  if (!wrote_ && wanted_bodies_.empty()) return true;
  if (wrote_) {
    guard_all(deed);
    if (!enter_ids()) return false;
    if (const auto listed = list_namespace(); !listed) return listed.error();
  }
  return run_apply(deed, verdicts);
}

void RedisTransaction::guard_all(Deed& deed) {
  const auto expect_v = [&](const JobId& id, std::int64_t v) {
    if (v == 0) {
      deed.expect_absent(keys_.job(id));
    } else {
      deed.expect_version(keys_.job(id), v);
    }
  };
  for (const auto& [id, entry] : entries_) {
    // What is made or changed proves itself.
    if (entry->used && !entry->dirty && !entry->foreign) expect_v(id, entry->v);
  }
  for (const auto& entry : removed_) expect_v(entry->job().id, entry->v);
  for (const JobId& id : absent_) {
    if (!entries_.contains(id) || entries_[id]->foreign) expect_v(id, 0);
  }
  for (const auto& [name, bound] : bound_) {
    deed.expect(bound.fetched, Line("GET").text(keys_.once(name)));
  }
  for (const auto& [name, holders] : holders_) {
    Line latest("ZREVRANGE");
    latest.text(keys_.job_key(name)).text("0").text("1").text("WITHSCORES");
    deed.expect_list(holders.fetched, latest);
  }
  for (const std::string& field : limits_asked_) {
    const auto stored = counts_->find(field);
    deed.expect(
        stored == counts_->end() ? std::nullopt : std::optional(std::to_string(stored->second)),
        Line("HGET").text(keys_.one("counts")).text(field));
  }
}

// A namespace is listed before it holds anything, so that no sweep ever passes one over.
Result<Nothing> RedisTransaction::list_namespace() {
  if (ns_.empty() || around_.copies.knows(ns_)) return Nothing{};
  const Keys shared = Keys::shared(around_.prefix());
  const std::vector<Words> calls = {{"SADD", shared.one("namespaces"), ns_}};
  auto replies = around_.channel.exchange(shared.tag(), calls, true);
  if (!replies) return replies.error();
  if ((*replies)[0].is_error()) return error_of((*replies)[0], around_.channel.url().shown);
  around_.copies.add(ns_);
  return Nothing{};
}

Result<bool> RedisTransaction::run_apply(Deed& deed, std::vector<Verdict>& verdicts) {
  std::vector<std::string> bodies;
  for (const JobId& id : wanted_bodies_) bodies.push_back(keys_.job(id));
  Pack pack;
  pack.list(18);
  const auto number_or_none = [&pack](std::optional<Instant> at) {
    if (at) {
      pack.number(at->count());
    } else {
      pack.boolean(false);
    }
  };
  number_or_none(around_.clock == nullptr ? std::nullopt : std::optional(around_.clock->now()));
  number_or_none(carried_);
  pack.number(slack.count()).number(now_.count()).number(before_.count());
  if (config_guard_ && wrote_) {
    pack.text(std::to_string(*config_guard_));
  } else {
    pack.boolean(false);
  }
  deed.pack_into(pack, steps_, bodies);
  const ScriptCall call{.script = &apply_script(),
                        .keys = {keys_.meta()},
                        .args = {std::move(pack).take()},
                        .when_sent = when_sent_};
  const std::int64_t asked_at = steady_micros();
  auto reply = around_.channel.run(keys_.tag(), call, deed.writes());
  if (!reply) return reply.error();
  if (reply->is_error()) return error_of(*reply, around_.channel.url().shown);
  if (reply->items.size() < 2) return unreadable_reply();
  if (reply->items[0].integer != 1) {
    if (reply->items[1].integer == wrong_time) around_.copies.server_time().forget(ns_);
    return false;
  }
  if (reply->items.size() != 5) return unreadable_reply();
  around_.copies.server_time().heard(ns_, reply->items[4].integer, asked_at, steady_micros());
  if (around_.clock == nullptr) {
    around_.time.heard({.said = Instant::millis(reply->items[4].integer / 1000),
                        .asked = Duration::millis(asked_at / 1000),
                        .answered = around_.steady()},
                       ns_);
  }
  fill_leases(reply->items[1], reply->items[2], verdicts);
  if (deed.writes()) remember(reply->items[3].integer);
  return true;
}

// What the run gave out is known only now: its numbers, and the mark behind them.
void RedisTransaction::remember(std::int64_t seq) {
  Heads& heads = around_.copies.heads();
  for (auto& [id, entry] : entries_) {
    const State state = entry->job().state;
    if (entry->foreign || (state != State::running && state != State::queued)) continue;
    // Proved or written; what was only looked at may be anything by now.
    if (!entry->dirty && !entry->used) continue;
    if (entry->dirty) settle(*entry, seq);
    entry->used = false;
    entry->body.reset();
    heads.put(std::move(entry));
  }
}

// Makes it what the script has made of it.
void RedisTransaction::settle(Entry& entry, std::int64_t seq) const {
  Job& job = entry.head.job;
  if (entry.number_step != 0) job.number = seq + entry.number_step;
  if (entry.order_step != 0) {
    job.order = entry.order_step > 0 ? seq + entry.order_step : entry.order_step - seq;
  }
  entry.v = seq + steps_ + 1;
  entry.note_stored(rules());
  entry.number_step = entry.order_step = 0;
  for (std::string* text : {&entry.payload, &entry.history, &entry.failures, &entry.keys}) {
    *text = std::string();
  }
  entry.checkpoint.reset();
  entry.result.reset();
  entry.dirty = entry.rewritten = entry.misplaced = entry.body_changed = false;
  entry.checkpoint_changed = entry.result_changed = entry.payload_wanted = false;
}

}  // namespace longshore::redis
