// Applies declared rules to the store.
#include <map>
#include <utility>

#include "api/api.h"
#include "api/server/routes.h"
#include "api/wire/body.h"
#include "api/wire/calls.h"
#include "api/wire/json_out.h"
#include "core/json/json_value.h"
#include "core/policy/rule_table.h"
#include "core/policy/rules_record.h"
#include "core/text/names.h"

namespace longshore {
namespace {

constexpr std::int64_t revision_max = 9'007'199'254'740'991;
// Rules apply to all namespaces, so only operators of this one may change them.
constexpr std::string_view default_namespace = "default";

struct Apply {
  SetRules rules;
  bool dry_run = false;
};

bool is_bare(std::string_view value) {
  const auto scanned = scan_json(value);
  return scanned && (scanned->kind == JsonKind::number || scanned->kind == JsonKind::boolean);
}

// A number, a boolean or a word; anything else is a fault.
std::string read_value(Fields& rules, const std::string& name, const JsonSlice& value) {
  if (const auto whole = json_integer(value)) return std::to_string(*whole);
  if (is_bare(value.text)) return std::string(value.text);
  std::string word = value.kind == JsonKind::string ? rules.text(name).value_or("") : "";
  if (value.kind != JsonKind::string || is_bare(word)) {
    rules.invalid(name, "must be a number, true, false or a word; numbers must not be quoted");
  }
  return word;
}

void read_rules(Fields& body, std::map<std::string, std::string>& values) {
  std::optional<Fields> rules = body.object("rules");
  if (!rules) return;
  for (const JsonMember& member : rules->members()) {
    const std::string name = json_name(member);
    if (find_rule(name) != nullptr) {
      rules->slice(name);
      values[name] = read_value(*rules, name, member.value);
    }
  }
  rules->finish();
}

Apply read_apply(Fields& fields, const Call& call) {
  Apply apply;
  apply.rules = {.ns = call.caller.ns, .actor = actor_of(call)};
  apply.rules.source = fields.text("source", queue_fault).value_or("default");
  apply.rules.revision = fields.integer("revision", 0, revision_max);
  apply.dry_run = fields.boolean("dryRun").value_or(false);
  fields.boolean("prune");
  read_rules(fields, apply.rules.rules);
  return apply;
}

// As a JSON number or boolean if it is one, else as a string.
void write_value(JsonOut& out, std::string_view name, const std::string& value) {
  if (is_bare(value)) {
    out.member(name, Verbatim{value});
  } else {
    out.member(name, value);
  }
}

std::string answer_json(std::int64_t revision, const std::vector<RuleDifference>& changes) {
  JsonOut out;
  out.open('{');
  out.member("revision", revision);
  out.key("changes");
  out.open('[');
  for (const RuleDifference& change : changes) {
    out.open('{');
    out.member("kind", "rule");
    out.member("name", change.name);
    out.member("change", "changed");
    write_value(out, "from", change.from);
    write_value(out, "to", change.to);
    out.close('}');
  }
  out.close(']');
  out.key("conflicts");
  out.open('[');
  out.close(']');
  out.close('}');
  return out.take();
}

void apply_to(Api& api, const CallRef& call, Apply apply, const StoredRules& stored) {
  RulesRecord record;
  static_cast<StoredRules&>(record) = stored;
  Rules judged = stored.rules;
  if (const auto fault = change_rules(judged, apply.rules.rules)) {
    return api.answer(call, invalid_field("rules." + fault->name, fault->detail));
  }
  const auto decided = decide_rules(record, apply.rules);
  if (const auto* refusal = std::get_if<Refusal>(&decided)) {
    return api.answer(call, to_problem(*refusal));
  }
  const auto& next = std::get<RulesRecord>(decided);
  std::string answer =
      answer_json(next.revision(apply.rules.source), differences(stored.rules, next.rules));
  if (apply.dry_run) return api.answer(call, json_response(std::move(answer)));
  api.submit(call, std::move(apply.rules),
             [&api, call, answer = std::move(answer)](const Verdict&) {
               api.answer(call, json_response(answer));
             });
}

}  // namespace

void post_apply(Api& api, CallRef call) {
  if (answered_for_query(api, call)) return;
  Body body(call->request().body);
  Apply apply = read_apply(body.fields(), *call);
  if (const auto problem = body.problem()) return api.answer(call, *problem);
  if (!apply.rules.rules.empty() && call->caller.ns != default_namespace) {
    return api.answer(call,
                      Problem{.code = Code::forbidden,
                              .detail = "Forbidden: rules apply to the whole store; changing them "
                                        "needs a token of the default namespace"});
  }
  api.read(call, ReadKind::point, [&api, call, apply = std::move(apply)](Catalog& catalog) mutable {
    const Result<StoredRules> stored = catalog.stored_rules();
    if (!stored) return api.answer(call, api.problem_of(stored.error()));
    apply_to(api, call, std::move(apply), *stored);
  });
}

}  // namespace longshore
