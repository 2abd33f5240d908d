// The rules that a store records: those in force, the revision of each source, and what it needs of
// earlier rules. Stored as one text.
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
  // The policy that the store was created with. Constant, because stored jobs with this policy omit
  // it.
  Policy usual;
  // The highest max_crashes that this store ever had; none: unlimited. For audits, because jobs may
  // have crashed under earlier rules.
  std::optional<int> crashes_ever;

  // Rules that every job of the store satisfies.
  Rules for_audit() const;
  friend bool operator==(const RulesRecord&, const RulesRecord&) = default;
};

// For a new store.
RulesRecord first_record(const Rules& rules);

std::string record_text(const RulesRecord& record);
// Also reads the format of version 0.1, which has only the rules. None for other text.
std::optional<RulesRecord> parse_record(std::string_view text);

// The record of a store that is opened with these rules. Errc::refused if rules differ that its
// profile fixes, or if a newer Longshore wrote the text; the message begins with `store` and ends
// with `otherwise`, an alternative for the user such as "use another file".
Result<RulesRecord> agree_on_rules(std::string_view text, const Rules& asked,
                                   const std::string& store, const std::string& otherwise);

// The record after the command.
std::variant<Refusal, RulesRecord> decide_rules(const RulesRecord& stored, const SetRules& set);
// The target of the audit entry: "default 5: timeoutSeconds 1800 to 60".
std::string audit_target(const RulesRecord& from, const RulesRecord& to, const SetRules& set);

// A node's copy of the record. Safe to share between threads.
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
  // Does nothing if the record is no longer `known`.
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
