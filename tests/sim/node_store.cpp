#include <algorithm>

#include "checker/calls.h"
#include "sim/node.h"

namespace longshore::sim {
namespace {

Error out_of_reach() { return {Errc::unavailable, "the store did not answer"}; }

bool is_chore(const Command& command) {
  return std::holds_alternative<Due>(command) || std::holds_alternative<Reap>(command) ||
         std::holds_alternative<Sweep>(command) || std::holds_alternative<Prune>(command);
}

std::pair<RequestId, JobId> lease_of(const Release& release) {
  return {release.token.claim, release.job};
}

}  // namespace

Result<Committed> NodeStore::commit(std::span<const Command> commands) {
  const Harm& harm = world_.setup.harm;
  world_.note(node_.name(), "commits", commands.size(), commands.front().index());
  const std::vector<std::int64_t> own = record_own(commands);
  world_.scheduler.pass();
  if (world_.unlucky(harm.commit_slow))
    world_.scheduler.let_pass(world_.millis_between(500, 6'000));
  Result<Committed> outcome = out_of_reach();
  if (!world_.unlucky(harm.commit_lost)) {
    outcome = reach(commands);
    if (outcome) note_releases(commands, own, *outcome);
    if (outcome) spread_hints(*outcome);
    world_.scheduler.let_pass(world_.travel());
    if (world_.unlucky(harm.commit_slow)) {
      world_.scheduler.let_pass(world_.millis_between(500, 6'000));
    }
    if (outcome && world_.unlucky(harm.answer_lost)) outcome = out_of_reach();
  }
  record_answers(own, outcome);
  has_failed_ = has_failed_ || !outcome;
  world_.note(node_.name(), "committed", commands.size(), outcome ? 1 : 0);
  return outcome;
}

Result<Committed> NodeStore::reach(std::span<const Command> commands) {
  if (world_.setup.planted == Planted::answers_before_the_store) return answer_early(commands);
  if (world_.setup.planted == Planted::chores_end_with_an_error && has_failed_) {
    Committed nothing{.at = world_.clock.now()};
    for (const Command& command : commands) {
      if (is_chore(command)) {
        nothing.verdicts.emplace_back(Swept{});
        continue;
      }
      Result<Committed> one = world_.host->backend().store().commit({&command, 1});
      if (!one) return one;
      nothing.verdicts.push_back(std::move(one->verdicts.front()));
      for (JobEvent& events : one->events) nothing.events.push_back(std::move(events));
    }
    return nothing;
  }
  if (world_.setup.planted == Planted::releases_what_another_brought) return reach_rashly(commands);
  Result<Committed> outcome = world_.host->backend().store().commit(commands);
  const bool mixing = world_.setup.planted == Planted::mixes_up_answers;
  if (mixing && outcome && commands.size() > 1 && world_.chance(0.05)) {
    std::swap(outcome->verdicts[0], outcome->verdicts[1]);
  }
  if (!outcome && world_.host->is_broken()) {
    world_.note(node_.name(), "has a broken store");
    // This wire ends with the node; the node itself stays.
    world_.scheduler.outside([&node = node_] {
      node.crash(false);
      node.boot(Duration::millis(200));
    });
  }
  return outcome;
}

// The injected defect: releases a lease that could not be delivered, even if a worker has it.
Result<Committed> NodeStore::reach_rashly(std::span<const Command> commands) {
  std::vector<Command> rash(commands.begin(), commands.end());
  for (Command& command : rash) {
    if (auto* release = std::get_if<Release>(&command)) release->heard.reset();
  }
  return world_.host->backend().store().commit(rash);
}

// The planted mistake: what was asked for last time is done now, and what is asked for now will
// be done next time.
Result<Committed> NodeStore::answer_early(std::span<const Command> commands) {
  Store& store = world_.host->backend().store();
  if (!not_yet_said_.empty()) {
    const std::vector<Command> late = std::exchange(not_yet_said_, {});
    const Result<Committed> ignored = store.commit(late);
    if (!ignored) return ignored.error();
  }
  const auto* enqueue = std::get_if<Enqueue>(&commands.front());
  if (commands.size() != 1 || enqueue == nullptr) return store.commit(commands);
  not_yet_said_.assign(commands.begin(), commands.end());
  Enqueued enqueued;
  for (const NewJob& job : enqueue->jobs) enqueued.jobs.push_back({.id = job.id});
  return Committed{.verdicts = {enqueued}, .at = world_.clock.now()};
}

// ---- What the engine says of its own accord ---------------------------------------------------

std::vector<std::int64_t> NodeStore::record_own(std::span<const Command> commands) {
  std::vector<std::int64_t> ops;
  for (const Command& command : commands) {
    const auto* release = std::get_if<Release>(&command);
    const bool own = release != nullptr && !world_.given_back.contains(lease_of(*release));
    if (own && ops.empty()) ops.resize(commands.size());
    if (!own) continue;
    const auto index = static_cast<std::size_t>(&command - commands.data());
    ops[index] = world_.writer.invoke(node_.name(), checker::call_of(command));
  }
  return ops;
}

void NodeStore::record_answers(const std::vector<std::int64_t>& ops,
                               const Result<Committed>& outcome) {
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i] == 0) continue;
    if (!outcome) {
      world_.writer.info(ops[i]);
      continue;
    }
    const Verdict& verdict = outcome->verdicts[i];
    if (const Refusal* refusal = std::get_if<Refusal>(&verdict)) {
      world_.writer.fail(ops[i], to_text(refusal->code), outcome->at);
      continue;
    }
    checker::Answer answer = checker::answer_of(verdict);
    answer.at = outcome->at;
    world_.writer.ok(ops[i], std::move(answer));
  }
}

void NodeStore::note_releases(std::span<const Command> commands,
                              const std::vector<std::int64_t>& ops, const Committed& committed) {
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i] == 0 || !std::holds_alternative<Settled>(committed.verdicts[i])) continue;
    const auto& release = std::get<Release>(commands[i]);
    world_.note_released(release.job, release.token);
  }
}

// ---- Hints ------------------------------------------------------------------------------------

void NodeStore::spread_hints(const Committed& committed) {
  const bool worth_it = std::ranges::any_of(
      committed.events, [](const JobEvent& one) { return one.transition.to == State::queued; });
  if (!worth_it) return;
  for (const auto& other : world_.nodes) {
    if (other.get() == &node_ || world_.chance(world_.setup.harm.hint_lost)) continue;
    other->hint();
  }
}

}  // namespace longshore::sim
