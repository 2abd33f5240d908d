#include "sim/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <optional>
#include <ostream>
#include <sstream>

#include "checker/mutant.h"

namespace longshore::sim {
namespace {

template <class Number>
bool parse_number(const std::string& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool parse_host(const std::string& text, HostKind& host) {
  host = text == "sqlite" ? HostKind::sqlite : HostKind::memory;
  return text == "sqlite" || text == "memory";
}

bool parse_planted(const std::string& text, Planted& planted) {
  for (int i = 0; i < planted_count; ++i) {
    planted = static_cast<Planted>(i);
    if (to_text(planted) == text) return true;
  }
  return false;
}

bool parse_mutant(const std::string& text, std::string& mutant) {
  mutant = text;
  const auto named = [&](const checker::Mutant& one) { return one.name == text; };
  return std::ranges::any_of(checker::wide_mutants(), named) ||
         std::ranges::any_of(checker::cluster_mutants(), named);
}

bool take_option(Campaign& campaign, const std::string& option, const std::string& value) {
  if (option == "--seed") return parse_number(value, campaign.first.seed);
  if (option == "--seeds") return parse_number(value, campaign.seeds);
  if (option == "--ground") return parse_host(value, campaign.first.host);
  if (option == "--plant") return parse_planted(value, campaign.first.planted);
  if (option == "--narrow") return !(campaign.first.wide = value != "yes");
  if (option == "--mutant") return parse_mutant(value, campaign.first.mutant);
  if (option == "--kept") return !(campaign.kept = value).empty();
  return false;
}

// Of the processor, so that a busy machine does not look like slow code.
double seconds_used() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

class Runner {
 public:
  Runner(const Campaign& campaign, std::ostream& out) : campaign_(campaign), out_(out) {}

  void run(const Wanted& wanted);
  void report() const;
  int failures() const { return failures_; }

 private:
  const Campaign& campaign_;
  std::ostream& out_;
  StackPool pool_;
  const double began_ = seconds_used();
  std::int64_t seeds_ = 0;
  std::int64_t switches_ = 0;
  Duration lasted_;
  int failures_ = 0;
  std::map<std::string, std::int64_t> counters_;
};

void Runner::run(const Wanted& wanted) {
  Trace::Line line;
  if (campaign_.trace) line = [&](const std::string& text) { out_ << text << "\n"; };
  const Outcome outcome = simulate(wanted, pool_, line);
  seeds_ += 1;
  switches_ += outcome.switches;
  lasted_ += outcome.lasted;
  for (const auto& [counter, count] : outcome.judgement.counters) counters_[counter] += count;
  if (campaign_.trace) {
    out_ << outcome.setup << "\n"
         << fmt::format("trace {:016x} of {} events\n", outcome.hash, outcome.events);
  }
  if (outcome.good()) return;
  failures_ += 1;
  out_ << "FAILED\n" << to_text(outcome) << std::flush;
}

void Runner::report() const {
  const double took = std::max(seconds_used() - began_, 1e-9);
  out_ << fmt::format("{} seeds, {} failed, {:.0f} seeds/s, {} switches, {:.1f} virtual hours\n",
                      seeds_, failures_, static_cast<double>(seeds_) / took, switches_,
                      lasted_.in_seconds() / 3600);
  if (seeds_ < 2) return;
  for (const auto& [counter, count] : counters_) out_ << "  " << counter << ": " << count << "\n";
}

}  // namespace

Result<Campaign> parse_campaign(const std::vector<std::string>& words) {
  Campaign campaign;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--trace") {
      campaign.trace = true;
    } else if (i + 1 >= words.size() || !take_option(campaign, words[i], words[i + 1])) {
      return Error{Errc::invalid, "cannot make sense of " + words[i] +
                                      "; there are --seed N, --seeds N, --trace, --kept FILE, "
                                      "--ground memory|sqlite, --narrow yes, --mutant NAME and "
                                      "--plant MISTAKE"};
    } else {
      ++i;
    }
  }
  return campaign;
}

Result<std::vector<Wanted>> read_kept_seeds(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Error{Errc::not_found, "cannot read " + path};
  std::vector<Wanted> kept;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::vector<std::string> arguments;
    for (std::string word; words >> word;) arguments.push_back(word);
    if (arguments.empty()) continue;
    const Result<Campaign> campaign = parse_campaign(arguments);
    if (!campaign) return campaign.error();
    kept.push_back(campaign->first);
  }
  return kept;
}

bool run_campaign(const Campaign& campaign, std::ostream& out) {
  // The build may be older than the checkout, so the caller can set the commit.
  const char* commit = std::getenv("LONGSHORE_COMMIT");
  out << "seed " << campaign.first.seed << " commit "
      << (commit == nullptr ? LONGSHORE_BUILT_FROM : commit) << std::endl;
  Runner runner(campaign, out);
  if (!campaign.kept.empty()) {
    const auto kept = read_kept_seeds(campaign.kept);
    if (!kept) {
      out << kept.error().message << "\n";
      return false;
    }
    for (const Wanted& wanted : *kept) runner.run(wanted);
  }
  Wanted wanted = campaign.first;
  for (std::int64_t i = 0; i < campaign.seeds; ++i, ++wanted.seed) {
    if (runner.failures() >= campaign.failures_most) break;
    runner.run(wanted);
  }
  runner.report();
  return runner.failures() == 0;
}

}  // namespace longshore::sim
