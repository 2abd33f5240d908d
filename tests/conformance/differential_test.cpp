// Two stores that are told the same answer the same. Programs come from rapidcheck, by number, so
// that a failure is repeated by running it again; a failing one is made small before it is shown.
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

rc::Gen<Program> any_program() {
  const auto number = rc::gen::cast<std::uint8_t>(rc::gen::inRange<int>(0, 256));
  const auto instruction = rc::gen::container<Instruction>(number);
  return rc::gen::apply(
      [](std::uint8_t rules, std::vector<Instruction> instructions) {
        return Program{.rules = rules, .instructions = std::move(instructions)};
      },
      number, rc::gen::container<std::vector<Instruction>>(instruction));
}

rc::Shrinkable<Program> program_number(int number) {
  return any_program()(rc::Random(static_cast<std::uint64_t>(number)), rc::kNominalSize);
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

TEST_P(Differential, FindsEveryPlantedDefect) {
  const Open reference = stores().front().open;
  std::string found = "differential: defects planted in " + GetParam() + "\n";
  for (const NamedDefect& each : defects()) {
    SCOPED_TRACE(each.name);
    int enqueues = 0;
    const Open spoiled = [&](const Rules& rules) {
      return open_defective(GetParam(), rules, each.defect, enqueues);
    };
    int number = 1;
    while (number <= programs_for_a_defect &&
           !differs(program_number(number).value(), reference, spoiled)) {
      ++number;
    }
    EXPECT_LE(number, programs_for_a_defect) << "not found";
    found += "  " + std::string(each.name) + " → found after " + std::to_string(number) +
             (number == 1 ? " program\n" : " programs\n");
  }
  report("differential_defects_" + GetParam(), found);
}

}  // namespace
}  // namespace longshore::conformance
