// longshore_storm [--cuts N] [--restarts N] [--set-backs N] [--seed S]: longer storms. Exits with 0
// if nothing was lost or duplicated, every job ended, and no outage lasted five seconds longer than
// its fault.
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "postgres/storm.h"

namespace {

using longshore::postgres_test::Storm;

bool report(const Storm& storm, const std::string& faults) {
  fmt::print("{}", to_text(storm, faults));
  const bool soon = storm.longest_outage <= longshore::Duration::seconds(5);
  if (survived(storm) && soon) return true;
  fmt::print("{}", longshore::checker::to_text(storm.judgement));
  return false;
}

}  // namespace

int main(int count, char** words) {
  int cuts = 200;
  int restarts = 20;
  int set_backs = 0;
  std::uint64_t seed = 1;
  for (int i = 1; i < count; i += 2) {
    const std::string word = words[i];
    if (i + 1 == count ||
        (word != "--cuts" && word != "--restarts" && word != "--set-backs" && word != "--seed")) {
      fmt::print(stderr, "Usage: {} [--cuts N] [--restarts N] [--set-backs N] [--seed S]\n",
                 words[0]);
      return 2;
    }
    const long number = std::atol(words[i + 1]);
    if (word == "--cuts") cuts = static_cast<int>(number);
    if (word == "--restarts") restarts = static_cast<int>(number);
    if (word == "--set-backs") set_backs = static_cast<int>(number);
    if (word == "--seed") seed = static_cast<std::uint64_t>(number);
  }
  using namespace longshore::postgres_test;
  const bool whole = report(cut_connections(cuts, seed), fmt::format("{} cuts", cuts));
  const bool again = report(restart_server(restarts, seed), fmt::format("{} restarts", restarts));
  bool older = true;
  if (set_backs > 0) {
    older = report(set_back(3 * set_backs, seed), fmt::format("{} copies put back", set_backs));
  }
  return whole && again && older ? 0 : 1;
}
