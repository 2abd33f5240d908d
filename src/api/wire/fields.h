// Reads the members of a JSON object strictly: a wrong type, a value out of range or an unknown
// member is a fault that names the field. No value is clamped or guessed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/wire/faults.h"
#include "core/json/json_scan.h"
#include "core/rules/limits.h"
#include "longshore/time.h"

namespace longshore {

// A range of seconds, fractions included.
struct SecondsRange {
  double least = 0;
  double most = 0;
  const char* otherwise = "";  // the fault of any other value: "must be from 1 to 86400 seconds"
};

inline constexpr SecondsRange delay_range = {0, delay_max.in_seconds(),
                                             "must be from 0 to 315576000000 seconds"};
// Half a millisecond is the least that does not round to 0.
inline constexpr SecondsRange timeout_range = {
    0.0005, delay_max.in_seconds(),
    "must be more than 0 and at most 315576000000 seconds, with millisecond resolution"};
inline constexpr SecondsRange lease_range = {1, lease_seconds_max,
                                             "must be from 1 to 86400 seconds"};
inline constexpr SecondsRange wait_range = {0, wait_seconds_max, "must be from 0 to 60 seconds"};
inline constexpr SecondsRange retry_after_range = {0, retry_after_seconds_max,
                                                   "must be from 0 to 2592000 seconds, 30 days"};
static_assert(delay_max == Duration::seconds(315'576'000'000) && lease_seconds_max == 86'400 &&
              wait_seconds_max == 60 && retry_after_seconds_max == 2'592'000);

// The members of one object. Every reader returns nothing if the member is absent, and records a
// fault if it is wrong; finish() records the members that were never read.
class Fields {
 public:
  // Slices point into the request's body, which must outlive this.
  Fields(Faults& faults, std::string prefix, std::vector<JsonMember> members);

  bool has(std::string_view name) const;
  // A fault if it is absent.
  bool require(std::string_view name);

  // Returns what is wrong with a text, as a sentence; nothing if it is valid.
  using TextFault = std::optional<std::string> (*)(std::string_view);
  std::optional<std::string> text(std::string_view name, TextFault fault = nullptr);
  std::optional<bool> boolean(std::string_view name);
  std::optional<std::int64_t> integer(std::string_view name, std::int64_t least, std::int64_t most);
  std::optional<double> number(std::string_view name, double least, double most);
  std::optional<Duration> seconds(std::string_view name, const SecondsRange& range);
  std::optional<Instant> time(std::string_view name);
  // Any JSON, byte for byte. TOO_LARGE beyond `bytes_max`.
  std::optional<std::string> json(std::string_view name, std::size_t bytes_max);
  std::optional<Fields> object(std::string_view name);
  // `place` is such as "queues[2]".
  struct Element {
    std::string place;
    JsonSlice slice;
  };
  std::optional<std::vector<Element>> array(std::string_view name, std::size_t least,
                                            std::size_t most);
  std::optional<std::vector<std::string>> texts(std::string_view name, std::size_t least,
                                                std::size_t most, TextFault fault);
  // The member as it is. Counts as read.
  const JsonSlice* slice(std::string_view name);

  // An object that is not a member of this one.
  static std::optional<Fields> of(Faults& faults, std::string place, const JsonSlice& slice);
  const std::vector<JsonMember>& members() const { return members_; }
  void ask_for_all();  // accepts every member

  void invalid(std::string_view name, std::string detail);
  // The path of a member; without a name, of the object itself.
  std::string place(std::string_view name) const;
  Faults& faults() { return *faults_; }

  // Records each member that was never read as unknown, once.
  void finish();

 private:
  std::optional<std::string> checked_text(const std::string& place, const JsonSlice& slice,
                                          TextFault fault);

  Faults* faults_;
  std::string prefix_;  // "backoff."
  std::vector<JsonMember> members_;
  std::vector<bool> asked_;
};

}  // namespace longshore
