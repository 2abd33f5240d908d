// longshore_kills [--kills N] [--seed S]: the kill test at length. Exits with 0 if nothing was
// lost or doubled, 1 if something was; then the store and the histories stay for a look.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <string_view>

#include "crash/kills.h"
#include "faults/scratch.h"

namespace longshore::crash {
namespace {

bool take_number(std::string_view text, std::uint64_t& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size();
}

int kill_and_tell(int count, std::uint64_t seed) {
  faults::Scratch scratch;
  const Kills kills = kill_often(scratch.path(), count, seed);
  fmt::print("{} kills, {} requests acknowledged, {} in flight\n", kills.lives.size(),
             kills.acknowledged(), kills.in_flight());
  if (!kills.problem.empty()) fmt::print("{}\n", kills.problem);
  fmt::print("{}", checker::to_text(kills.judgement));
  const bool good = kills.problem.empty() && kills.judgement.valid() && kills.acknowledged() > 0 &&
                    kills.in_flight() > 0;
  if (good) return 0;
  scratch.keep();
  fmt::print(
      "replay the load, not the moments: longshore_kills --kills {} --seed {}\n"
      "the store and its histories are in {}\n",
      count, seed, scratch.path());
  return 1;
}

}  // namespace
}  // namespace longshore::crash

int main(int argc, char** argv) {
  std::uint64_t kills = 50;
  std::uint64_t seed = 1;
  for (int at = 1; at < argc; at += 2) {
    const std::string_view name = argv[at];
    const bool known = name == "--kills" || name == "--seed";
    if (!known || at + 1 >= argc ||
        !longshore::crash::take_number(argv[at + 1], name == "--kills" ? kills : seed)) {
      std::fputs("Usage: longshore_kills [--kills N] [--seed S]\n", stderr);
      return 2;
    }
  }
  return longshore::crash::kill_and_tell(static_cast<int>(kills), seed);
}
