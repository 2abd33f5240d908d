#include "core/policy/policy.h"

#include <gtest/gtest.h>

#include <array>

namespace longshore {
namespace {

constexpr std::array layer_names = {"job", "type", "queue"};

// A layer that speaks of everything, in its own numbers.
PolicyLayer layer_saying(int n) {
  return {.max_retries = 10 + n,
          .timeout = Duration::seconds(100 + n),
          .backoff = {.kind = Backoff::Kind::fixed,
                      .base = Duration::seconds(n),
                      .max = Duration::seconds(1000 + n),
                      .jitter = 0.01 * n}};
}

TEST(Policy, IsThatOfTheRulesWithoutLayers) {
  Policy rules;
  rules.max_retries = 7;
  rules.backoff.max.reset();
  EXPECT_EQ(resolve_policy({}, rules), rules);
  const std::array silent = {PolicyLayer{}, PolicyLayer{}, PolicyLayer{}};
  EXPECT_EQ(resolve_policy(silent, rules), rules);
}

TEST(Policy, DefaultsToThreeRetriesHalfAnHourAndADoublingBackoff) {
  const Policy policy = resolve_policy({}, Policy());
  EXPECT_EQ(policy.max_retries, 3);
  EXPECT_EQ(policy.timeout, Duration::seconds(1800));
  EXPECT_EQ(policy.backoff.kind, Backoff::Kind::exponential);
  EXPECT_EQ(policy.backoff.base, Duration::seconds(2));
  EXPECT_EQ(policy.backoff.max, Duration::seconds(3600));
  EXPECT_EQ(policy.backoff.jitter, 0.1);
}

// Every set of layers that speak: the strongest of them wins in every member.
TEST(Policy, TakesTheStrongestLayerThatIsSet) {
  for (int speaking = 1; speaking < 8; ++speaking) {
    std::array<PolicyLayer, 3> layers;
    int strongest = -1;
    for (int i = 2; i >= 0; --i) {
      if ((speaking >> i & 1) == 0) continue;
      layers[static_cast<std::size_t>(i)] = layer_saying(i);
      strongest = i;
    }
    SCOPED_TRACE(layer_names[static_cast<std::size_t>(strongest)]);
    const Policy policy = resolve_policy(layers, Policy());
    EXPECT_EQ(policy.max_retries, 10 + strongest);
    EXPECT_EQ(policy.timeout, Duration::seconds(100 + strongest));
    EXPECT_EQ(policy.backoff.kind, Backoff::Kind::fixed);
    EXPECT_EQ(policy.backoff.base, Duration::seconds(strongest));
    EXPECT_EQ(policy.backoff.max, Duration::seconds(1000 + strongest));
    EXPECT_EQ(policy.backoff.jitter, 0.01 * strongest);
  }
}

TEST(Policy, LayersEachMemberByItself) {
  std::array<PolicyLayer, 3> layers;
  layers[0].max_retries = 1;
  layers[1].timeout = Duration::seconds(5);
  layers[1].backoff.jitter = 0.5;
  layers[2].backoff.base = Duration::seconds(9);
  Policy rules;
  rules.backoff.kind = Backoff::Kind::none;
  const Policy expected{.max_retries = 1,
                        .timeout = Duration::seconds(5),
                        .backoff = {.kind = Backoff::Kind::none,
                                    .base = Duration::seconds(9),
                                    .max = Duration::seconds(3600),
                                    .jitter = 0.5}};
  EXPECT_EQ(resolve_policy(layers, rules), expected);
}

TEST(Policy, KeepsAnExplicitZero) {
  std::array<PolicyLayer, 2> layers;
  layers[0].max_retries = 0;
  layers[1].max_retries = 9;
  EXPECT_EQ(resolve_policy(layers, Policy()).max_retries, 0);
}

constexpr Instant ended = Instant::millis(1'800'000'000'000);

TEST(Retention, KeepsSuccessAndCanceledAWeekAndTheDeadForEver) {
  const auto prune = [](Status status) {
    return resolve_prune_after(status, ended, nullptr, nullptr, Retention());
  };
  EXPECT_EQ(prune(Status::completed), ended + Duration::days(7));
  EXPECT_EQ(prune(Status::canceled), ended + Duration::days(7));
  EXPECT_EQ(prune(Status::failed), std::nullopt);
}

TEST(Retention, AsksTheTypeThenTheQueueThenTheStore) {
  const auto days = [](int count) { return Duration::days(count); };
  TypeRule type{.ns = "default", .type = "report.build"};
  QueueRule queue{.ns = "default", .queue = "default"};
  queue.keep_success = days(2);
  queue.keep_dead = days(3);
  queue.keep_canceled = days(4);
  const auto prune = [&](Status status, const TypeRule* t, const QueueRule* q) {
    return resolve_prune_after(status, ended, t, q, Retention());
  };
  EXPECT_EQ(prune(Status::completed, &type, &queue), ended + days(2)) << "the type is silent";
  type.keep_success = days(1);
  type.keep_dead = Duration::forever();
  type.keep_canceled = Duration();
  EXPECT_EQ(prune(Status::completed, &type, &queue), ended + days(1));
  EXPECT_EQ(prune(Status::completed, nullptr, &queue), ended + days(2));
  EXPECT_EQ(prune(Status::failed, nullptr, &queue), ended + days(3));
  EXPECT_EQ(prune(Status::canceled, nullptr, &queue), ended + days(4));
  EXPECT_EQ(prune(Status::failed, &type, &queue), std::nullopt) << "for ever is an answer too";
  EXPECT_EQ(prune(Status::canceled, &type, &queue), ended) << "and so is not at all";
}

}  // namespace
}  // namespace longshore
