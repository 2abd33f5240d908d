#include "store/redis/transaction.h"

#include <algorithm>
#include <utility>

#include "core/policy/policy.h"
#include "core/rules/enqueue.h"
#include "core/rules/job_events.h"
#include "store/redis/fields.h"
#include "store/redis/parts.h"
#include "store/redis/usual_moves.h"

namespace longshore::redis {
namespace {

Keys keys_of(const Surroundings& around, const std::string& ns) {
  return ns.empty() ? Keys::shared(around.prefix()) : Keys(around.prefix(), ns);
}

}  // namespace

RedisTransaction::RedisTransaction(const Surroundings& around, const std::string& ns, Instant floor)
    : around_(around),
      ns_(ns),
      keys_(keys_of(around, ns)),
      config_(around.copies.config(ns)),
      record_(around.rules.get()),
      now_(floor),
      shelf_([this](const ReadyPlace& place) { return is_ready(place); },
             [this](const Question::Wish& wish) {
               ask({.wishes = {wish}, .limits = type_limits(0)});
             }) {}

// ---- Asking ----------------------------------------------------------------------------------

void RedisTransaction::ask(Question question) {
  if (trouble_) return;
  if (around_.clock != nullptr) question.now = around_.clock->now();
  question.config_known = config_->version;
  const std::int64_t asked_at = steady_micros();
  const Duration asked = around_.steady();
  auto answer = fetch(around_.channel, keys_, ns_, question, record_->usual);
  if (!answer) {
    trouble_ = answer.error();
    return;
  }
  around_.copies.server_time().heard(ns_, answer->clock, asked_at, steady_micros());
  // Not answer->now, which is never before what was written in this namespace.
  const Instant said = question.now.value_or(Instant::millis(answer->clock / 1000));
  around_.time.heard({.said = said, .asked = asked, .answered = around_.steady()}, ns_);
  if (!config_guard_) {
    now_ = std::max(now_, answer->now);
    seq_ = answer->seq;
    keep_config(*answer);
  }
  keep_jobs(answer->jobs);
  std::vector<JobId> named = question.ids;
  for (std::size_t i = 0; i < question.once.size(); ++i) {
    auto [known, is_new] = bound_.try_emplace(question.once[i]);
    if (!is_new) continue;
    known->second.fetched = answer->once[i];
    if (answer->once[i]) known->second.view = parse_bound(*answer->once[i]);
    if (known->second.view) named.push_back(known->second.view->job);
  }
  for (std::size_t i = 0; i < question.job_keys.size(); ++i) {
    auto [known, is_new] = holders_.try_emplace(question.job_keys[i]);
    if (!is_new) continue;
    Holders& holders = known->second;
    holders.fetched = answer->job_keys[i];
    for (std::size_t at = 0; at + 1 < holders.fetched.size(); at += 2) {
      const auto id = parse_uuid(holders.fetched[at]);
      if (!id) continue;
      named.push_back(*id);
      if (holders.fetched[at + 1] == "inf") {
        holders.live = id;
      } else {
        holders.ended.push_back(*id);
      }
    }
  }
  for (std::size_t i = 0; i < question.claims.size(); ++i) {
    if (!claims_asked_.insert(question.claims[i]).second) continue;
    for (const JobId& id : answer->claims[i]) claims_.emplace(question.claims[i], id);
  }
  look_behind(question, *answer);
  for (std::size_t i = 0; i < question.wishes.size(); ++i) {
    shelf_.put(question.wishes[i], answer->shelves[i]);
  }
  if (question.counts && !counts_) counts_ = std::move(answer->counts);
  for (const JobId& id : named) {
    if (!entries_.contains(id)) absent_.insert(id);
  }
}

void RedisTransaction::keep_config(const Answer& answer) {
  config_guard_ = answer.config;
  if (config_->version == answer.config) return;
  if (!answer.rules) return;
  config_ = std::make_shared<const Config>(
      make_config(answer.config, answer.rules->first, answer.rules->second));
  around_.copies.put(ns_, config_);
}

// What a job says was so when it was written, and the store's time does not go back behind it.
void RedisTransaction::keep_jobs(std::vector<Answer::StoredJob>& jobs) {
  for (Answer::StoredJob& job : jobs) {
    auto& entry = entries_[job.head.job.id];
    if (entry || absent_.contains(job.head.job.id)) {
      if (!entry) entries_.erase(job.head.job.id);
      continue;
    }
    entry = std::make_unique<Entry>();
    entry->head = std::move(job.head);
    if (!around_.names) entry->head.usual = false;  // as Longshore 0.1, which knows no such thing
    entry->v = job.v;
    entry->note_stored(rules());
    now_ = std::max(now_, entry->job().updated_at);
  }
}

std::vector<Reply> RedisTransaction::read(const std::vector<Words>& calls) {
  if (trouble_ || calls.empty()) return {};
  auto replies = around_.channel.exchange(keys_.tag(), calls, false);
  if (!replies) {
    trouble_ = replies.error();
    return {};
  }
  for (const Reply& reply : *replies) {
    if (!reply.is_error()) continue;
    trouble_ = error_of(reply, around_.channel.url().shown);
    return {};
  }
  return std::move(*replies);
}

// ---- Finding ---------------------------------------------------------------------------------

void RedisTransaction::load(std::span<const JobId> ids) {
  Question question;
  for (const JobId& id : ids) {
    if (!entries_.contains(id) && !absent_.contains(id)) question.ids.push_back(id);
  }
  if (!question.ids.empty()) ask(std::move(question));
}

Entry* RedisTransaction::known(const JobId& id) {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : found->second.get();
}

Entry* RedisTransaction::find(const JobId& id) {
  Entry* entry = known(id);
  if (entry == nullptr && !absent_.contains(id)) {
    load({&id, 1});
    entry = known(id);
  }
  if (entry != nullptr) entry->used = true;
  return entry;
}

// What this batch did to jobs of the key before it was asked for counts, too.
RedisTransaction::Holders& RedisTransaction::holders(const std::string& name) {
  const auto asked = holders_.find(name);
  if (asked != holders_.end()) return asked->second;
  ask({.job_keys = {name}});
  Holders& holders = holders_[name];
  for (const Entry* entry : dirty_) {
    const Job& job = entry->job();
    if (job.job_key.empty() || job_key_name(job.type, job.job_key) != name) continue;
    if (holders.live == job.id) holders.live.reset();
    if (is_terminal(job.state)) {
      holders.ended.push_back(job.id);
    } else {
      holders.live = job.id;
    }
  }
  return holders;
}

void RedisTransaction::hold(const Job& job, bool was_live) {
  if (job.job_key.empty()) return;
  const auto asked = holders_.find(job_key_name(job.type, job.job_key));
  if (asked == holders_.end()) return;
  Holders& holders = asked->second;
  if (!is_terminal(job.state)) {
    holders.live = job.id;
  } else if (was_live) {
    if (holders.live == job.id) holders.live.reset();
    holders.ended.push_back(job.id);
  }
}

Entry* RedisTransaction::find_holder(const execute::JobKeyRef& key, const JobId&) {
  const auto& live = holders(job_key_name(key.type, key.key)).live;
  Entry* entry = live ? find(*live) : nullptr;
  return entry != nullptr && !is_terminal(entry->job().state) ? entry : nullptr;
}

Entry* RedisTransaction::find_by_key(const execute::JobKeyRef& key) {
  if (Entry* holder = find_holder(key, {})) return holder;
  Entry* latest = nullptr;
  for (const JobId& id : holders(job_key_name(key.type, key.key)).ended) {
    Entry* entry = find(id);
    if (entry == nullptr) continue;
    if (latest == nullptr || latest->job().number < entry->job().number) latest = entry;
  }
  return latest;
}

std::optional<KeyView> RedisTransaction::find_key(const execute::IdempotencyRef& key,
                                                  const execute::Binding&) {
  const std::string name = once_name(key.platform, key.key);
  if (!bound_.contains(name)) ask({.once = {name}});
  std::optional<KeyView> view = bound_[name].view;
  if (!view) return std::nullopt;
  if (const Entry* entry = find(view->job)) view->last_status = status_of(entry->job());
  return view;
}

const JobBody& RedisTransaction::body(execute::Entry& judged) {
  Entry& entry = static_cast<Entry&>(judged);
  if (!entry.body) {
    const auto replies = read({body_call(keys_.job(entry.job().id))});
    entry.body = replies.empty() ? JobBody() : read_body(replies[0]);
  }
  return *entry.body;
}

// ---- Changing --------------------------------------------------------------------------------

Entry& RedisTransaction::apply(Change&& change) {
  const JobId id = change.after.id;
  Entry* entry = known(id);
  if (entry == nullptr) {
    entry = (entries_[id] = std::make_unique<Entry>()).get();
    entry->head.usual = around_.names;
    absent_.erase(id);
  }
  const int attempt_before = entry->job().attempt;
  before_ = std::min(before_, change.guard.before);
  const bool moved = !change.transitions.empty();
  entry->history += history_lines(entry->head, change.after, change.transitions);
  append_job_events(*events_, entry->job(), std::move(change));
  // Only the texts of the transitions were moved.
  // NOLINTNEXTLINE(bugprone-use-after-move)
  place(*entry, std::move(change.after), change.place, moved);
  keep_parts(*entry, change, attempt_before);
  const Job& job = entry->job();
  if (moved && job.state == State::queued) {
    hint(job.ns, job.queue);
    shelf_.enter(list_of(job), place_of(job));
  }
  mark_dirty(*entry);
  return *entry;
}

void RedisTransaction::place(Entry& entry, Job&& after, Place place, bool moved) {
  Job& job = entry.head.job;
  const bool is_new = job.number == 0;
  after.number = job.number;
  after.order = job.order;
  if (is_new) {
    entry.number_step = next_step();
    after.number = seq_ + entry.number_step;
  }
  if (place != Place::unchanged) {
    // Numbers and orders never meet, so a new job has one of both.
    const std::int64_t step = is_new ? entry.number_step : next_step();
    entry.order_step = place == Place::front ? -step : step;
    after.order = place == Place::front ? -(seq_ + step) : seq_ + step;
  }
  if (moved && is_terminal(after.state)) {
    after.prune_after =
        resolve_prune_after(status_of(after), after.updated_at, config_->type(after.type),
                            config_->queue(after.queue), rules().retention);
  }
  if (!is_new && after.content != job.content) entry.rewritten = true;
  if (!is_new && is_terminal(job.state) && !is_terminal(after.state)) entry.rewritten = true;
  const bool was_live = !is_new && !is_terminal(job.state);
  if (!is_new) count(job, -1);
  job = std::move(after);
  count(job, +1);
  if (job.state == State::running) claims_.emplace(job.claim, job.id);
  hold(job, was_live);
}

void RedisTransaction::keep_parts(Entry& entry, Change& change, int attempt_before) {
  Head& head = entry.head;
  annals_.append_log(head.job.id, attempt_before, change.log, change.log_id);
  if (change.error && change.list_error) {
    entry.failures += failure_line(
        {.attempt = head.job.attempt, .at = head.job.updated_at, .error = *change.error});
    annals_.group(head.job, *change.error);
  }
  if (change.result || change.drop_result) {
    entry.result = std::move(change.result);
    entry.result_changed = true;
  }
  if (change.checkpoint || (change.drop_checkpoint && head.checkpoint_bytes)) {
    entry.checkpoint = std::move(change.checkpoint);
    entry.checkpoint_changed = true;
    head.checkpoint_bytes.reset();
    if (entry.checkpoint) head.checkpoint_bytes = std::ssize(*entry.checkpoint);
  }
  if (change.drop_error) head.error.reset();
  if (change.error) head.error = std::move(change.error);
  if (change.body) {
    entry.body = std::move(change.body);
    entry.body_changed = true;
    entry.rewritten = true;
    head.body_bytes = bytes_of(*entry.body);
    head.only_payload = is_only_payload(*entry.body);
  }
}

void RedisTransaction::mark_dirty(Entry& entry) {
  wrote_ = true;
  if (std::exchange(entry.dirty, true)) return;
  dirty_.push_back(&entry);
}

void RedisTransaction::bind_key(const execute::IdempotencyRef& key, const execute::Binding& to) {
  wrote_ = true;
  const std::string name = once_name(key.platform, key.key);
  const KeyView view{.job = to.job, .body_hash = to.body_hash};
  bound_[name].view = view;
  extra_.write(Line("SET").text(keys_.once(name)).text(bound_text(view, std::nullopt)));
  Entry* entry = find(to.job);
  if (entry == nullptr || entry->foreign) return;
  const bool named = entry->job().idempotency_key == key.key &&
                     is_platform_type(entry->job().type) == key.platform;
  if (named) return;
  entry->keys += name + "\n";
  mark_dirty(*entry);
}

}  // namespace longshore::redis
