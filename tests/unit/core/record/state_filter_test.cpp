#include "core/record/state_filter.h"

#include <gtest/gtest.h>

#include "core/record/list_page.h"

namespace longshore {
namespace {

using Matches = std::vector<StateMatch>;

TEST(StateFilter, TakesOurStatesAndThePublicStatuses) {
  EXPECT_EQ(read_states("QUEUED", "native"), (Matches{{.state = State::queued}}));
  EXPECT_EQ(read_states("RUNNING", "native"), (Matches{{.state = State::running}}));
  EXPECT_EQ(read_states("DEAD", "native"), (Matches{{.state = State::dead}}));
  EXPECT_EQ(read_states("FAILED", "native"), (Matches{{.state = State::dead, .withdrawn = false}}));
  EXPECT_EQ(read_states("CANCELED", "native"),
            (Matches{{.state = State::canceled}, {.state = State::dead, .withdrawn = true}}));
  EXPECT_EQ(read_states("PENDING", "native"), (Matches{{.state = State::created},
                                                       {.state = State::scheduled},
                                                       {.state = State::queued},
                                                       {.state = State::retry}}));
  EXPECT_EQ(read_states("COMPLETED,WAITING", "native"),
            (Matches{{.state = State::success}, {.state = State::waiting}}));
}

TEST(StateFilter, TakesTheWordsOfAProfileBesides) {
  EXPECT_EQ(read_states("error", "external"), (Matches{{.state = State::created, .started = true},
                                                       {.state = State::scheduled, .started = true},
                                                       {.state = State::queued, .started = true},
                                                       {.state = State::retry}}));
  EXPECT_EQ(
      read_states("running,DEAD", "basic"),
      (Matches{{.state = State::running}, {.state = State::waiting}, {.state = State::dead}}));
  EXPECT_EQ(read_states("CREATED", "orchestrator"),
            (Matches{{.state = State::created}, {.state = State::scheduled}}));
  EXPECT_EQ(read_states("CANCELED", "orchestrator"), read_states("CANCELED", "native"));
  EXPECT_EQ(read_states("500", "endpoints"), (Matches{{.state = State::dead}}));
}

TEST(StateFilter, RefusesOtherWords) {
  for (const char* words :
       {"", ",", "DEAD,", ",DEAD", "DEAD,,QUEUED", "queued", "QUEUED, DEAD", "initial", "500"}) {
    EXPECT_FALSE(read_states(words, "native")) << words;
  }
  EXPECT_FALSE(read_states("final", "basic"));
}

TEST(StateFilter, NamesEveryWord) {
  EXPECT_EQ(state_words_text("native"),
            "CREATED, SCHEDULED, QUEUED, RUNNING, WAITING, RETRY, SUCCESS, DEAD, CANCELED, "
            "PENDING, COMPLETED, FAILED");
  EXPECT_TRUE(state_words_text("external").starts_with("initial, running, error, final, CREATED"));
}

TEST(StateFilter, KnowsDeadLettersAndLiveJobs) {
  const Matches letters{{.state = State::dead, .withdrawn = false}};
  EXPECT_EQ(dead_letters_among({}), letters);
  EXPECT_EQ(dead_letters_among(*read_states("DEAD", "native")), letters);
  EXPECT_EQ(dead_letters_among(*read_states("final", "external")), letters);
  EXPECT_TRUE(dead_letters_among(*read_states("CANCELED,QUEUED", "native")).empty());
  EXPECT_EQ(live_states_among({}).size(), 6U);
  EXPECT_EQ(live_states_among(*read_states("RETRY,DEAD", "native")),
            (Matches{{.state = State::retry}}));
}

TEST(StateFilter, MatchesJobs) {
  Job job;
  job.state = State::dead;
  EXPECT_TRUE(matches({}, job));
  EXPECT_TRUE(matches(*read_states("QUEUED,FAILED", "native"), job));
  EXPECT_FALSE(matches(*read_states("CANCELED", "native"), job));
  job.withdrawn = true;
  EXPECT_TRUE(matches(*read_states("CANCELED", "native"), job));
  EXPECT_FALSE(matches(*read_states("FAILED", "native"), job));
}

ListPage page_of(std::initializer_list<std::uint64_t> numbers, bool more) {
  ListPage page;
  for (const std::uint64_t number : numbers) {
    page.jobs.emplace_back();
    page.jobs.back().job.id = {.high = 0, .low = number};
  }
  if (more) page.next = page.jobs.back().job.id;
  return page;
}

TEST(MergedPage, HasTheNewestOfAllParts) {
  std::vector<ListPage> parts = {page_of({9, 5}, true), page_of({8, 7}, false), {}};
  const ListPage page = merged_page(parts, 2);
  ASSERT_EQ(page.jobs.size(), 2U);
  EXPECT_EQ(page.jobs[0].job.id.low, 9U);
  EXPECT_EQ(page.jobs[1].job.id.low, 8U);
  EXPECT_EQ(page.next->low, 8U);
}

TEST(MergedPage, EndsWithTheLastPart) {
  std::vector<ListPage> parts = {page_of({9}, false), page_of({8}, false)};
  EXPECT_FALSE(merged_page(parts, 2).next);
  std::vector<ListPage> one = {page_of({9, 8}, true), {}};
  EXPECT_EQ(merged_page(one, 2).next->low, 8U);
}

}  // namespace
}  // namespace longshore
