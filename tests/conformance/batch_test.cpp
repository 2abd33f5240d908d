// Batches: an enqueue of many jobs is all or none, executed in order.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreBatch : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(, StoreBatch, every_store(), store_name);

TEST_P(StoreBatch, AnswersEachJobInOrder) {
  const std::vector<NewJob> jobs = {with_defaults({}), with_defaults({.delay = seconds(5)}),
                                    with_defaults({})};
  const auto answer = as<Enqueued>(try_enqueue(jobs));
  ASSERT_EQ(answer.jobs.size(), 3u);
  for (std::size_t i = 0; i < jobs.size(); ++i) EXPECT_EQ(answer.jobs[i].id, jobs[i].id);
  EXPECT_LT(job(jobs[0].id).number, job(jobs[1].id).number);
  EXPECT_EQ(claimed(), (std::vector<JobId>{jobs[0].id, jobs[2].id}));
}

TEST_P(StoreBatch, StoresNothingWhenOneJobIsRefused) {
  enqueue({.job_key = "taken"});
  const auto before = dump();
  const Verdict verdict = try_enqueue(
      {with_defaults({
           .idempotency_key = "fresh",
       }),
       with_defaults({.job_key = "taken", .on_conflict = OnConflict::reject}), with_defaults({})});
  expect_refused(verdict, Code::key_in_use);
  EXPECT_EQ(as<Refusal>(verdict).index, 1u);
  EXPECT_TRUE(dump() == before);
  EXPECT_FALSE(catalog().find_idempotency_key("default", "fresh").ok());
}

TEST_P(StoreBatch, UndoesAReplaceWhenALaterJobIsRefused) {
  const JobId id = enqueue({.priority = 3, .job_key = "k"});
  enqueue({.job_key = "taken"});
  const auto before = dump();
  expect_refused(
      try_enqueue(
          {with_defaults({.priority = 1, .job_key = "k", .on_conflict = OnConflict::replace}),
           with_defaults({.job_key = "taken", .on_conflict = OnConflict::reject})}),
      Code::key_in_use);
  EXPECT_TRUE(dump() == before);
  EXPECT_EQ(claim_one().job, id);
}

TEST_P(StoreBatch, LetsALaterJobSeeTheKeysOfAnEarlier) {
  const NewJob first = with_defaults({.job_key = "k", .idempotency_key = "once"});
  const auto answer = as<Enqueued>(try_enqueue(
      {first, with_defaults({.idempotency_key = "once"}), with_defaults({.job_key = "k"}),
       with_defaults({.priority = 0, .job_key = "k", .on_conflict = OnConflict::replace})}));
  ASSERT_EQ(answer.jobs.size(), 4u);
  for (const EnqueuedJob& one : answer.jobs) EXPECT_EQ(one.id, first.id);
  EXPECT_EQ(dump().size(), 1u);
  EXPECT_EQ(job(first.id).priority, 0);
}

TEST_P(StoreBatch, KeepsTheSameJobKeyOfTwoTypesApart) {
  const NewJob mail = with_defaults({.type = "mail", .job_key = "k"});
  const NewJob bill =
      with_defaults({.type = "bill", .job_key = "k", .on_conflict = OnConflict::reject});
  const auto answer =
      as<Enqueued>(try_enqueue({mail, bill, with_defaults({.type = "mail", .job_key = "k"}),
                                with_defaults({.type = "bill", .job_key = "k"})}));
  ASSERT_EQ(answer.jobs.size(), 4u);
  const std::vector<JobId> expected = {mail.id, bill.id, mail.id, bill.id};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(answer.jobs[i].id, expected[i]) << i;
  EXPECT_EQ(dump().size(), 2u);
  EXPECT_EQ(catalog().find_by_key("default", "mail", "k")->id, mail.id);
  EXPECT_EQ(catalog().find_by_key("default", "bill", "k")->id, bill.id);
}

TEST_P(StoreBatch, RefusesTheWholeGroupWhenTwoOfItCollide) {
  expect_refused(try_enqueue({with_defaults({.job_key = "k"}),
                              with_defaults({.job_key = "k", .on_conflict = OnConflict::reject})}),
                 Code::key_in_use);
  EXPECT_TRUE(dump().empty());
}

TEST_P(StoreBatch, MayBeSentAgainAsAWhole) {
  std::vector<NewJob> jobs;
  for (int i = 0; i < 20; ++i)
    jobs.push_back(with_defaults({.job_key = "k" + std::to_string(i % 7)}));
  const auto first = as<Enqueued>(try_enqueue(jobs));
  const auto before = dump();
  const auto again = as<Enqueued>(try_enqueue(jobs));
  ASSERT_EQ(again.jobs.size(), first.jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) EXPECT_EQ(again.jobs[i].id, first.jobs[i].id);
  EXPECT_TRUE(dump() == before);
}

TEST_P(StoreBatch, TakesTenThousandJobsAtOnce) {
  std::vector<NewJob> jobs(10'000, with_defaults({}));
  for (NewJob& one : jobs) one.id = new_id();
  EXPECT_EQ(as<Enqueued>(try_enqueue(std::move(jobs))).jobs.size(), 10'000u);
  EXPECT_EQ(queue().depth.at(State::queued), 10'000);
}

TEST_P(StoreBatch, RefusesMoreThanTenThousandAndLessThanOne) {
  std::vector<NewJob> jobs(10'001, with_defaults({}));
  for (NewJob& one : jobs) one.id = new_id();
  expect_refused(try_enqueue(std::move(jobs)), Code::invalid_field);
  expect_refused(try_enqueue(std::vector<NewJob>{}), Code::invalid_field);
  EXPECT_TRUE(dump().empty());
}

TEST_P(StoreBatch, NamesTheJobThatIsInvalid) {
  const Verdict verdict =
      try_enqueue({with_defaults({}), with_defaults({}), with_defaults({.priority = -1})});
  expect_refused(verdict, Code::invalid_field);
  EXPECT_EQ(as<Refusal>(verdict).index, 2u);
  EXPECT_NE(as<Refusal>(verdict).detail.find("priority"), std::string::npos);
  EXPECT_TRUE(dump().empty());
}

}  // namespace
}  // namespace longshore::conformance
