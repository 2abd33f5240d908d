#include "sim/setup.h"

#include <fmt/format.h>

#include <array>

#include "core/policy/profiles.h"

namespace longshore::sim {
namespace {

Duration between(Random& random, std::int64_t least_millis, std::int64_t most_millis) {
  const auto span = static_cast<std::uint64_t>(most_millis - least_millis + 1);
  return Duration::millis(least_millis + static_cast<std::int64_t>(random.below(span)));
}

int between_ints(Random& random, int least, int most) {
  return least + static_cast<int>(random.below(static_cast<std::uint64_t>(most - least + 1)));
}

// 0 in half of all setups, and random otherwise.
double odds(Random& random, double most) {
  return random.chance(0.5) ? 0 : most * random.fraction();
}

// Longer than a message can be in flight: an enqueue that is repeated after its job was pruned
// creates the job again.
Duration shortened(Random& random, Duration kept) {
  return kept == Duration::forever() ? kept : between(random, 40'000, 80'000);
}

std::string any_profile(Random& random) {
  const auto names = profile_names();
  return std::string(random.chance(0.4) ? names[0] : names[random.below(names.size())]);
}

// A profile with times that fit into a minute, and some of its options changed.
Rules make_rules(Random& random, bool gentle) {
  Rules rules = profile(any_profile(random)).value_or(Rules());
  rules.lease_is_timeout = rules.lease_is_timeout && !gentle;
  rules.lease = gentle ? Duration::seconds(300) : between(random, 1'000, 6'000);
  rules.policy.timeout = gentle ? Duration::seconds(300) : between(random, 3'000, 12'000);
  rules.sweep_every = between(random, 100, 1'000);
  rules.accept_after = between(random, 200, 3'000);
  rules.retention.success = shortened(random, rules.retention.success);
  rules.retention.canceled = shortened(random, rules.retention.canceled);
  rules.key_outlives_job = between(random, 1'000'000, 2'000'000);
  if (rules.max_crashes) rules.max_crashes = between_ints(random, 0, 4);
  if (rules.claim_limit > 1) rules.claim_limit = between_ints(random, 1, 6);
  if (random.chance(0.15)) rules.max_crashes.reset();
  if (random.chance(0.15)) rules.accept = Rules::Accept::two_phase;
  if (random.chance(0.15)) rules.cancel_path = Rules::CancelPath::system_claim;
  if (random.chance(0.15)) rules.on_lease_lost = Rules::OnLeaseLost::count_failure;
  if (random.chance(0.1)) rules.recover_on_start = Rules::RecoverOnStart::own_workers;
  return rules;
}

// Small enough to be reached.
CommitLimits make_limits(Random& random) {
  CommitLimits limits;
  if (random.chance(0.4)) limits.jobs_per_commit = 1 + random.below(8);
  if (random.chance(0.2)) limits.bytes_per_commit = 1 + random.below(200);
  if (random.chance(0.3)) limits.jobs_waiting = 4 + random.below(28);
  if (random.chance(0.1)) limits.bytes_waiting = 100 + random.below(400);
  return limits;
}

Harm make_harm(Random& random, bool gentle) {
  Harm harm;
  harm.request_lost = odds(random, 0.1);
  harm.reply_lost = odds(random, 0.1);
  harm.commit_lost = odds(random, 0.05);
  harm.answer_lost = odds(random, 0.05);
  harm.hint_lost = random.chance(0.3) ? 1 : random.fraction();
  harm.shift_nodes = random.chance(0.5);
  harm.every = between(random, 500, 6'000);
  if (gentle) return harm;
  harm.reply_late = odds(random, 0.05);
  harm.commit_slow = odds(random, 0.05);
  harm.fall_silent = odds(random, 0.15);
  harm.crash_nodes = random.chance(0.5);
  harm.stop_nodes = random.chance(0.3);
  harm.pause_nodes = random.chance(0.4);
  harm.kill_workers = random.chance(0.4);
  harm.pause_workers = random.chance(0.4);
  harm.shift_store = random.chance(0.3);
  harm.break_disks = random.chance(0.5);
  return harm;
}

std::string wide_text(const Wide& wide) {
  if (!wide.on) return " narrow";
  return fmt::format(" wide {}{}{}{}{}{}{}{}", int{wide.reconfigures}, int{wide.sets_rules},
                     int{wide.bulk}, int{wide.tokens}, int{wide.claims_again},
                     int{wide.settles_together}, int{wide.set_back}, int{wide.polls});
}

}  // namespace

std::string_view to_text(Planted planted) {
  constexpr std::array<std::string_view, planted_count> words = {"nothing",
                                                                 "keeps-the-job-of-one-who-left",
                                                                 "retries-a-claim-as-a-new-one",
                                                                 "chores-end-with-an-error",
                                                                 "answers-before-the-store",
                                                                 "mixes-up-answers",
                                                                 "starts-without-a-word",
                                                                 "releases-what-another-brought"};
  return words[static_cast<std::size_t>(planted)];
}

Setup make_setup(std::uint64_t seed, HostKind host, Random& random) {
  Setup setup{.seed = seed, .host = host};
  setup.gentle = random.chance(0.12);
  setup.rules = make_rules(random, setup.gentle);
  setup.limits = make_limits(random);
  setup.harm = make_harm(random, setup.gentle);
  setup.nodes = between_ints(random, 1, 3);
  // A store that is not shared has one node, and so has one whose rules let a starting node recover
  // every running job.
  const bool alone = host == HostKind::sqlite ||
                     setup.rules.recover_on_start == Rules::RecoverOnStart::every_running;
  if (alone) setup.nodes = 1;
  setup.committers = host == HostKind::sqlite ? 1 : between_ints(random, 1, 2);
  setup.workers = between_ints(random, 2, 4);
  setup.producers = between_ints(random, 2, 4);
  setup.jobs = between_ints(random, 10, 60);
  setup.chaos = between(random, 5'000, 40'000);
  return setup;
}

Wide make_wide(const Setup& setup, Random& random) {
  Wide wide{.on = true};
  wide.reconfigures = random.chance(0.6);
  wide.sets_rules = random.chance(0.4) && !setup.gentle;
  wide.bulk = random.chance(0.6);
  wide.tokens = random.chance(0.5);
  wide.claims_again = random.chance(0.5);
  wide.settles_together = random.chance(0.5);
  wide.set_back = random.chance(0.4) && !setup.gentle;
  wide.polls = random.chance(0.6);
  return wide;
}

std::string to_text(const Setup& setup) {
  const Rules& rules = setup.rules;
  const Harm& harm = setup.harm;
  return fmt::format(
      "seed {} {} profile {} nodes {}x{} workers {} producers {} jobs {} chaos {} ms{}\n"
      "  lease {} timeout {} sweep {} limits {}/{} {}/{} claim {} crashes {}\n"
      "  net {:.2f} {:.2f} {:.2f} store {:.2f} {:.2f} {:.2f} hints {:.2f} silent {:.2f}"
      " nodes {}{}{}{} workers {}{} store {}{} every {} ms planted {}{}",
      setup.seed, setup.host == HostKind::memory ? "memory" : "sqlite", rules.profile, setup.nodes,
      setup.committers, setup.workers, setup.producers, setup.jobs, setup.chaos.count(),
      setup.gentle ? " gentle" : "", rules.lease.count(), rules.policy.timeout.count(),
      rules.sweep_every.count(), setup.limits.jobs_per_commit, setup.limits.bytes_per_commit,
      setup.limits.jobs_waiting, setup.limits.bytes_waiting, rules.claim_limit,
      rules.max_crashes.value_or(-1), harm.request_lost, harm.reply_lost, harm.reply_late,
      harm.commit_lost, harm.answer_lost, harm.commit_slow, harm.hint_lost, harm.fall_silent,
      int{harm.crash_nodes}, int{harm.stop_nodes}, int{harm.pause_nodes}, int{harm.shift_nodes},
      int{harm.kill_workers}, int{harm.pause_workers}, int{harm.shift_store}, int{harm.break_disks},
      harm.every.count(), to_text(setup.planted), wide_text(setup.wide));
}

}  // namespace longshore::sim
