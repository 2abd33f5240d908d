#include "checker/history_json.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "checker/json_values.h"

namespace longshore::checker {
namespace {

template <class T>
std::string dump_line(std::string_view what, const T& value) {
  json::object line;
  line["dump"] = what;
  line["is"] = written(value);
  return json::serialize(line) + '\n';
}

Kind kind_of(std::string_view text) {
  return parse_word<Kind>(text, 6, [](Kind kind) { return to_text(kind); });
}

// Where the numbers of one text begin in the history.
struct Base {
  std::int64_t seq = 0;
  std::int64_t op = 0;
};

Base base_of(const History& history) {
  Base base;
  for (const Event& event : history.events) {
    base.seq = std::max(base.seq, event.seq);
    base.op = std::max(base.op, event.op);
  }
  return base;
}

Event event_from(const json::object& line, const Base& base) {
  Event event;
  JsonIn in(line);
  in("seq", event.seq), in("op", event.op), in("p", event.process);
  event.seq += base.seq;
  event.op += base.op;
  event.kind = kind_of(text_of(line.at("k")));
  const json::value& what = line.at("is");
  if (event.kind == Kind::invoke) {
    read(what, event.what.emplace<Call>());
  } else if (event.kind == Kind::nemesis || event.kind == Kind::mark) {
    read(what, event.what.emplace<Note>());
  } else {
    read(what, event.what.emplace<Answer>());
  }
  return event;
}

void add_dump(const json::object& line, History& history) {
  const std::string_view what = text_of(line.at("dump"));
  const json::value& is = line.at("is");
  if (what == "job") {
    read(is, history.jobs.emplace_back());
  } else if (what == "key") {
    read(is, history.keys.emplace_back());
  } else if (what == "audit") {
    read(is, history.audit.emplace_back());
  } else if (what == "dead") {
    read(is, history.dead.emplace_back());
  } else if (what == "depth") {
    read(is, history.depths.emplace_back());
  } else if (what == "finding") {
    read(is, history.findings.emplace_back());
  } else if (what == "paused") {
    read(is, history.paused.emplace_back());
  } else if (what == "token") {
    read(is, history.tokens.emplace_back());
  } else if (what == "rule") {
    read(is, history.rules.emplace_back());
  } else if (what == "setting") {
    read(is, history.settings.emplace_back());
  } else if (what == "at") {
    read(is, history.dumped_at);
  } else {
    throw std::invalid_argument("unknown dump " + std::string(what));
  }
}

void add_line(std::string_view text, const Base& base, History& history) {
  const json::value value = json::parse(json::string_view(text.data(), text.size()));
  const json::object& line = value.as_object();
  if (line.contains("dump")) {
    add_dump(line, history);
  } else {
    history.events.push_back(event_from(line, base));
  }
}

}  // namespace

std::string to_line(const Event& event) {
  json::object line;
  line["seq"] = event.seq;
  line["k"] = to_text(event.kind);
  if (event.op != 0) line["op"] = event.op;
  if (!event.process.empty()) line["p"] = event.process;
  line["is"] = std::visit([](const auto& what) { return written(what); }, event.what);
  return json::serialize(line) + '\n';
}

std::string to_line(const JobDump& job) { return dump_line("job", job); }
std::string to_line(const KeyDump& key) { return dump_line("key", key); }
std::string to_line(const AuditEntry& entry) { return dump_line("audit", entry); }
std::string to_line(const Listed& dead) { return dump_line("dead", dead); }
std::string to_line(const DepthDump& depth) { return dump_line("depth", depth); }
std::string to_line(const Finding& finding) { return dump_line("finding", finding); }
std::string to_line(const PausedDump& paused) { return dump_line("paused", paused); }
std::string to_line(const TokenDump& token) { return dump_line("token", token); }
std::string to_line(const RuleSet& rule) { return dump_line("rule", rule); }
std::string to_line(const Setting& setting) { return dump_line("setting", setting); }
std::string dumped_line(Instant at) { return dump_line("at", at); }

Result<Nothing> read_lines(std::string_view text, History& history) {
  const Base base = base_of(history);
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.empty()) continue;
    try {
      add_line(line, base, history);
    } catch (const std::exception& error) {
      return Error{Errc::invalid, "line " + std::to_string(number) + ": " + error.what()};
    }
  }
  return Nothing{};
}

}  // namespace longshore::checker
