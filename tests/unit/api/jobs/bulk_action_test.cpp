// Bulk actions: complete or partial, without disturbing other commands.
#include <thread>

#include "unit/api/api_harness.h"
#include "unit/api/troubled_store.h"

namespace longshore {
namespace {

class BulkActionTest : public ::testing::Test {
 protected:
  static constexpr int job_count = 1300;

  static HarnessOptions with(std::shared_ptr<Trouble> trouble) {
    HarnessOptions options;
    options.trouble = std::move(trouble);
    return options;
  }

  void SetUp() override {
    std::string jobs;
    for (int i = 0; i < job_count; ++i)
      jobs += std::string(i == 0 ? "" : ",") + R"({"jobType":"t"})";
    const Reply made = harness.post("/jobs/batch", R"({"jobs":[)" + jobs + "]}");
    oldest = parse_job_id(std::string(made.json.at("jobs").at(0).at("jobId").as_string())).value();
  }

  std::shared_ptr<TestExchange> begin_cancel() {
    return harness.begin("POST", "/jobs/cancel", R"({"filter":{"jobType":"t"},"limit":10000})");
  }
  // Newest jobs first, so the oldest are in the last lot.
  void refuse_the_oldest(Errc code) {
    trouble->fail_with(Error{code, "a bad day"}, [oldest = oldest](const Command& command) {
      const auto* cancel = std::get_if<Cancel>(&command);
      return cancel != nullptr && cancel->job == oldest;
    });
  }
  void refuse_everything(Errc code) {
    trouble->fail_with(Error{code, "a bad day"}, [](const Command& command) {
      return std::holds_alternative<Cancel>(command) ||
             std::holds_alternative<RecordAudit>(command);
    });
  }
  // Advances time until there is an answer.
  Reply finish_in_time(const std::shared_ptr<TestExchange>& exchange) {
    while (!exchange->answered()) {
      harness.time().advance(Duration::millis(200));
      std::this_thread::yield();
    }
    return harness.finish(exchange);
  }
  std::vector<AuditEntry> trail() {
    return harness.node().catalog().audit_trail("default", 100).value();
  }

  std::shared_ptr<Trouble> trouble = std::make_shared<Trouble>();
  ApiHarness harness{with(trouble)};
  JobId oldest;
};

TEST_F(BulkActionTest, WritesOneAuditTrailEntry) {
  EXPECT_EQ(harness.finish(begin_cancel()).at("count"), std::to_string(job_count));
  ASSERT_EQ(trail().size(), 1U);
  EXPECT_EQ(trail()[0].action, "cancel");
  EXPECT_EQ(trail()[0].actor.name, "local");
  EXPECT_EQ(trail()[0].target, R"(1300 jobs: {"jobType":"t"})");
  EXPECT_EQ(harness.finish(begin_cancel()).at("count"), "0");
  EXPECT_EQ(trail().size(), 1U) << "no job matched";
}

TEST_F(BulkActionTest, WritesNoAuditTrailEntryInADryRun) {
  harness.post("/jobs/cancel", R"({"filter":{},"limit":10,"dryRun":true})");
  EXPECT_TRUE(trail().empty());
}

TEST_F(BulkActionTest, RetriesCommandsRefusedForOverload) {
  refuse_the_oldest(Errc::overloaded);
  const auto exchange = begin_cancel();
  trouble->wait_for_failure();
  trouble->fail_with(std::nullopt);
  const Reply reply = finish_in_time(exchange);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.at("count"), std::to_string(job_count));
  EXPECT_EQ(reply.at("more"), "false");
  EXPECT_EQ(trail().size(), 1U);
}

TEST_F(BulkActionTest, AnswersWhatWasDoneWhenTheRestIsRefused) {
  refuse_the_oldest(Errc::overloaded);
  const Reply some = finish_in_time(begin_cancel());
  EXPECT_EQ(some.status, 200);
  EXPECT_GE(std::stoi(some.at("count")), 1000) << "two lots have none of the refused";
  EXPECT_LT(std::stoi(some.at("count")), job_count);
  EXPECT_EQ(some.at("more"), "true");
  trouble->fail_with(std::nullopt);
  const Reply rest = harness.finish(begin_cancel());
  EXPECT_EQ(std::stoi(some.at("count")) + std::stoi(rest.at("count")), job_count);
  EXPECT_EQ(rest.at("more"), "false");
}

TEST_F(BulkActionTest, IsOverloadedOnlyIfNothingWasDone) {
  refuse_everything(Errc::overloaded);
  const Reply reply = finish_in_time(begin_cancel());
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.code(), "OVERLOADED");
  trouble->fail_with(std::nullopt);
  EXPECT_TRUE(trail().empty());
  EXPECT_EQ(harness.finish(begin_cancel()).at("count"), std::to_string(job_count));
}

TEST_F(BulkActionTest, PromisesNoEffectOnlyIfThereWasNone) {
  refuse_the_oldest(Errc::disk_full);
  const Reply partly = harness.finish(begin_cancel());
  EXPECT_EQ(partly.code(), "STORE_UNAVAILABLE") << "some were canceled";
  refuse_everything(Errc::disk_full);
  EXPECT_EQ(harness.finish(begin_cancel()).code(), "DISK_FULL");
}

TEST_F(BulkActionTest, LeavesRoomForOtherCommands) {
  trouble->hold(true);
  const auto before = harness.begin("POST", "/jobs", R"({"jobType":"u"})");
  trouble->wait_for_commit();
  const auto many = begin_cancel();
  const auto enqueue = harness.begin("POST", "/jobs", R"({"jobType":"u"})");
  EXPECT_LE(harness.node().engine().commits_waiting(), 20U) << "no other request is refused";
  trouble->hold(false);
  EXPECT_EQ(before->wait().status, 202);
  EXPECT_EQ(enqueue->wait().status, 202);
  EXPECT_EQ(many->wait().status, 200);
}

}  // namespace
}  // namespace longshore
