#include "checker/history_writer.h"

#include <array>

#include "checker/history_json.h"
#include "core/text/hash.h"

namespace longshore::checker {

std::string_view to_text(Verb verb) {
  constexpr std::array<std::string_view, verb_count> words = {
      "enqueue",     "accept",     "claim",       "heartbeat", "complete",  "fail",
      "release",     "handOff",    "finishByKey", "cancel",    "promote",   "resolve",
      "redrive",     "pause",      "get",         "configure", "startNode", "putToken",
      "revokeToken", "touchToken", "setRules",    "other"};
  return words[static_cast<std::size_t>(verb)];
}

std::string_view to_text(Kind kind) {
  constexpr std::array<std::string_view, 6> words = {"invoke", "ok",      "fail",
                                                     "info",   "nemesis", "mark"};
  return words[static_cast<std::size_t>(kind)];
}

void HistoryWriter::add(Event event) {
  mutex_.assert_held();
  event.seq = ++seq_;
  if (event.op == 0 && event.kind == Kind::invoke) event.op = seq_;
  if (line_) {
    line_(to_line(event));
  } else {
    history_.events.push_back(std::move(event));
  }
}

std::int64_t HistoryWriter::invoke(std::string_view process, Call call) {
  const MutexLock lock(mutex_);
  if (!call.ns.empty()) namespaces_.insert(call.ns);
  for (const Asked& job : call.jobs) {
    if (!job.idempotency_key.empty()) keys_.insert({call.ns, job.idempotency_key});
  }
  for (const Setting& setting : call.settings) settings_.insert(setting.name);
  add({.kind = Kind::invoke, .process = std::string(process), .what = std::move(call)});
  return seq_;
}

void HistoryWriter::ok(std::int64_t op, Answer answer) {
  const MutexLock lock(mutex_);
  add({.kind = Kind::ok, .op = op, .what = std::move(answer)});
}

void HistoryWriter::fail(std::int64_t op, std::string_view code, std::optional<Instant> at) {
  Answer answer;
  answer.code = code;
  answer.at = at;
  const MutexLock lock(mutex_);
  add({.kind = Kind::fail, .op = op, .what = std::move(answer)});
}

void HistoryWriter::info(std::int64_t op, std::string_view why) {
  Answer answer;
  answer.code = why;
  const MutexLock lock(mutex_);
  add({.kind = Kind::info, .op = op, .what = std::move(answer)});
}

void HistoryWriter::nemesis(std::string_view what, std::string_view target,
                            std::optional<Instant> at) {
  const MutexLock lock(mutex_);
  add({.kind = Kind::nemesis,
       .what = Note{.word = std::string(what), .target = std::string(target), .at = at}});
}

void HistoryWriter::mark(std::string_view word, std::optional<Instant> at) {
  const MutexLock lock(mutex_);
  add({.kind = Kind::mark, .what = Note{.word = std::string(word), .at = at}});
}

template <class T>
void HistoryWriter::add_dump(T what, std::vector<T> History::*place) {
  const MutexLock lock(mutex_);
  if (line_) {
    line_(to_line(what));
  } else {
    (history_.*place).push_back(std::move(what));
  }
}

void HistoryWriter::dump(JobDump job) { add_dump(std::move(job), &History::jobs); }
void HistoryWriter::dump(KeyDump key) { add_dump(std::move(key), &History::keys); }
void HistoryWriter::dump(AuditEntry entry) { add_dump(std::move(entry), &History::audit); }
void HistoryWriter::dump(Listed dead) { add_dump(std::move(dead), &History::dead); }
void HistoryWriter::dump(DepthDump depth) { add_dump(std::move(depth), &History::depths); }
void HistoryWriter::dump(Finding finding) { add_dump(std::move(finding), &History::findings); }
void HistoryWriter::dump(PausedDump paused) { add_dump(std::move(paused), &History::paused); }
void HistoryWriter::dump(TokenDump token) { add_dump(std::move(token), &History::tokens); }
void HistoryWriter::dump(RuleSet rule) { add_dump(std::move(rule), &History::rules); }
void HistoryWriter::dump(Setting setting) { add_dump(std::move(setting), &History::settings); }

void HistoryWriter::dumped(Instant at) {
  const MutexLock lock(mutex_);
  if (line_) {
    line_(dumped_line(at));
  } else {
    history_.dumped_at = at;
  }
}

std::set<std::string> HistoryWriter::namespaces() {
  const MutexLock lock(mutex_);
  return namespaces_;
}

std::set<std::pair<std::string, std::string>> HistoryWriter::idempotency_keys() {
  const MutexLock lock(mutex_);
  return keys_;
}

std::set<std::string> HistoryWriter::settings() {
  const MutexLock lock(mutex_);
  return settings_;
}

History HistoryWriter::take() {
  const MutexLock lock(mutex_);
  seq_ = 0;
  namespaces_.clear();
  keys_.clear();
  settings_.clear();
  return std::exchange(history_, {});
}

}  // namespace longshore::checker
