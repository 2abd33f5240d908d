// Histories survive writing and reading; other text is rejected.
#include <gtest/gtest.h>

#include <string>

#include "checker/history_json.h"
#include "checker/history_writer.h"
#include "checker/judge.h"
#include "checker/workload.h"

namespace longshore::checker {
namespace {

std::string lines_of(const History& history) {
  std::string text;
  for (const Event& event : history.events) text += to_line(event);
  for (const JobDump& job : history.jobs) text += to_line(job);
  for (const KeyDump& key : history.keys) text += to_line(key);
  for (const AuditEntry& entry : history.audit) text += to_line(entry);
  for (const Listed& dead : history.dead) text += to_line(dead);
  for (const DepthDump& depth : history.depths) text += to_line(depth);
  for (const Finding& finding : history.findings) text += to_line(finding);
  for (const PausedDump& paused : history.paused) text += to_line(paused);
  for (const TokenDump& token : history.tokens) text += to_line(token);
  for (const RuleSet& rule : history.rules) text += to_line(rule);
  for (const Setting& setting : history.settings) text += to_line(setting);
  if (history.dumped_at) text += dumped_line(*history.dumped_at);
  return text;
}

History some_history(const MutantMaker& mutant) {
  Workload workload({.seed = 7}, mutant);
  return workload.run();
}

TEST(HistoryLines, ReadBackAsTheyWereWritten) {
  const History history = some_history(no_mutation());
  const std::string text = lines_of(history);
  History read;
  const Result<Nothing> result = read_lines(text, read);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(read.events.size(), history.events.size());
  EXPECT_EQ(lines_of(read), text);
}

TEST(HistoryLines, AreCheckedLikeTheHistoryInMemory) {
  for (const Mutant& mutant : mutants()) {
    SCOPED_TRACE(mutant.name);
    Workload workload({.seed = 3}, mutant.make);
    const History history = workload.run();
    History read;
    ASSERT_TRUE(read_lines(lines_of(history), read).ok());
    const Judgement expected = judge(history, workload.judging());
    EXPECT_EQ(to_text(judge(read, workload.judging())), to_text(expected));
  }
}

TEST(HistoryLines, OfAWriterWithAFileAreThoseOfItsMemory) {
  std::string text;
  HistoryWriter writer([&](std::string_view line) { text += line; });
  Call call;
  call.verb = Verb::cancel;
  call.ns = "main";
  const std::int64_t op = writer.invoke("p1", call);
  writer.info(op);
  writer.nemesis("kill9", "server");
  writer.mark("heal", Instant::millis(5));
  History read;
  ASSERT_TRUE(read_lines(text, read).ok());
  ASSERT_EQ(read.events.size(), 4U);
  EXPECT_EQ(read.events[0].op, read.events[1].op);
  EXPECT_EQ(std::get<Call>(read.events[0].what).verb, Verb::cancel);
  EXPECT_EQ(std::get<Note>(read.events[3].what).at, Instant::millis(5));
}

TEST(HistoryLines, OfALaterFileComeAfterThoseOfAnEarlierOne) {
  const std::string text = lines_of(some_history(no_mutation()));
  History read;
  ASSERT_TRUE(read_lines(text, read).ok());
  const std::size_t half = read.events.size();
  ASSERT_TRUE(read_lines(text, read).ok());
  ASSERT_EQ(read.events.size(), 2 * half);
  EXPECT_GT(read.events[half].seq, read.events[half - 1].seq);
  EXPECT_NE(read.events[half].op, read.events[0].op);
}

TEST(HistoryLines, LeaveOutALastLineThatItsWriterDidNotFinish) {
  const std::string text = lines_of(some_history(no_mutation()));
  History whole, cut;
  ASSERT_TRUE(read_lines(text, whole).ok());
  const std::string first_lines = text.substr(0, text.find('\n', 1000) + 20);
  ASSERT_TRUE(read_lines(first_lines, cut).ok());
  EXPECT_GT(cut.events.size(), 0U);
  EXPECT_LT(cut.events.size(), whole.events.size());
}

TEST(HistoryLines, ThatAreNoHistoryAreRefusedByTheirNumber) {
  const std::string_view bad[] = {
      "\n\nnot json\n",
      "{\"seq\":1}\n",
      "{\"seq\":1,\"k\":\"shout\",\"is\":{}}\n",
      "{\"seq\":1,\"k\":\"invoke\",\"is\":{\"f\":\"dance\"}}\n",
      "{\"seq\":1,\"k\":\"invoke\",\"is\":{\"f\":\"get\",\"job\":\"17\"}}\n",
      "{\"dump\":\"weather\",\"is\":{}}\n",
      "[]\n",
  };
  for (const std::string_view text : bad) {
    SCOPED_TRACE(text);
    History history;
    const Result<Nothing> result = read_lines(text, history);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, Errc::invalid);
    EXPECT_TRUE(result.error().message.starts_with("line ")) << result.error().message;
  }
}

}  // namespace
}  // namespace longshore::checker
