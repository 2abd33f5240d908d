#include "cli/client/filter.h"

#include <ranges>

#include "cli/advice.h"
#include "cli/terminal/figures.h"
#include "core/record/state_filter.h"
#include "core/text/time_text.h"
#include "longshore/json.h"
#include "server/settings/duration_text.h"

namespace longshore {
namespace {

struct FilterFlag {
  Flag flag;
  std::string_view member;
  bool time = false;
};

using Kind = Flag::Kind;

// States and public statuses; with --view also the state names of that profile.
const std::vector<std::string_view> state_words = {"CREATED",  "SCHEDULED", "QUEUED",    "RUNNING",
                                                   "WAITING",  "RETRY",     "SUCCESS",   "DEAD",
                                                   "CANCELED", "PENDING",   "COMPLETED", "FAILED"};

const std::vector<FilterFlag>& filter_flags() {
  static const std::vector<FilterFlag> table = {
      {{"--state", "in one of these states, separated by commas", Kind::text, "STATES", state_words,
        true},
       "state"},
      {{"--type", "of this job type", Kind::text, "TYPE"}, "jobType"},
      {{"--queue", "in this queue", Kind::text, "NAME"}, "queue"},
      {{"--tag", "with this tag", Kind::text, "TEXT"}, "tag"},
      {{"--job-key", "with this job key", Kind::text, "KEY"}, "jobKey"},
      {{"--idempotency-key", "with this idempotency key", Kind::text, "KEY"}, "idempotencyKey"},
      {{"--error", "whose latest error contains this text", Kind::text, "TEXT"}, "error"},
      {{"--created-after", "created at or after this time: RFC 3339, or an age such as 2h",
        Kind::text, "TIME"},
       "createdAfter",
       true},
      {{"--created-before", "created before this time: RFC 3339, or an age such as 2h", Kind::text,
        "TIME"},
       "createdBefore",
       true},
  };
  return table;
}

std::optional<std::string> read_moment(const std::string& text) {
  if (const auto at = parse_time(text)) return to_text(*at);
  const auto ago = parse_duration(text);
  if (!ago || *ago == Duration::forever()) return std::nullopt;
  return to_text(wall_now() - *ago);
}

// Converts each word to the server's spelling.
Result<std::string> read_state_words(const std::string& text, const std::string& view) {
  std::string states;
  for (const auto part : std::views::split(text, ',')) {
    const std::string word(part.begin(), part.end());
    // An exact match is kept: some state names of profiles differ from ours only in letter case.
    const bool exact = states_called(word, view).has_value();
    const Result<std::string> known = exact ? word : known_word("--state", word, state_words);
    if (!known) return known.error();
    states += (states.empty() ? "" : ",") + *known;
  }
  return states;
}

}  // namespace

std::vector<Flag> with_filter_flags(std::vector<Flag> others) {
  std::vector<Flag> flags;
  for (const FilterFlag& known : filter_flags()) flags.push_back(known.flag);
  flags.insert(flags.end(), others.begin(), others.end());
  return flags;
}

Result<Filter> read_filter(const Invocation& invocation) {
  Filter filter;
  const std::string view = invocation.flag("--view").value_or("");
  if (!view.empty()) filter.members.emplace_back("view", view);
  for (const FilterFlag& known : filter_flags()) {
    auto value = invocation.flag(known.flag.name);
    if (!value) continue;
    if (known.time) {
      const auto moment = read_moment(*value);
      if (!moment) {
        return Error{Errc::invalid,
                     std::string(known.flag.name) +
                         " must be a time, such as 2026-11-15T08:00:00Z, or an age, such as 2h"};
      }
      value = moment;
    }
    if (known.flag.several) {
      Result<std::string> states = read_state_words(*value, view);
      if (!states) return states.error();
      value = std::move(*states);
    }
    filter.members.emplace_back(known.member, std::move(*value));
  }
  return filter;
}

std::string Filter::query() const {
  std::string text;
  for (const auto& [name, value] : members) {
    text += (text.empty() ? "" : "&") + name + "=" + escaped(value);
  }
  return text;
}

std::string Filter::json() const {
  JsonWriter json;
  json.begin_object();
  for (const auto& [name, value] : members) {
    json.name(name);
    json.string(value);
  }
  json.end_object();
  return json.take();
}

}  // namespace longshore
