// Tokens, pauses, the configuration and the rules of the store have the last value that was set.
// Each is checked as a register.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/facts.h"

namespace longshore::checker {
namespace {

struct Write {
  const Operation* op;
  std::string value;
};

// One setting, and its initial value.
struct Register {
  std::vector<Write> writes;
  std::string first;

  // Whether it can have shown this between the two moments: some write of it may have come before
  // the later one, and no other certainly came after that write and before the earlier moment.
  bool may_show(const std::string& value, std::int64_t from, std::int64_t until) const {
    const auto hidden = [&](std::int64_t returned) {
      return std::ranges::any_of(writes, [&](const Write& later) {
        return later.op->ok() && later.op->invoked > returned && later.op->returned < from;
      });
    };
    if (value == first && !hidden(0)) return true;
    return std::ranges::any_of(writes, [&](const Write& write) {
      return write.value == value && write.op->invoked < until && !hidden(write.op->returned);
    });
  }
  bool may_end_as(const std::string& value) const { return may_show(value, seq_never, seq_never); }
};

using Name = std::pair<std::string, std::string>;
using Registers = std::map<Name, Register>;

constexpr const char* good = "good";

// ---- Tokens -----------------------------------------------------------------------------------

void check_tokens(Facts& facts) {
  Registers tokens;
  for (const Operation& op : facts.ops) {
    if (!op.maybe()) continue;
    if (op.call->verb == Verb::put_token) tokens[{"", op.call->key}].writes.push_back({&op, good});
    if (op.call->verb == Verb::revoke_token) tokens[{"", op.call->key}].writes.push_back({&op, ""});
  }
  for (const Operation& op : facts.ops) {
    if (op.call->verb != Verb::touch_token || op.kind == Kind::info) continue;
    if (op.kind == Kind::fail && op.answer->code != "NOT_FOUND") continue;
    facts.count(op.ok() ? "tokens used" : "tokens refused");
    const Register& token = tokens[{"", op.call->key}];
    if (token.may_show(op.ok() ? good : "", op.invoked, op.returned)) continue;
    facts.violate("S27", nullptr,
                  op.ok() ? "a token that was revoked is good: " + op.call->key
                          : "a good token is unknown: " + op.call->key);
  }
  std::set<std::string> there;
  for (const TokenDump& token : facts.history.tokens) there.insert(token.id);
  for (const auto& [name, token] : tokens) {
    if (token.may_end_as(there.contains(name.second) ? good : "")) continue;
    facts.violate("S27", nullptr, "token " + name.second + " is not as it was left");
  }
}

// A revoke names a namespace, and touches no other's token.
void check_token_owners(Facts& facts) {
  std::map<std::string, std::string> owners;
  for (const Operation& op : facts.ops) {
    if (op.call->verb == Verb::put_token) owners.try_emplace(op.call->key, op.call->ns);
  }
  for (const Operation& op : facts.ops) {
    if (op.call->verb != Verb::revoke_token || !op.ok()) continue;
    const auto owner = owners.find(op.call->key);
    if (owner != owners.end() && owner->second == op.call->ns) continue;
    facts.violate("S21", nullptr, "a token of another namespace was revoked: " + op.call->key);
  }
}

// ---- Pauses -----------------------------------------------------------------------------------

void check_pauses_at_end(Facts& facts) {
  Registers queues;
  for (const Operation& op : facts.ops) {
    if (op.call->verb != Verb::pause || !op.maybe() || op.call->queues.empty()) continue;
    queues[{op.call->ns, op.call->queues.front()}].writes.push_back(
        {&op, op.call->paused ? "paused" : ""});
  }
  std::set<Name> paused;
  for (const PausedDump& one : facts.history.paused) paused.insert({one.ns, one.queue});
  for (const auto& [name, queue] : queues) {
    if (queue.may_end_as(paused.contains(name) ? "paused" : "")) continue;
    facts.violate(
        "S27", nullptr,
        "queue " + name.second + " of " + name.first + " is paused or not as nobody said");
  }
}

// ---- The configuration, and the rules of the store --------------------------------------------

std::string number_text(std::optional<std::int64_t> number) {
  return number ? std::to_string(*number) : "-";
}
std::string keep_text(const std::optional<Duration>& keep) {
  return keep ? std::to_string(keep->count()) : "-";
}

// Equal rules in any order give equal texts.
std::string in_order(const std::vector<RuleSet>& rules) {
  std::set<std::string> lines;
  for (const RuleSet& rule : rules) {
    lines.insert(rule.ns + "/" + rule.queue + "/" + rule.type + " " +
                 number_text(rule.max_running) + " " + keep_text(rule.keep_success) + " " +
                 keep_text(rule.keep_canceled) + " " + keep_text(rule.keep_dead));
  }
  std::string text;
  for (const std::string& line : lines) text += line + "; ";
  return text;
}

void check_configuration(Facts& facts) {
  if (facts.configures.empty()) return;
  Register configuration;
  for (const Operation* op : facts.configures) {
    configuration.writes.push_back({op, in_order(op->call->rules)});
  }
  facts.count("configurations", static_cast<std::int64_t>(facts.configures.size()));
  const std::string held = in_order(facts.history.rules);
  if (configuration.may_end_as(held)) return;
  facts.violate("S27", nullptr, "the configuration is not the one that was left: " + held);
}

void check_store_rules(Facts& facts) {
  std::map<std::string, Register> settings;
  for (const Operation& op : facts.ops) {
    if (op.call->verb != Verb::set_rules || !op.maybe()) continue;
    for (const Setting& one : op.call->settings)
      settings[one.name].writes.push_back({&op, one.value});
  }
  for (const Setting& held : facts.history.settings) {
    Register& setting = settings[held.name];
    setting.first = held.value;  // the initial value is unknown
    if (setting.may_end_as(held.value)) continue;
    facts.violate("S27", nullptr, held.name + " is " + held.value + ", and nobody left it so");
  }
}

// An acknowledged revision is never followed by an older one of the same source.
void check_revisions(Facts& facts) {
  std::vector<const Operation*> said;
  for (const Operation& op : facts.ops) {
    if (op.call->verb == Verb::set_rules && op.ok() && op.call->revision) said.push_back(&op);
  }
  for (const Operation* later : said) {
    for (const Operation* earlier : said) {
      const bool before = earlier->returned < later->invoked;
      const bool one_source = earlier->call->type == later->call->type;
      if (!before || !one_source || *earlier->call->revision <= *later->call->revision) continue;
      facts.violate("S27", nullptr,
                    "revision " + std::to_string(*later->call->revision) + " was taken after " +
                        std::to_string(*earlier->call->revision));
      return;
    }
  }
}

}  // namespace

void check_settings(Facts& facts) {
  check_token_owners(facts);
  check_revisions(facts);
  if (!facts.history.dumped_at) return;
  check_tokens(facts);
  check_pauses_at_end(facts);
  check_configuration(facts);
  check_store_rules(facts);
}

}  // namespace longshore::checker
