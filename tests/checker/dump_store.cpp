#include <climits>

#include "checker/calls.h"
#include "checker/history_writer.h"
#include "core/policy/rule_table.h"
#include "core/text/hash.h"

namespace longshore::checker {
namespace {

Result<Nothing> dump_dead(Catalog& catalog, const std::string& ns, HistoryWriter& writer) {
  ListQuery query{.ns = ns, .states = {{.state = State::dead, .withdrawn = false}}, .limit = 100};
  while (true) {
    auto page = catalog.list(query);
    if (!page) return page.error();
    for (const JobSummary& summary : page->jobs) writer.dump(Listed{ns, summary.job.id});
    if (!page->next) return Nothing{};
    query.before = page->next;
  }
}

Result<Nothing> dump_namespace(Catalog& catalog, const std::string& ns, HistoryWriter& writer) {
  auto trail = catalog.audit_trail(ns, INT_MAX);
  if (!trail) return trail.error();
  for (AuditEntry& entry : *trail) writer.dump(std::move(entry));
  auto queues = catalog.queues(ns);
  if (!queues) return queues.error();
  for (const QueueView& view : *queues) {
    if (view.paused) writer.dump(PausedDump{.ns = ns, .queue = view.queue});
    for (const auto& [state, count] : view.depth) {
      writer.dump(DepthDump{.ns = ns, .queue = view.queue, .state = state, .count = count});
    }
  }
  return dump_dead(catalog, ns, writer);
}

Result<Nothing> dump_settings(Catalog& catalog, HistoryWriter& writer) {
  auto rules = catalog.configuration();
  if (!rules) return rules.error();
  for (RuleSet& rule : rule_sets(*rules)) writer.dump(std::move(rule));
  auto tokens = catalog.tokens();
  if (!tokens) return tokens.error();
  for (const TokenRecord& token : *tokens) writer.dump(TokenDump{.ns = token.ns, .id = token.id});
  auto stored = catalog.stored_rules();
  if (!stored) return stored.error();
  for (const std::string& name : writer.settings()) {
    const NamedRule* rule = find_rule(name);
    if (rule != nullptr) writer.dump(Setting{.name = name, .value = rule->text(stored->rules)});
  }
  return Nothing{};
}

}  // namespace

JobDump dump_of(const JobRecord& record) {
  JobDump dump;
  dump.job = record.job;
  dump.payload = hash64(record.body.payload);
  if (record.result) dump.result = hash64(*record.result);
  if (record.error) dump.error = record.error->code;
  dump.history = record.history;
  dump.history_dropped = record.history_dropped;
  return dump;
}

Result<Nothing> dump_store(Catalog& catalog, HistoryWriter& writer) {
  std::set<std::string> namespaces = writer.namespaces();
  auto visited = catalog.each([&](const JobRecord& record) {
    namespaces.insert(record.job.ns);
    writer.dump(dump_of(record));
    return true;
  });
  if (!visited) return visited.error();
  for (const std::string& ns : namespaces) {
    auto done = dump_namespace(catalog, ns, writer);
    if (!done) return done.error();
  }
  for (const auto& [ns, key] : writer.idempotency_keys()) {
    auto view = catalog.find_idempotency_key(ns, key);
    if (view) writer.dump(KeyDump{.ns = ns, .key = key, .view = *view});
  }
  auto settings = dump_settings(catalog, writer);
  if (!settings) return settings.error();
  auto audit = catalog.audit();
  if (!audit) return audit.error();
  for (Finding& finding : audit->findings) writer.dump(std::move(finding));
  auto now = catalog.now();
  if (!now) return now.error();
  writer.dumped(*now);
  return Nothing{};
}

}  // namespace longshore::checker
