// The caller, the store and the configuration of the server, for people.
#include "api/api.h"
#include "api/server/routes.h"
#include "api/wire/calls.h"
#include "api/wire/json_out.h"

namespace longshore {
namespace {

void write_caller(JsonOut& out, const Call& call, bool has_tokens) {
  out.key("caller");
  out.open('{');
  out.member("name", call.caller.name);
  out.member("role", to_text(call.caller.role));
  out.member("namespace", call.caller.ns);
  out.member("hasToken", has_tokens);
  out.close('}');
}

void write_nodes(JsonOut& out, const std::vector<NodeView>& nodes) {
  out.key("nodes");
  out.open('[');
  for (const NodeView& node : nodes) {
    out.open('{');
    out.member("name", node.name);
    out.member("startedAt", node.started_at);
    out.member("lastSeenAt", node.seen_at);
    out.close('}');
  }
  out.close(']');
}

void write_configuration(JsonOut& out, const std::vector<ShownSetting>& settings) {
  out.key("configuration");
  out.open('[');
  for (const ShownSetting& setting : settings) {
    out.open('{');
    out.member("name", setting.name);
    out.member("value", setting.value);
    out.member("source", setting.source);
    out.close('}');
  }
  out.close(']');
}

void write_rule_conflicts(JsonOut& out, const std::vector<RuleDifference>& conflicts) {
  out.key("ruleConflicts");
  out.open('[');
  for (const RuleDifference& conflict : conflicts) out.value(difference_text(conflict));
  out.close(']');
}

void write_clock(JsonOut& out, const ClockReport& clock) {
  out.key("clock");
  out.open('{');
  out.member("stepsForward", clock.steps_forward);
  out.member("stepsBack", clock.steps_back);
  out.key("aheadSeconds");
  out.value(clock.ahead.in_seconds());
  out.member("alarm", clock.alarm);
  out.close('}');
}

void write_redacted(JsonOut& out, const std::vector<std::string>& names) {
  out.key("redact");
  out.open('[');
  for (const std::string& name : names) out.value(name);
  out.close(']');
}

}  // namespace

void get_about(Api& api, CallRef call) {
  if (answered_for_query(api, call)) return;
  api.read(call, ReadKind::scan, [&api, call](Catalog& catalog) {
    const Result<std::vector<NodeView>> nodes = catalog.nodes();
    if (!nodes) return api.answer(call, api.problem_of(nodes.error()));
    const Capabilities& capabilities = api.node().capabilities();
    // Only the default namespace sees the nodes and the configuration.
    const bool in_full = call->caller.ns == "default";
    JsonOut out;
    out.open('{');
    write_caller(out, *call, api.tokens().cache().has_any());
    out.member("version", api.options().version);
    out.member("store", capabilities.name);
    out.member("durability", to_text(api.node().condition().durability));
    out.member("profile", api.node().rules()->profile);
    write_nodes(out, in_full ? *nodes : std::vector<NodeView>());
    write_configuration(out, in_full ? api.options().configuration : std::vector<ShownSetting>());
    if (in_full) write_rule_conflicts(out, api.node().rule_conflicts());
    write_clock(out, api.node().clock());
    write_redacted(out, api.options().redact);
    out.close('}');
    api.answer(call, json_response(out.take()));
  });
}

}  // namespace longshore
