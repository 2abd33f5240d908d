// longshore_kills [--program store|library] [--kills N] [--seed S]: the kill test with more kills.
// Exits with 0 if nothing was lost or duplicated, else with 1 and keeps the store and the
// histories.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string_view>

#include "crash/kills.h"
#include "faults/scratch.h"

namespace longshore::crash {
namespace {

bool take_number(std::string_view text, std::uint64_t& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size();
}

bool take_program(std::string_view text, Program& into) {
  into = text == "library" ? Program::library : Program::store;
  return text == "library" || text == "store";
}

std::optional<KillPlan> parse(int count, char** arguments) {
  KillPlan plan;
  std::uint64_t kills = 50;
  for (int at = 1; at < count; at += 2) {
    const std::string_view name = arguments[at];
    if (at + 1 >= count) return std::nullopt;
    const bool taken = (name == "--kills" && take_number(arguments[at + 1], kills)) ||
                       (name == "--seed" && take_number(arguments[at + 1], plan.seed)) ||
                       (name == "--program" && take_program(arguments[at + 1], plan.program));
    if (!taken) return std::nullopt;
  }
  plan.kills = static_cast<int>(kills);
  return plan;
}

int kill_and_report(const KillPlan& plan) {
  faults::Scratch scratch;
  const Kills kills = kill_often(scratch.path(), plan);
  fmt::print("{} kills under load and {} others, {} requests acknowledged, {} in flight\n",
             kills.under_load(), std::ssize(kills.lives) - kills.under_load(), kills.acknowledged(),
             kills.in_flight());
  if (!kills.problem.empty()) fmt::print("{}\n", kills.problem);
  fmt::print("{}", checker::to_text(kills.judgement));
  const bool good =
      kills.problem.empty() && kills.judgement.valid() && kills.under_load() == plan.kills;
  if (good) return 0;
  scratch.keep();
  fmt::print(
      "replay the load, not the moments: longshore_kills --program {} --kills {} --seed {}\n"
      "the store and its histories are in {}\n",
      plan.program == Program::library ? "library" : "store", plan.kills, plan.seed,
      scratch.path());
  return 1;
}

}  // namespace
}  // namespace longshore::crash

int main(int argc, char** argv) {
  const auto plan = longshore::crash::parse(argc, argv);
  if (!plan) {
    std::fputs("Usage: longshore_kills [--program store|library] [--kills N] [--seed S]\n", stderr);
    return 2;
  }
  return longshore::crash::kill_and_report(*plan);
}
