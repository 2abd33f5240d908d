// What a store records of its rules: those in force, which revision of each source they come from,
// and what has to be remembered of earlier ones. Kept as one text.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/sync/mutex.h"
#include "longshore/command.h"
#include "longshore/error.h"
#include "longshore/rules.h"

namespace longshore {

struct RulesRecord : StoredRules {
  // The policy that the store was made with. Jobs that have it may leave it out, so it stays.
  Policy usual;
  // The most lost leases that a job was ever allowed here; none: any number. For audits, since jobs
  // keep what happened to them under earlier rules.
  std::optional<int> crashes_ever;

  // Rules that every job of the store has obeyed.
  Rules for_audit() const;
  friend bool operator==(const RulesRecord&, const RulesRecord&) = default;
};

// Of a new store.
RulesRecord first_record(const Rules& rules);

std::string record_text(const RulesRecord& record);
// Reads also what version 0.1 wrote, which is the rules alone. Nothing for any other text.
std::optional<RulesRecord> parse_record(std::string_view text);

// The record of a store that is opened with these rules. Errc::refused if what its profile fixes
// differs, or if the text is a newer Longshore's; the message begins with `store` and ends with
// `otherwise`, what else its user may do: "name another file".
Result<RulesRecord> agree_on_rules(std::string_view text, const Rules& asked,
                                   const std::string& store, const std::string& otherwise);

// The record after the command, which is the same if it changes nothing.
std::variant<Refusal, RulesRecord> decide_rules(const RulesRecord& stored, const SetRules& set);
// What the audit trail says of it: "default 5: timeoutSeconds 1800 to 60".
std::string audit_target(const RulesRecord& from, const RulesRecord& to, const SetRules& set);

// The record as one node knows it. Safe to share between threads.
class RulesCopy {
 public:
  explicit RulesCopy(RulesRecord record)
      : record_(std::make_shared<const RulesRecord>(std::move(record))) {}

  std::shared_ptr<const RulesRecord> get() const {
    MutexLock lock(mutex_);
    return record_;
  }
  void put(RulesRecord record) {
    auto next = std::make_shared<const RulesRecord>(std::move(record));
    MutexLock lock(mutex_);
    record_ = std::move(next);
  }
  // Unless something newer than `known` came meanwhile.
  void put_after(const std::shared_ptr<const RulesRecord>& known, RulesRecord record) {
    auto next = std::make_shared<const RulesRecord>(std::move(record));
    MutexLock lock(mutex_);
    if (record_ == known) record_ = std::move(next);
  }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const RulesRecord> record_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
