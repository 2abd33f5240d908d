// Records a history: callers of a store report each call before and after.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/history.h"
#include "core/sync/mutex.h"
#include "longshore/catalog.h"

namespace longshore::checker {

// Safe to share between threads. The order of the calls is the order of the history, so call
// invoke() before sending the request and ok(), fail() or info() after receiving the reply.
class HistoryWriter {
 public:
  using Line = std::function<void(std::string_view)>;

  // Keeps everything in memory, for take().
  HistoryWriter() = default;
  // Passes each record to `line` as JSON with a newline, and keeps nothing. A line is written
  // before the call returns, so the records of a killed process are complete.
  explicit HistoryWriter(Line line) : line_(std::move(line)) {}

  // Returns the number that matches the return with it.
  std::int64_t invoke(std::string_view process, Call call);
  void ok(std::int64_t op, Answer answer);
  // Refused: certainly not applied.
  void fail(std::int64_t op, std::string_view code, std::optional<Instant> at = {});
  // Unknown whether it was applied.
  void info(std::int64_t op, std::string_view why = "unavailable");
  void nemesis(std::string_view what, std::string_view target, std::optional<Instant> at = {});
  // "heal": no more faults. "end": the clients stopped. "copied": the store was copied; a later
  // nemesis "set back" means that the copy replaced the store, which undid everything in between.
  // If either takes time, "copying" and "setting back" mark its start.
  void mark(std::string_view word, std::optional<Instant> at = {});

  void dump(JobDump job);
  void dump(KeyDump key);
  void dump(AuditEntry entry);
  void dump(Listed dead);
  void dump(DepthDump depth);
  void dump(Finding finding);
  void dump(PausedDump paused);
  void dump(TokenDump token);
  void dump(RuleSet rule);
  void dump(Setting setting);
  void dumped(Instant at);

  // The namespaces, client idempotency keys and rules of the store named so far.
  std::set<std::string> namespaces();
  std::set<std::pair<std::string, std::string>> idempotency_keys();
  std::set<std::string> settings();

  // Returns the recorded history and clears the writer.
  History take();

 private:
  void add(Event event);  // REQUIRES: mutex_ is held
  template <class T>
  void add_dump(T what, std::vector<T> History::*place);

  const Line line_;
  Mutex mutex_;
  History history_ LONGSHORE_GUARDED_BY(mutex_);
  std::int64_t seq_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  std::set<std::string> namespaces_ LONGSHORE_GUARDED_BY(mutex_);
  std::set<std::pair<std::string, std::string>> keys_ LONGSHORE_GUARDED_BY(mutex_);
  std::set<std::string> settings_ LONGSHORE_GUARDED_BY(mutex_);
};

// Writes the final state of a store. Errors of the catalog are returned: the dump is then
// incomplete and proves nothing.
Result<Nothing> dump_store(Catalog& catalog, HistoryWriter& writer);

}  // namespace longshore::checker
