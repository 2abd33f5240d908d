// longshore_sim: runs a cluster in a box from a seed, and judges what it did.
//
//   longshore_sim --seed 7431                one seed
//   longshore_sim --seed 1 --seeds 5000      that many, from this one on
//   longshore_sim --seed 7431 --trace        with every switch, call and fault
//   longshore_sim --kept FILE ...            first the seeds that failed once
//   --ground memory|sqlite                   what the nodes stand on
//   --plant MISTAKE                          a mistake to be found, for proofs of the simulator
//   --mutant NAME                            a store with something wrong, likewise
//   --narrow yes                             one configuration, one operator, two namespaces
//
// Ends with 0 if every seed was good; otherwise prints, for each bad one, what was wrong and the
// line that replays it.
#include <cstdio>
#include <iostream>

#include "sim/campaign.h"

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  const auto campaign = longshore::sim::parse_campaign(words);
  if (!campaign) {
    std::cerr << campaign.error().message << "\n";
    return 2;
  }
  return longshore::sim::run_campaign(*campaign, std::cout) ? 0 : 1;
}
