// What a batch says and asks beside jobs.
#include <algorithm>

#include "core/record/audit_entry.h"
#include "store/redis/fields.h"
#include "store/redis/sightings.h"
#include "store/redis/timetable.h"
#include "store/redis/transaction.h"

namespace longshore::redis {

void RedisTransaction::record_audit(const Actor& actor, const std::string& ns,
                                    const std::string& action, const std::string& target) {
  annals_.add_audit(next_step(),
                    {.at = now_, .ns = ns, .actor = actor, .action = action, .target = target},
                    ns_.empty());
}

bool RedisTransaction::is_audited(const RecordAudit& record, Instant since) {
  if (annals_.is_audited(record)) return true;
  const auto newest = read({{"LRANGE", keys_.one("trail"), "-100", "-1"}});
  if (newest.empty()) return false;
  return std::ranges::any_of(newest[0].items, [&](const Reply& line) {
    const auto entry = parse_audit(ns_, line.text, false);
    return entry && entry->at >= since && is_same_action(*entry, record);
  });
}

std::vector<JobId> RedisTransaction::left_behind(const NodeId&, std::optional<Instant>) {
  const auto all = head_of(Table::leases, {.from = {}, .until = Instant::never()}, -1);
  std::vector<JobId> ids;
  for (const auto& [at, id] : all) ids.push_back(id);
  std::ranges::sort(ids);
  return ids;
}

void RedisTransaction::start_node(const NodeId& node, const std::string& name) {
  see(node, name, true);
}
void RedisTransaction::see_node(const NodeId& node, const std::string& name) {
  see(node, name, false);
}

// Of a node that starts, each namespace has its own share; the node itself is seen once.
void RedisTransaction::see(const NodeId& node, const std::string& name, bool starts) {
  if (!ns_.empty()) return;
  const std::string field = to_hex(node);
  const auto stored =
      read({{"HGET", keys_.one("nodes"), field}, {"HGET", keys_.one("store"), "rules"}});
  if (stored.empty()) return;
  // Another node may have changed them.
  auto record = parse_record(stored[1].text);
  if (record && *record != *record_) around_.rules.put_after(record_, std::move(*record));
  NodeView view = parse_node(node, stored[0].text);
  if (starts || stored[0].is_nil()) view.started_at = now_;
  view.name = name;
  view.seen_at = now_;
  extra_.write(Line("HSET").text(keys_.one("nodes")).text(field).text(node_text(view)));
}

void RedisTransaction::see_workers(std::span<const WorkerInfo> workers) {
  for (const WorkerInfo& info : workers) {
    const std::string text = worker_text({.info = info, .seen_at = now_, .jobs = {}});
    extra_.write(Line("HSET").text(keys_.one("workers")).text(info.worker).text(text));
  }
}

void RedisTransaction::record_minutes(std::span<const MinuteRow> rows) {
  for (const MinuteRow& row : rows) {
    const std::string minute = std::to_string(row.minute.count());
    Line line("HSET");
    line.text(keys_.minute(row.minute.count())).text(minute_field(row)).text(minute_text(row));
    extra_.write(line);
    extra_.write(Line("ZADD").text(keys_.one("minutes")).text(minute).text(minute));
  }
}

void RedisTransaction::forget_sightings(Instant minutes, Instant workers) {
  const auto replies =
      read({{"ZRANGEBYSCORE", keys_.one("minutes"), "-inf", "(" + std::to_string(minutes.count())},
            {"HGETALL", keys_.one("workers")}});
  if (replies.empty()) return;
  for (const Reply& minute : replies[0].items) {
    extra_.write(Line("DEL").text(keys_.minute(parse_integer(minute.text).value_or(0))));
    extra_.write(Line("ZREM").text(keys_.one("minutes")).text(minute.text));
  }
  const std::vector<Reply>& seen = replies[1].items;
  for (std::size_t i = 0; i + 1 < seen.size(); i += 2) {
    if (parse_worker(ns_, seen[i].text, seen[i + 1].text).seen_at > workers) continue;
    extra_.expect(seen[i + 1].text, Line("HGET").text(keys_.one("workers")).text(seen[i].text));
    extra_.write(Line("HDEL").text(keys_.one("workers")).text(seen[i].text));
  }
}

// ---- Configuration ---------------------------------------------------------------------------

void RedisTransaction::configure(const Configure& configure) {
  const auto stored = read({{"HGET", keys_.one("config"), "version"}});
  if (stored.empty()) return;
  extra_.expect(stored[0].is_nil() ? std::nullopt : std::optional(stored[0].text),
                Line("HGET").text(keys_.one("config")).text("version"));
  Line line("HSET");
  line.text(keys_.one("config")).text("version").parts({{.number = next_step()}});
  extra_.write(line.text("rules").text(rules_lines(configure)));
}

RulesRecord RedisTransaction::rules_record() {
  if (rules_changed_) return *record_;
  const auto stored = read({{"HGET", keys_.one("store"), "rules"}});
  if (stored.empty()) return *record_;
  extra_.expect(stored[0].text, Line("HGET").text(keys_.one("store")).text("rules"));
  return parse_record(stored[0].text).value_or(*record_);
}

void RedisTransaction::set_rules(const RulesRecord& record) {
  extra_.write(Line("HSET").text(keys_.one("store")).text("rules").text(record_text(record)));
  record_ = std::make_shared<const RulesRecord>(record);
  rules_changed_ = true;
}

void RedisTransaction::publish_rules() {
  if (rules_changed_) around_.rules.put(*record_);
}

void RedisTransaction::adopt_rules(const Configure& rules) {
  const std::string lines = rules_lines(rules_of(ns_, rules));
  if (lines == config_->rules) return;
  Line line("HSET");
  line.text(keys_.meta()).text("config").parts({{.number = next_step()}});
  extra_.write(line.text("rules").text(lines));
}

bool RedisTransaction::set_pause(const std::string&, const std::string& queue, bool paused) {
  if (config_->pauses.contains(queue) == paused) return false;
  Config config = *config_;
  config.version = -1;
  if (paused) {
    config.pauses.insert(queue);
  } else {
    config.pauses.erase(queue);
  }
  Line line("HSET");
  line.text(keys_.meta()).text("config").parts({{.number = next_step()}});
  extra_.write(line.text("pauses").text(list_text({config.pauses.begin(), config.pauses.end()})));
  config_ = std::make_shared<const Config>(std::move(config));
  return true;
}

// ---- Tokens ----------------------------------------------------------------------------------

std::optional<TokenRecord> RedisTransaction::find_token(const std::string& id) {
  const auto known = tokens_.find(id);
  if (known != tokens_.end()) return known->second;
  const auto stored = read({{"HGET", keys_.one("tokens"), id}});
  if (stored.empty()) return std::nullopt;
  std::optional<std::string> text;
  if (!stored[0].is_nil()) text = stored[0].text;
  extra_.expect(text, Line("HGET").text(keys_.one("tokens")).text(id));
  return tokens_[id] = text ? std::optional(parse_token(id, *text)) : std::nullopt;
}

void RedisTransaction::insert_token(const TokenRecord& token) {
  tokens_[token.id] = token;
  extra_.write(Line("HSET").text(keys_.one("tokens")).text(token.id).text(token_text(token)));
}

void RedisTransaction::erase_token(const std::string& id) {
  tokens_[id] = std::nullopt;
  extra_.write(Line("HDEL").text(keys_.one("tokens")).text(id));
}

void RedisTransaction::touch_token(const std::string& id) {
  std::optional<TokenRecord> token = find_token(id);
  if (!token) return;
  token->last_used_at = now_;
  insert_token(*token);
}

}  // namespace longshore::redis
