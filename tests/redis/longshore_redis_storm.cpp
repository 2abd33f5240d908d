// longshore_redis_storm [--times N] [--seed S]: longer storms, with each fault N times. Exits with
// 0 if nothing durable was lost, and every loss was reported.
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "redis/storm.h"

namespace {

using namespace longshore::redis_test;

bool report(bool good, const std::string& text, const longshore::checker::Judgement* judgement) {
  fmt::print("{}", text);
  if (!good && judgement != nullptr) fmt::print("{}", longshore::checker::to_text(*judgement));
  return good;
}

bool report(const Storm& storm, const std::string& faults) {
  return report(survived(storm), to_text(storm, faults), &storm.judgement);
}

}  // namespace

int main(int count, char** words) {
  int times = 20;
  std::uint64_t seed = 1;
  for (int i = 1; i < count; i += 2) {
    const std::string word = words[i];
    if (i + 1 == count || (word != "--times" && word != "--seed")) {
      fmt::print(stderr, "Usage: {} [--times N] [--seed S]\n", words[0]);
      return 2;
    }
    if (word == "--times") times = std::atoi(words[i + 1]);
    if (word == "--seed") seed = static_cast<std::uint64_t>(std::atoll(words[i + 1]));
  }
  bool good = report(kill_server(times, seed), fmt::format("{} kills", times));
  good = report(fail_over(times / 4 + 1, seed), fmt::format("{} failovers", times / 4 + 1)) && good;
  const Moves moves = move_slots(times, seed);
  const std::string round = fmt::format("{} moves of a slot", times);
  good = report(unnoticed(moves), to_text(moves, round), &moves.storm.judgement) && good;
  const Cuts cuts = cut_power(times / 2 + 1);
  const std::string cuts_made = fmt::format("{} power cuts with everysec", times / 2 + 1);
  good = report(bounded(cuts), to_text(cuts, cuts_made), nullptr) && good;
  return good ? 0 : 1;
}
