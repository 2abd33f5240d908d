#include "unit/core/decision_text.h"

#include <cmath>
#include <sstream>
#include <utility>

#include "core/rules/lifecycle.h"

namespace longshore {
namespace {

std::string seconds_text(Duration duration) {
  const std::int64_t millis = duration.count();
  return millis % 1000 == 0 ? std::to_string(millis / 1000) + "s" : std::to_string(millis) + "ms";
}

// Describes everything a change does; each member function writes one kind of word.
class Describer {
 public:
  Describer(const Job& before, const Change& change, Instant now)
      : before_(before), after_(change.after), change_(change), now_(now) {}

  Answer all() {
    moves();
    counters();
    parts();
    waiting();
    ownership();
    marks();
    verdict();
    derived();
    unexplained();
    if (answer_.moves.empty() && answer_.effects.empty()) answer_.moves = "nothing";
    return std::move(answer_);
  }

 private:
  void say(std::string word) { answer_.effects.insert(std::move(word)); }
  void say_if(bool yes, std::string word) {
    if (yes) say(std::move(word));
  }

  void moves() {
    for (const Transition& move : change_.transitions) {
      if (!answer_.moves.empty()) answer_.moves += ' ';
      answer_.moves +=
          "-> " + std::string(to_text(move.to)) + " " + std::string(to_text(move.cause));
      const bool ours = move.worker == "system" || move.worker == "external";
      if (ours) say("as=" + move.worker);
      say_if(move.at != now_, "wrong-time");
    }
  }

  void counter(const char* name, std::int64_t was, std::int64_t is) {
    if (is == was) return;
    if (is < was) return say(std::string(name) + "=" + std::to_string(is));
    say(std::string(name) + "+" + std::to_string(is - was));
  }

  void counters() {
    counter("attempt", before_.attempt, after_.attempt);
    counter("epoch", before_.epoch, after_.epoch);
    counter("failures", before_.failures, after_.failures);
    counter("crashes", before_.crashes, after_.crashes);
    counter("retries", before_.retry_count, after_.retry_count);
    const auto moved = static_cast<std::int64_t>(change_.transitions.size());
    if (after_.version - before_.version != moved) {
      counter("version", before_.version + moved, after_.version);
    }
  }

  void parts() {
    if (change_.error) say("error=" + change_.error->code);
    say_if(change_.drop_error, "error=none");
    say_if(change_.list_error, "listed");
    say_if(change_.result.has_value(), "result");
    say_if(change_.drop_result, "result=none");
    say_if(change_.checkpoint.has_value(), "checkpoint");
    say_if(change_.drop_checkpoint, "checkpoint=none");
    say_if(!change_.log.empty(), "log");
    say_if(change_.body.has_value(), "body");
    say_if(change_.spawn.has_value(), "spawn");
  }

  // Computed independently of the code under test.
  bool is_backoff(Duration wait) const {
    const Backoff& backoff = after_.policy.backoff;
    double expected = backoff.base.in_seconds();
    if (backoff.kind == Backoff::Kind::exponential) expected *= std::pow(2, after_.failures - 1);
    return std::abs(wait.in_seconds() - expected) <= backoff.jitter * expected + 0.001;
  }

  void waiting() {
    if (after_.run_at != before_.run_at) {
      const Duration wait = after_.run_at - now_;
      say("run=" + (wait == Duration() ? "now"
                    : is_backoff(wait) ? "backoff"
                                       : seconds_text(wait)));
    }
    say_if(change_.place == Place::back, "back");
    say_if(change_.place == Place::front, "front");
  }

  std::string span_to(Instant at) const {
    return at == after_.deadline_at ? "deadline" : seconds_text(at - now_);
  }

  void ownership() {
    if (after_.deadline_at && after_.deadline_at != before_.deadline_at) {
      say("deadline=" + seconds_text(*after_.deadline_at - now_));
    }
    if (after_.lease_expires_at && after_.lease_expires_at != before_.lease_expires_at) {
      say("lease=" + span_to(*after_.lease_expires_at));
    }
    if (after_.heartbeat_due_at && after_.heartbeat_due_at != before_.heartbeat_due_at) {
      say("beat=" + span_to(*after_.heartbeat_due_at));
    }
  }

  void marks() {
    say_if(after_.cancel_requested && !before_.cancel_requested, "asked");
    say_if(before_.cancel_requested && !after_.cancel_requested && !is_terminal(after_.state),
           "asked=no");
    say_if(after_.withdrawn && !before_.withdrawn, "withdrawn");
    say_if(before_.withdrawn && !after_.withdrawn, "withdrawn=no");
    say_if(after_.progress && after_.progress != before_.progress, "progress");
    say_if(before_.progress && !after_.progress, "progress=none");
    say_if(after_.successor_id != before_.successor_id, "successor");
    say_if(after_.content != before_.content, "content");
    if (after_.settled == before_.settled) return;
    constexpr const char* kinds[] = {"complete", "fail", "release", "handOff"};
    say(after_.settled ? std::string("settled=") + kinds[static_cast<int>(after_.settled->kind)]
                       : "settled=none");
  }

