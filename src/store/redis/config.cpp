#include "store/redis/config.h"

#include <algorithm>
#include <utility>

#include "store/redis/fields.h"

namespace longshore::redis {
namespace {

template <class Rule>
void write_rule(FieldWriter& fields, const Rule& rule) {
  fields.number(rule.max_running ? std::optional(std::int64_t{*rule.max_running}) : std::nullopt);
  fields.duration(rule.keep_success).duration(rule.keep_canceled).duration(rule.keep_dead);
}

template <class Rule>
void read_rule(FieldReader& fields, Rule& rule) {
  if (const auto most = fields.optional_number()) rule.max_running = static_cast<int>(*most);
  rule.keep_success = fields.optional_duration();
  rule.keep_canceled = fields.optional_duration();
  rule.keep_dead = fields.optional_duration();
}

void read_line(std::string_view line, Configure& rules) {
  FieldReader fields(line);
  const std::string kind = fields.text();
  std::string ns = fields.text();
  std::string name = fields.text();
  if (kind == "queue") {
    QueueRule rule{.ns = std::move(ns), .queue = std::move(name)};
    read_rule(fields, rule);
    rules.queues.push_back(std::move(rule));
  } else {
    TypeRule rule{.ns = std::move(ns), .type = std::move(name)};
    read_rule(fields, rule);
    rules.types.push_back(std::move(rule));
  }
}

template <class Rule>
const Rule* find_rule(const std::map<std::string, Rule>& rules, const std::string& name) {
  const auto found = rules.find(name);
  return found == rules.end() ? nullptr : &found->second;
}

}  // namespace

const QueueRule* Config::queue(const std::string& name) const { return find_rule(queues, name); }
const TypeRule* Config::type(const std::string& name) const { return find_rule(types, name); }

bool Config::has_limits() const {
  const auto limited = [](const auto& rule) { return rule.second.max_running.has_value(); };
  return std::ranges::any_of(queues, limited) || std::ranges::any_of(types, limited);
}

bool Config::is_limited(const Job& job) const {
  if (queues.empty() && types.empty()) return false;
  const QueueRule* of_queue = queue(job.queue);
  const TypeRule* of_type = type(job.type);
  return (of_queue != nullptr && of_queue->max_running) ||
         (of_type != nullptr && of_type->max_running);
}

std::string rules_lines(const Configure& rules) {
  std::string lines;
  for (const QueueRule& rule : rules.queues) {
    FieldWriter fields;
    fields.text("queue").text(rule.ns).text(rule.queue);
    write_rule(fields, rule);
    lines += std::move(fields).take() + "\n";
  }
  for (const TypeRule& rule : rules.types) {
    FieldWriter fields;
    fields.text("type").text(rule.ns).text(rule.type);
    write_rule(fields, rule);
    lines += std::move(fields).take() + "\n";
  }
  return lines;
}

Configure rules_of(const std::string& ns, const Configure& rules) {
  Configure mine = rules;
  std::erase_if(mine.queues, [&](const QueueRule& rule) { return rule.ns != ns; });
  std::erase_if(mine.types, [&](const TypeRule& rule) { return rule.ns != ns; });
  return mine;
}

Configure parse_rules(std::string_view lines) {
  Configure rules;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    read_line(lines.substr(0, end), rules);
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return rules;
}

Config make_config(std::int64_t version, std::string_view rules, std::string_view pauses) {
  Config config{.version = version};
  const Configure parsed = parse_rules(rules);
  for (const QueueRule& rule : parsed.queues) config.queues[rule.queue] = rule;
  for (const TypeRule& rule : parsed.types) config.types[rule.type] = rule;
  config.rules = rules;
  const auto paused = parse_list(pauses);
  config.pauses = {paused.begin(), paused.end()};
  return config;
}

std::shared_ptr<const Config> Copies::config(const std::string& ns) {
  MutexLock lock(mutex_);
  auto& known = configs_[ns];
  if (!known) known = std::make_shared<const Config>();
  return known;
}

void Copies::put(const std::string& ns, std::shared_ptr<const Config> config) {
  MutexLock lock(mutex_);
  auto& known = configs_[ns];
  if (known && known->version != 0 && known->version != config->version) replaced_ = true;
  known = std::move(config);
}

bool Copies::knows(const std::string& ns) {
  MutexLock lock(mutex_);
  return namespaces_.contains(ns);
}

void Copies::add(const std::string& ns) {
  MutexLock lock(mutex_);
  namespaces_.insert(ns);
}

void Copies::drop(const std::string& ns) {
  MutexLock lock(mutex_);
  namespaces_.erase(ns);
}

std::vector<std::string> Copies::namespaces() {
  MutexLock lock(mutex_);
  return {namespaces_.begin(), namespaces_.end()};
}

std::size_t Copies::namespace_count() {
  MutexLock lock(mutex_);
  return namespaces_.size();
}

void Copies::set_namespaces(const std::vector<std::string>& all) {
  MutexLock lock(mutex_);
  namespaces_.insert(all.begin(), all.end());
}

std::string Copies::looked(const std::string& ns, const std::string& walk) {
  MutexLock lock(mutex_);
  return looked_[{ns, walk}];
}

void Copies::look(const std::string& ns, const std::string& walk, std::string place) {
  MutexLock lock(mutex_);
  looked_[{ns, walk}] = std::move(place);
}

}  // namespace longshore::redis
