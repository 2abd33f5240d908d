#include <algorithm>
#include <memory>
#include <thread>

#include "conformance/program.h"

namespace longshore::conformance {
namespace {

constexpr std::size_t parts = 4;

class Threads {
 public:
  Threads(const std::vector<Program>& programs, const std::vector<StoreHarness*>& references,
          StoreHarness& judged)
      : programs_(programs), references_(references), judged_(judged) {
    for (std::size_t i = 0; i < programs.size(); ++i) {
      const Stage stage{.suffix = std::to_string(i), .seed = 4242 + i, .shared = true};
      runs_.push_back(std::make_unique<ProgramRun>(*references[i], judged, tallies_[i], stage));
    }
  }

  std::optional<std::string> difference() {
    for (std::size_t part = 0; part < parts; ++part) {
      if (auto found = play(part)) return found;
      if (auto found = let_time_pass(part)) return found;
    }
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (auto found = runs_[i]->finish()) return "thread " + std::to_string(i) + ": " + *found;
    }
    return std::nullopt;
  }

 private:
  // All threads at once.
  std::optional<std::string> play(std::size_t part) {
    std::vector<std::optional<std::string>> found(runs_.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < runs_.size(); ++i) {
        threads.emplace_back([this, i, part, &place = found[i]] {
          const std::size_t all = programs_[i].instructions.size();
          place = runs_[i]->play(programs_[i], all * part / parts, all * (part + 1) / parts);
        });
      }
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i]) return "thread " + std::to_string(i) + ": " + *found[i];
    }
    return std::nullopt;
  }

  // No other threads. The sweeps of the store moved what those of the references moved together.
  std::optional<std::string> let_time_pass(std::size_t part) {
    constexpr Duration lengths[parts] = {Duration::seconds(1), Duration::seconds(31),
                                         Duration::minutes(31), Duration::days(8)};
    judged_.advance(lengths[part]);
    for (StoreHarness* reference : references_) reference->advance(lengths[part]);
    for (const Command& sweep :
         {Command(Due{}), Command(Reap{}), Command(Sweep{}), Command(Prune{})}) {
      std::int64_t expected = 0;
      for (StoreHarness* reference : references_) expected += count_of(*reference, sweep);
      const std::int64_t count = count_of(judged_, sweep);
      if (count == expected) continue;
      return "a sweep of type " + std::to_string(sweep.index()) + " counts " +
             std::to_string(expected) + " | " + std::to_string(count);
    }
    return std::nullopt;
  }

  // Until nothing is left: where the limit of one sweep cuts off is not the same for many and one.
  static std::int64_t count_of(StoreHarness& harness, const Command& sweep) {
    std::int64_t sum = 0;
    while (true) {
      const auto committed = harness.backend().store().commit({&sweep, 1});
      if (!committed) return -1;
      const Swept* swept = std::get_if<Swept>(&committed->verdicts.front());
      if (swept == nullptr) return -1;
      if (swept->count == 0) return sum;
      sum += swept->count;
    }
  }

  const std::vector<Program>& programs_;
  const std::vector<StoreHarness*>& references_;
  StoreHarness& judged_;
  std::vector<Tally> tallies_ = std::vector<Tally>(programs_.size());
  std::vector<std::unique_ptr<ProgramRun>> runs_;
};

}  // namespace

std::optional<std::string> difference_of_threads(const std::vector<Program>& programs,
                                                 const std::vector<StoreHarness*>& references,
                                                 StoreHarness& judged) {
  return Threads(programs, references, judged).difference();
}

}  // namespace longshore::conformance