  void verdict() {
    if (const auto* beaten = std::get_if<Beaten>(&change_.verdict)) {
      say("until=" + span_to(beaten->lease_expires_at));
      say_if(beaten->cancel_requested, "told");
    }
    const auto* settled = std::get_if<Settled>(&change_.verdict);
    if (settled == nullptr) return;
    const bool linked = after_.successor_id != before_.successor_id;
    const Settled expected{.job = linked ? *after_.successor_id : after_.id,
                           .status = linked ? Status::pending : status_of(after_),
                           .asked = after_.cancel_requested && !before_.cancel_requested};
    say_if(*settled != expected, "wrong-verdict");
  }

  static bool is_held(State state) { return state == State::running || state == State::waiting; }

  // What must follow from the moves and therefore has no word.
  void derived() {
    bool claimed = false;
    // A claim that only withdraws the job starts nothing.
    const auto starts = [&](const Transition& move) {
      return move.worker != "system" || !after_.withdrawn || after_.settled;
    };
    for (const Transition& move : change_.transitions) {
      claimed |= move.cause == Cause::claim && starts(move);
    }
    const bool moved = !change_.transitions.empty();
    const std::optional<Instant> started = claimed ? now_ : before_.started_at;
    say_if(after_.started_at != started, "wrong-startedAt");
    say_if(
        after_.first_started_at != (before_.first_started_at ? before_.first_started_at : started),
        "wrong-firstStartedAt");
    const bool ends = moved && is_terminal(after_.state);
    const bool was_ended = is_terminal(before_.state);
    say_if(ends && after_.completed_at != now_, "wrong-completedAt");
    say_if(!ends && !(was_ended && moved) && after_.completed_at != before_.completed_at,
           "wrong-completedAt");
    const bool left = is_held(before_.state) && !is_held(after_.state);
    const Duration ran = left ? now_ - *before_.started_at : Duration();
    say_if(after_.execution - before_.execution != ran, "wrong-execution");
    const bool silent = after_.version == before_.version || (was_ended && !moved);
    say_if(after_.updated_at != (silent ? before_.updated_at : now_), "wrong-updatedAt");
    say_if(after_.history_count - before_.history_count != std::ssize(change_.transitions),
           "wrong-historyCount");
  }

  void unexplained() {
    Job rest = after_;
    rest.state = before_.state;
    rest.version = before_.version;
    rest.history_count = before_.history_count;
    rest.updated_at = before_.updated_at;
    rest.run_at = before_.run_at;
    rest.started_at = before_.started_at;
    rest.first_started_at = before_.first_started_at;
    rest.completed_at = before_.completed_at;
    rest.execution = before_.execution;
    rest.cancel_requested = before_.cancel_requested;
    rest.withdrawn = before_.withdrawn;
    rest.progress = before_.progress;
    rest.successor_id = before_.successor_id;
    rest.content = before_.content;
    rest.attempt = before_.attempt;
    rest.failures = before_.failures;
    rest.crashes = before_.crashes;
    rest.retry_count = before_.retry_count;
    rest.epoch = before_.epoch;
    rest.claim = before_.claim;
    rest.worker = before_.worker;
    rest.lease = before_.lease;
    rest.lease_expires_at = before_.lease_expires_at;
    rest.deadline_at = before_.deadline_at;
    rest.heartbeat_due_at = before_.heartbeat_due_at;
    rest.settled = before_.settled;
    say_if(rest != before_, "unexplained");
  }

  const Job& before_;
  const Job& after_;
  const Change& change_;
  Instant now_;
  Answer answer_;
};

Answer describe_replay(const Job& job, const Replay& replay) {
  const auto* settled = std::get_if<Settled>(&replay.verdict);
  if (settled == nullptr) return {.moves = "again something else"};
  std::string text = "again " + std::string(to_text(settled->status));
  if (settled->asked) text += " asked";
  if (settled->job != job.id) text += settled->job == job.successor_id ? " of=successor" : " of=?";
  return {.moves = text};
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

std::string to_text(const Answer& answer) {
  std::string text = answer.moves;
  if (!answer.effects.empty()) text += " ;";
  for (const std::string& word : answer.effects) text += " " + word;
  return text;
}

Answer parse_answer(const std::string& text) {
  const std::size_t semicolon = text.find(';');
  Answer answer{.moves = trimmed(text.substr(0, semicolon))};
  if (semicolon == std::string::npos) return answer;
  std::istringstream words(text.substr(semicolon + 1));
  for (std::string word; words >> word;) answer.effects.insert(word);
  return answer;
}

Answer describe(const Job& before, const Decision& decision, Instant now) {
  if (const auto* refusal = std::get_if<Refusal>(&decision)) {
    return {.moves = "refused " + std::string(to_text(refusal->code))};
  }
  if (const auto* replay = std::get_if<Replay>(&decision)) return describe_replay(before, *replay);
  return Describer(before, std::get<Change>(decision), now).all();
}

}  // namespace longshore
