#include "store/postgres/write/config.h"

#include <algorithm>
#include <utility>

namespace longshore::postgres {
namespace {

constexpr Sql version_now = {"SELECT config, rules FROM @store"};
constexpr Sql queue_rules = {
    "SELECT ns, queue, max_running, keep_success, keep_canceled, keep_dead FROM @queue_rule"};
constexpr Sql type_rules = {
    "SELECT ns, type, max_running, keep_success, keep_canceled, keep_dead FROM @type_rule"};
constexpr Sql pauses = {"SELECT ns, queue FROM @pause"};

constexpr Sql lock_version = {"SELECT config FROM @store FOR UPDATE"};
constexpr Sql update_rules = {"UPDATE @store SET rules = $1"};
// Random: a database that went back in time and was then changed in another way must not come to a
// version that some node has a copy of.
constexpr Sql renew_version = {
    "UPDATE @store SET config = hashtextextended(gen_random_uuid()::text, 0) RETURNING config"};
constexpr Sql forget_queue_rules = {"DELETE FROM @queue_rule"};
constexpr Sql forget_type_rules = {"DELETE FROM @type_rule"};
constexpr Sql insert_queue_rule = {
    "INSERT INTO @queue_rule VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (ns, queue) DO UPDATE SET "
    "max_running = $3, keep_success = $4, keep_canceled = $5, keep_dead = $6"};
constexpr Sql insert_type_rule = {
    "INSERT INTO @type_rule VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (ns, type) DO UPDATE SET "
    "max_running = $3, keep_success = $4, keep_canceled = $5, keep_dead = $6"};
constexpr Sql insert_pause = {"INSERT INTO @pause VALUES ($1, $2) ON CONFLICT DO NOTHING"};
constexpr Sql delete_pause = {"DELETE FROM @pause WHERE ns = $1 AND queue = $2"};

template <class Rule>
void read_rule(RowSet& row, Rule& rule) {
  rule.max_running = row.optional_small();
  rule.keep_success = row.optional_duration();
  rule.keep_canceled = row.optional_duration();
  rule.keep_dead = row.optional_duration();
}

template <class Rule>
Parameters rule_parameters(const Rule& rule, const std::string& name) {
  Parameters parameters;
  parameters.add(rule.ns).add(name).add(Type::integer, rule.max_running);
  parameters.add(rule.keep_success).add(rule.keep_canceled).add(rule.keep_dead);
  return parameters;
}

template <class Rule>
const Rule* find_rule(const std::map<Scoped, Rule>& rules, const std::string& ns,
                      const std::string& name) {
  if (rules.empty()) return nullptr;  // mostly, and then no name need be put together
  const auto found = rules.find({ns, name});
  return found == rules.end() ? nullptr : &found->second;
}

}  // namespace

const QueueRule* Config::queue(const std::string& ns, const std::string& name) const {
  return find_rule(queues, ns, name);
}

const TypeRule* Config::type(const std::string& ns, const std::string& name) const {
  return find_rule(types, ns, name);
}

bool Config::is_limited(const Job& job) const {
  if (queues.empty() && types.empty()) return false;
  const QueueRule* of_queue = queue(job.ns, job.queue);
  const TypeRule* of_type = type(job.ns, job.type);
  return (of_queue != nullptr && of_queue->max_running) ||
         (of_type != nullptr && of_type->max_running);
}

bool Config::limits_queue(const std::string& ns, const std::string& name) const {
  const QueueRule* rule = queue(ns, name);
  return rule != nullptr && rule->max_running;
}

bool Config::limits_types(const std::string& ns) const {
  return std::ranges::any_of(types, [&](const auto& rule) {
    return rule.first.ns == ns && rule.second.max_running.has_value();
  });
}

Config load_config(Connection& connection, const std::shared_ptr<const RulesRecord>& before) {
  Config config{.rules = before};
  for (const Sql* sql : {&version_now, &queue_rules, &type_rules, &pauses})
    connection.enqueue_statement(*sql);
  std::vector<RowSet> answers = connection.exchange();
  if (connection.trouble()) return config;
  if (answers[0].next()) {
    config.version = answers[0].integer();
    auto record = parse_record(answers[0].text());
    if (record) config.rules = std::make_shared<const RulesRecord>(std::move(*record));
  }
  while (answers[1].next()) {
    QueueRule rule{.ns = answers[1].text(), .queue = answers[1].text()};
    read_rule(answers[1], rule);
    config.queues[{rule.ns, rule.queue}] = rule;
  }
  while (answers[2].next()) {
    TypeRule rule{.ns = answers[2].text(), .type = answers[2].text()};
    read_rule(answers[2], rule);
    config.types[{rule.ns, rule.type}] = rule;
  }
  while (answers[3].next()) {
    Scoped queue{.ns = answers[3].text(), .name = answers[3].text()};
    config.pauses.insert(std::move(queue));
  }
  return config;
}

std::int64_t lock_config(Connection& connection) {
  RowSet row = connection.ask(lock_version);
  return row.next() ? row.integer() : 0;
}

std::int64_t renew_config(Connection& connection) {
  RowSet row = connection.ask(renew_version);
  return row.next() ? row.integer() : 0;
}

void replace_rules(Connection& connection, const Configure& configure) {
  connection.enqueue_statement(forget_queue_rules);
  connection.enqueue_statement(forget_type_rules);
  for (const QueueRule& rule : configure.queues) {
    connection.enqueue_statement(insert_queue_rule, rule_parameters(rule, rule.queue));
  }
  for (const TypeRule& rule : configure.types) {
    connection.enqueue_statement(insert_type_rule, rule_parameters(rule, rule.type));
  }
  connection.exchange();
}

void write_rules(Connection& connection, const RulesRecord& record) {
  Parameters parameters;
  parameters.add(Type::text, record_text(record));
  connection.ask(update_rules, std::move(parameters));
}

void set_pause(Connection& connection, const Scoped& queue, bool paused) {
  Parameters parameters;
  parameters.add(queue.ns).add(queue.name);
  connection.ask(paused ? insert_pause : delete_pause, std::move(parameters));
}

}  // namespace longshore::postgres
