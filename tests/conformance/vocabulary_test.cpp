// Every history of a job, in the state names of a profile, is a path in the profile's state
// diagram.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "conformance/memory_harness.h"
#include "conformance/program.h"
#include "conformance/report.h"
#include "core/policy/profile_words.h"
#include "core/policy/profiles.h"

namespace longshore::conformance {
namespace {

constexpr int programs_told = 400;

using Word = std::string;

// Who lets go of a job, and what may follow what. An empty word stands before the first.
struct Diagram {
  std::string profile;
  std::set<std::pair<Word, Word>> arrows;
};

const std::vector<Diagram>& diagrams() {
  static const std::vector<Diagram> all = {
      {"basic",
       {{"", "pending"},
        {"pending", "running"},
        {"running", "completed"},
        {"running", "failed"},
        {"running", "pending"},  // the system crashed: not a failure, and a clean run follows
        {"failed", "pending"},
        {"failed", "dead"}}},
      {"endpoints",
       {{"", "Queued"},
        {"Queued", "InProgress"},
        {"Queued", "Scheduled"},
        {"Queued", "Canceled"},
        {"Queued", "Completed"},
        {"Queued", "Failed"},
        {"Scheduled", "Queued"},
        {"Scheduled", "Canceled"},
        {"InProgress", "Completed"},
        {"InProgress", "Failed"},
        {"InProgress", "Canceled"},
        {"InProgress", "Scheduled"},
        {"Failed", "Queued"},
        {"Failed", "Scheduled"},
        {"Failed", "Canceled"},
        {"Completed", "Canceled"},
        {"Canceled", "Queued"}}},  // usually the end, yet it may be reset
      {"scheduler",
       {{"", "Scheduled"},
        {"Scheduled", "Queued"},
        {"Queued", "Scheduled"},  // an enqueue that replaces it asks for another time
        {"Queued", "Running"},
        {"Running", "Completed"},
        {"Running", "Failed"},
        {"Running", "Scheduled"}}},
      {"external",
       {{"", "initial"},
        {"initial", "running"},
        {"running", "error"},
        {"running", "final"},
        {"error", "running"},
        {"error", "final"}}},
      {"orchestrator",
       {{"", "CREATED"},
        {"CREATED", "QUEUED"},
        {"QUEUED", "RUNNING"},
        {"RUNNING", "SUCCESS"},
        {"RUNNING", "RETRY"},
        {"RETRY", "QUEUED"},
        {"RETRY", "DEAD"}}},
  };
  return all;
}

using Steps = std::vector<Transition>;  // of one job in one commit
using JobSteps = std::vector<Steps>;

// Of every job; one that came again after it was pruned has two.
struct Histories {
  std::vector<JobSteps> all;
  std::map<JobId, std::size_t> latest;
};

class RecordingStore : public Store {
 public:
  RecordingStore(Store& store, Histories& histories) : store_(store), histories_(histories) {}
  Result<Committed> commit(std::span<const Command> commands) override {
    Result<Committed> committed = store_.commit(commands);
    if (!committed) return committed;
    std::map<JobId, Steps> steps;
    for (const JobEvent& one : committed->events) steps[one.job].push_back(one.transition);
    for (auto& [job, moves] : steps) go_on(job, std::move(moves));
    return committed;
  }
  const Capabilities& capabilities() const override { return store_.capabilities(); }

 private:
  void go_on(const JobId& job, Steps moves) {
    if (moves.front().cause == Cause::enqueue) {
      histories_.latest[job] = histories_.all.size();
      histories_.all.emplace_back();
    }
    histories_.all.at(histories_.latest.at(job)).push_back(std::move(moves));
  }

  Store& store_;
  Histories& histories_;
};

class RecordingBackend : public Backend {
 public:
  RecordingBackend(Backend& backend, Histories& histories)
      : backend_(backend), store_(backend.store(), histories) {}
  Store& store() override { return store_; }
  Catalog& catalog() override { return backend_.catalog(); }
  Wakeups& wakeups() override { return backend_.wakeups(); }
  std::shared_ptr<const StoredRules> rules() const override { return backend_.rules(); }

 private:
  Backend& backend_;
  RecordingStore store_;
};

class RecordingHarness : public StoreHarness {
 public:
  RecordingHarness(const Rules& wanted, Histories& histories)
      : StoreHarness(wanted),
        inner_(open_store("memory", wanted)),
        backend_(inner_->backend(), histories) {}
  Backend& backend() override { return backend_; }
  Capabilities promised() const override { return inner_->promised(); }
  void advance(Duration by) override { inner_->advance(by); }
  void step(Duration by) override { inner_->step(by); }
  Instant now() override { return inner_->now(); }
  Result<Nothing> reopen() override { return inner_->reopen(); }

