// Two stores give the same answers to the same commands. rapidcheck generates programs by number,
// so that failures are repeatable; a failing program is shrunk before it is printed.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>
#include <sstream>

#include "conformance/defective_harness.h"
#include "conformance/program.h"
#include "conformance/report.h"

namespace longshore::conformance {
namespace {

constexpr int programs_compared = 2000;
constexpr int programs_on_a_server = 200;  // each command there is a round trip or three
constexpr int programs_on_a_cluster = 50;  // what differs there is the way, not the store
constexpr int programs_for_a_defect = 300;
constexpr int threads_at_once = 4;
constexpr int rounds_of_threads = 60;  // each with a program for every thread
constexpr int rounds_on_a_server = 15;

rc::Gen<Program> any_program(bool wide) {
  const auto number = rc::gen::cast<std::uint8_t>(rc::gen::inRange<int>(0, 256));
  const auto instruction = rc::gen::container<Instruction>(number);
  return rc::gen::apply(
      [wide](std::uint8_t rules, std::vector<Instruction> instructions) {
        return Program{.rules = rules, .instructions = std::move(instructions), .wide = wide};
      },
      number, rc::gen::container<std::vector<Instruction>>(instruction));
}

rc::Shrinkable<Program> program_number(int number, bool wide = true) {
  return any_program(wide)(rc::Random(static_cast<std::uint64_t>(number)), rc::kNominalSize);
}

// Opens the two stores that a program is run on.
using Open = std::function<std::unique_ptr<StoreHarness>(const Rules&)>;

std::optional<std::string> differs(const Program& program, const Open& left, const Open& right,
                                   Tally& tally) {
  const Rules rules = rules_of(program);
  const auto one = left(rules);
  const auto other = right(rules);
  return ProgramRun(*one, *other, tally).difference_of(program);
}

std::optional<std::string> differs(const Program& program, const Open& left, const Open& right) {
  Tally unread;
  return differs(program, left, right, unread);
}

std::string in_words(const Program& program) {
  std::ostringstream text;
  text << "rules " << int{program.rules} << ", " << program.instructions.size() << " instructions:";
  for (const Instruction& instruction : program.instructions) {
    text << "\n ";
    for (const std::uint8_t number : instruction) text << ' ' << int{number};
  }
  return text.str();
}

int sum(const auto& counts) { return std::accumulate(counts.begin(), counts.end(), 0); }

class Differential : public testing::TestWithParam<std::string> {};

std::vector<std::string> store_names() {
  std::vector<std::string> names;
  for (const StoreKind& kind : stores()) names.push_back(kind.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(, Differential, testing::ValuesIn(store_names()),
                         [](const auto& each) { return each.param; });

TEST_P(Differential, AgreesWithTheReferenceOnRandomPrograms) {
  const Open reference = stores().front().open;
  const Open judged = [](const Rules& rules) { return open_store(GetParam(), rules); };
  std::size_t instructions = 0;
  Tally tally;
  const bool on_a_server = judged(Rules())->promised().shared;
  int programs = on_a_server ? programs_on_a_server : programs_compared;
  if (GetParam().ends_with("_cluster")) programs = programs_on_a_cluster;
  for (int number = 1; number <= programs; ++number) {
    const auto program = program_number(number);
    instructions += program.value().instructions.size();
    if (!differs(program.value(), reference, judged, tally)) continue;
    const auto smallest = rc::shrinkable::findLocalMin(program, [&](const Program& smaller) {
                            return differs(smaller, reference, judged).has_value();
                          }).first;
    FAIL() << "program " << number << " differs: " << *differs(smallest, reference, judged)
           << "\nmade small: " << in_words(smallest);
  }
  report("differential_" + GetParam(),
         "differential: " + stores().front().name + " and " + GetParam() + ": " +
             std::to_string(programs) + " programs, " + std::to_string(instructions) +
             " instructions, " + std::to_string(sum(tally.accepted)) + " commands accepted, " +
             std::to_string(sum(tally.refused)) + " refused, no difference\n");
}

// The first program that finds the defect; more than `programs_for_a_defect` if none does.
int found_after(const std::string& store, Defect defect, bool wide) {
  const Open reference = stores().front().open;
  int enqueues = 0;
  const Open spoiled = [&](const Rules& rules) {
    return open_defective(store, rules, defect, enqueues);
  };
  int number = 1;
  while (number <= programs_for_a_defect &&
         !differs(program_number(number, wide).value(), reference, spoiled)) {
    ++number;
  }
  return number;
}

std::string found_text(const NamedDefect& defect, int number, const std::string& unit) {
  return "  " + std::string(defect.name) + " → found after " + std::to_string(number) + " " + unit +
         (number == 1 ? "\n" : "s\n");
}

TEST_P(Differential, FindsEveryPlantedDefect) {
  std::string found = "differential: defects planted in " + GetParam() + "\n";
  for (const auto* part : {&defects(), &wide_defects()}) {
    for (const NamedDefect& each : *part) {
      SCOPED_TRACE(each.name);
      const int number = found_after(GetParam(), each.defect, true);
      EXPECT_LE(number, programs_for_a_defect) << "not found";
      found += found_text(each, number, "program");
    }
  }
  report("differential_defects_" + GetParam(), found);
}

// On the reference only: this tests the programs, not the store.
TEST(DifferentialProof, FindsNoWideDefectInNarrowPrograms) {
  const std::string& store = stores().front().name;
  for (const auto* part : {&wide_defects(), &thread_defects()}) {
    for (const NamedDefect& each : *part) {
      EXPECT_GT(found_after(store, each.defect, false), programs_for_a_defect) << each.name;
    }
  }
}

// ---- Several threads --------------------------------------------------------------------------

// The programs of one round, all under the rules of the first.
std::optional<std::string> threads_differ(int round, const Open& judged) {
  std::vector<Program> programs;
  for (int i = 0; i < threads_at_once; ++i) {
    programs.push_back(program_number(round * threads_at_once + i).value());
  }
  const Rules rules = rules_of(programs.front());
  const auto store = judged(rules);
  std::vector<std::unique_ptr<StoreHarness>> references;
  std::vector<StoreHarness*> pointers;
  for (int i = 0; i < threads_at_once; ++i) {
    references.push_back(stores().front().open(rules));
    pointers.push_back(references.back().get());
  }
  return difference_of_threads(programs, pointers, *store);
}

TEST_P(Differential, AgreesWithTheReferenceWhenThreadsMeet) {
  const Open judged = [](const Rules& rules) { return open_store(GetParam(), rules); };
  const bool on_a_server = judged(Rules())->promised().shared;
  const int rounds = on_a_server ? rounds_on_a_server : rounds_of_threads;
  for (int round = 1; round <= rounds; ++round) {
    const auto difference = threads_differ(round, judged);
    ASSERT_FALSE(difference) << "round " << round << " differs: " << *difference;
  }
  report("differential_threads_" + GetParam(),
         "differential: " + GetParam() + ": " + std::to_string(rounds) + " rounds of " +
             std::to_string(threads_at_once) + " programs at once, no difference\n");
}

TEST(DifferentialProof, FindsEveryDefectOfThreadsThatMeet) {
  const std::string& store = stores().front().name;
  std::string found = "differential: defects of threads planted in " + store + "\n";
  for (const NamedDefect& each : thread_defects()) {
    int enqueues = 0;
    const Open spoiled = [&](const Rules& rules) {
      return open_defective(store, rules, each.defect, enqueues);
    };
    int round = 1;
    while (round <= rounds_of_threads && !threads_differ(round, spoiled)) ++round;
    EXPECT_LE(round, rounds_of_threads) << each.name << " was not found";
    found += found_text(each, round, "round");
  }
  report("differential_defects_threads", found);
}

}  // namespace
}  // namespace longshore::conformance
