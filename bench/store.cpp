// longshore_bench_store [--full] [--waiting JOBS] [--dir DIRECTORY] [lifecycle|backlog]: how fast
// the SQLite store is beside SQLite itself, and beside itself with more in it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "bench/backlog.h"
#include "bench/lifecycle.h"
#include "bench/measure.h"

namespace {

struct Options {
  bool full = false;
  std::string directory = "bench-data";
  std::string only;
  std::int64_t waiting = 0;  // instead of the usual
  std::string open;          // tell of this file alone
};

std::optional<Options> parse(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--full") {
      options.full = true;
    } else if (word == "--dir" && i + 1 < count) {
      options.directory = words[++i];
    } else if (word == "--waiting" && i + 1 < count) {
      options.waiting = std::atoll(words[++i]);
    } else if (word == "--open" && i + 1 < count) {
      options.open = words[++i];
    } else if (word == "lifecycle" || word == "backlog") {
      options.only = word;
    } else {
      return std::nullopt;
    }
  }
  return options;
}

}  // namespace

int main(int count, char** words) {
  using namespace longshore::bench;
  const auto options = parse(count, words);
  if (!options) {
    fmt::print(stderr,
               "Usage: {} [--full] [--waiting JOBS] [--dir DIRECTORY] [lifecycle|backlog]\n",
               words[0]);
    return 2;
  }
  if (!options->open.empty()) return open_and_tell(options->open), 0;
  std::filesystem::create_directories(options->directory);
  LifecycleSizes lifecycle;
  BacklogSizes backlog;
  if (options->full) {
    lifecycle = {.rounds = 9, .jobs = 32'000};
    backlog.many = 1'000'000;
    backlog.finished = 5'000'000;
    backlog.most = 5'000'000;
  }
  if (options->waiting > 0) {
    backlog.many = options->waiting;
    backlog.most = std::max(backlog.most, backlog.many);
  }
  Report report;
  report.say(fmt::format("{} sizes, files in {}; each line: name ours reference ratio",
                         options->full ? "Full" : "Small (--full for the large ones)",
                         options->directory));
  if (options->only != "backlog") measure_lifecycle(report, options->directory, lifecycle);
  if (options->only != "lifecycle") measure_backlog(report, options->directory, backlog);
  for (const std::string& missed : report.missed()) report.say("missed: " + missed);
  for (const std::string& name : report.not_shown()) report.say("not shown, busy machine: " + name);
  if (!report.missed().empty()) return 3;
  return report.not_shown().empty() ? 0 : 4;
}
