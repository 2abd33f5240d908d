#include "core/record/state_filter.h"

#include <algorithm>
#include <array>

#include "core/policy/profile_words.h"

namespace longshore {
namespace {

using Matches = std::vector<StateMatch>;

constexpr std::array statuses = {Status::pending, Status::running, Status::completed,
                                 Status::failed, Status::canceled};

State state_at(int index) { return static_cast<State>(index); }

Matches states_of(Status status) {
  if (status == Status::failed) return {{.state = State::dead, .withdrawn = false}};
  if (status == Status::canceled) {
    return {{.state = State::canceled}, {.state = State::dead, .withdrawn = true}};
  }
  Matches matches;
  for (int i = 0; i < state_count; ++i) {
    if (status_of(state_at(i)) == status) matches.push_back({.state = state_at(i)});
  }
  return matches;
}

std::optional<Matches> own_states_called(std::string_view word) {
  const std::optional<State> state = parse_state(word);
  // CANCELED is also a status: some profiles keep a canceled job as DEAD.
  if (state && state != State::canceled) return Matches{{.state = *state}};
  for (const Status status : statuses) {
    if (to_text(status) == word) return states_of(status);
  }
  return std::nullopt;
}

bool is_called(std::string_view word, std::string_view profile, State state, bool started) {
  const std::optional<ProfileWord> named = profile_word(profile, state, started);
  if (!named) return false;
  return named->word == word || (named->number && std::to_string(*named->number) == word);
}

Matches profile_states_called(std::string_view word, std::string_view profile) {
  Matches matches;
  for (int i = 0; i < state_count; ++i) {
    const State state = state_at(i);
    const bool before_start = is_called(word, profile, state, false);
    const bool after_start = is_called(word, profile, state, true);
    if (!before_start && !after_start) continue;
    matches.push_back({.state = state});
    if (before_start != after_start) matches.back().started = after_start;
  }
  return matches;
}

// True if the profile uses our name for the same state; the filter then means our state.
bool is_own_word(const Matches& matches, std::string_view word) {
  return matches.size() == 1 && to_text(matches.front().state) == word;
}

void append(std::string& text, std::string_view word) {
  if (!text.empty()) text += ", ";
  text += word;
}

bool matches_job(const StateMatch& match, const Job& job) {
  return match.state == job.state && match.withdrawn.value_or(job.withdrawn) == job.withdrawn &&
         match.started.value_or(job.attempt > 0) == (job.attempt > 0);
}

}  // namespace

bool matches(std::span<const StateMatch> states, const Job& job) {
  if (states.empty()) return true;
  return std::ranges::any_of(states, [&](const StateMatch& one) { return matches_job(one, job); });
}

std::optional<Matches> states_called(std::string_view word, std::string_view profile) {
  Matches named = profile_states_called(word, profile);
  if (!named.empty() && !is_own_word(named, word)) return named;
  return own_states_called(word);
}

std::optional<Matches> read_states(std::string_view words, std::string_view profile) {
  Matches all;
  while (true) {
    const std::size_t comma = words.find(',');
    const std::optional<Matches> some = states_called(words.substr(0, comma), profile);
    if (!some) return std::nullopt;
    all.insert(all.end(), some->begin(), some->end());
    if (comma == std::string_view::npos) return all;
    words.remove_prefix(comma + 1);
  }
}

std::string state_words_text(std::string_view profile) {
  std::string own;
  std::string named;
  for (int i = 0; i < state_count; ++i) {
    append(own, to_text(state_at(i)));
    const std::string_view word =
        profile_word(profile, state_at(i), false).value_or(ProfileWord()).word;
    if (!parse_state(word) && !named.contains(word)) append(named, word);
  }
  for (const Status status : statuses) {
    if (!parse_state(to_text(status))) append(own, to_text(status));
  }
  return named.empty() ? own : named + ", " + own;
}

Matches dead_letters_among(const Matches& states) {
  const StateMatch letters{.state = State::dead, .withdrawn = false};
  if (states.empty()) return {letters};
  Matches dead;
  for (const StateMatch& match : states) {
    if (match.state != State::dead || match.withdrawn.value_or(false)) continue;
    dead.push_back(match);
    dead.back().withdrawn = false;
  }
  return dead;
}

Matches live_states_among(const Matches& states) {
  Matches live;
  for (const StateMatch& match : states) {
    if (!is_terminal(match.state)) live.push_back(match);
  }
  if (!states.empty()) return live;
  for (int i = 0; i < state_count; ++i) {
    if (!is_terminal(state_at(i))) live.push_back({.state = state_at(i)});
  }
  return live;
}

}  // namespace longshore