 private:
  std::unique_ptr<StoreHarness> inner_;
  RecordingBackend backend_;
};

bool by_a_worker(const Transition& move) {
  return move.cause == Cause::claim && move.worker != "system" && move.worker != "external";
}

// The words after which the steps so far may go on. A state that a job left in the commit in which
// it came there was never seen by anybody, so a path may leave it out.
class PathCheck {
 public:
  explicit PathCheck(const Diagram& diagram) : diagram_(diagram) {}

  // False if no path of these moves is legal.
  bool tell(const Steps& moves) {
    for (std::size_t i = 0; i < moves.size(); ++i) {
      if (by_a_worker(moves[i])) job_.attempt += 1;
      job_.state = moves[i].to;
      const Word word(profile_word(diagram_.profile, job_)->word);
      std::set<Word> next;
      for (const Word& before : at_) {
        if (before == word || diagram_.arrows.contains({before, word})) next.insert(word);
      }
      const bool seen = i + 1 == moves.size();
      if (!seen) next.insert(at_.begin(), at_.end());
      at_ = std::move(next);
    }
    return !at_.empty();
  }

 private:
  const Diagram& diagram_;
  Job job_;
  std::set<Word> at_ = {""};
};

std::string in_words(const JobSteps& steps) {
  std::string text;
  for (const Steps& moves : steps) {
    for (const Transition& move : moves) {
      text += " " + std::string(to_text(move.cause)) + ">" + std::string(to_text(move.to));
    }
    text += ";";
  }
  return text;
}

std::vector<JobSteps> histories_under(const Rules& rules, int number) {
  Histories histories;
  RecordingHarness one(rules, histories);
  const auto other = open_store("memory", rules);
  SeededRandom random(static_cast<std::uint64_t>(number));
  Program program;
  for (int i = 0; i < 120; ++i) {
    Instruction instruction;
    for (std::uint8_t& part : instruction) part = static_cast<std::uint8_t>(random.below(256));
    program.instructions.push_back(instruction);
  }
  Tally tally;
  const auto difference = ProgramRun(one, *other, tally).difference_of(program);
  EXPECT_FALSE(difference) << difference.value_or("");
  return histories.all;
}

TEST(Vocabulary, ShowsEveryHistoryAsAPathOfTheProfilesDiagram) {
  std::string told;
  for (const Diagram& diagram : diagrams()) {
    SCOPED_TRACE(diagram.profile);
    int jobs = 0;
    std::size_t commits = 0;
    for (int number = 1; number <= programs_told; ++number) {
      for (const JobSteps& steps : histories_under(*profile(diagram.profile), number)) {
        PathCheck path(diagram);
        jobs += 1;
        commits += steps.size();
        for (const Steps& moves : steps) {
          ASSERT_TRUE(path.tell(moves)) << "program " << number << ":" << in_words(steps);
        }
      }
    }
    EXPECT_GT(jobs, programs_told);
    told += "vocabulary: " + diagram.profile + ": " + std::to_string(jobs) + " jobs, " +
            std::to_string(commits) + " commits, each a path of its diagram\n";
  }
  report("vocabulary", told);
}

TEST(Vocabulary, IsRefusedWhereAnArrowIsMissing) {
  const std::map<std::string, std::pair<Word, Word>> needed = {
      {"basic", {"failed", "dead"}},           {"endpoints", {"InProgress", "Scheduled"}},
      {"scheduler", {"Running", "Scheduled"}}, {"external", {"error", "running"}},
      {"orchestrator", {"RETRY", "DEAD"}},
  };
  for (Diagram diagram : diagrams()) {
    SCOPED_TRACE(diagram.profile);
    ASSERT_EQ(diagram.arrows.erase(needed.at(diagram.profile)), 1U);
    bool refused = false;
    for (int number = 1; number <= programs_told && !refused; ++number) {
      for (const JobSteps& steps : histories_under(*profile(diagram.profile), number)) {
        PathCheck path(diagram);
        for (const Steps& moves : steps) refused = refused || !path.tell(moves);
      }
    }
    EXPECT_TRUE(refused);
  }
}

}  // namespace
}  // namespace longshore::conformance
