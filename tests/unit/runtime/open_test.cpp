#include "longshore/open.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

TEST(Open, SaysWhichUrlsThereAreWhenItKnowsNoneOfTheKind) {
  struct Bad {
    std::string url;
    std::string shown;  // no more than the scheme of what may hold a password
  };
  for (const auto& [url, shown] : {Bad{"", ""}, Bad{"memory", "memory"}, Bad{"jobs.db", "jobs.db"},
                                   Bad{"mongodb://me:secret@host", "mongodb"},
                                   Bad{"MEMORY:", "MEMORY:"}, Bad{"sqlite", "sqlite"}}) {
    SCOPED_TRACE(url);
    const Result<Longshore> opened = open(url);
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().code, Errc::invalid);
    EXPECT_NE(opened.error().message.find("\"" + shown + "\""), std::string::npos)
        << opened.error().message;
    EXPECT_NE(opened.error().message.find("sqlite:PATH memory:"), std::string::npos);
  }
}

TEST(Open, RefusesAMemoryUrlWithAName) {
  const Result<Longshore> opened = open("memory:jobs");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, Errc::invalid);
}

TEST(Open, RefusesASqliteUrlWithoutAPath) {
  const Result<Longshore> opened = open("sqlite:");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, Errc::invalid);
}

TEST(Open, SaysWhichFolderIsMissing) {
  const Result<Longshore> opened = open("sqlite:no/such/folder/jobs.db");
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message.find("no/such/folder"), std::string::npos)
      << opened.error().message;
}

TEST(Open, NamesTheProfilesThereAre) {
  const Result<Longshore> opened = open("memory:", {.profile = "fancy"});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, Errc::invalid);
  EXPECT_NE(opened.error().message.find("native"), std::string::npos);
}

TEST(Open, RefusesAnEmptyNamespace) {
  EXPECT_EQ(open("memory:", {.ns = ""}).error().code, Errc::invalid);
}

TEST(Open, CarriesAJobThroughItsWholeLife) {
  Result<Longshore> opened = open("memory:");
  ASSERT_TRUE(opened.ok());
  Client client = opened->client();
  const EnqueuedJob job = client.enqueue({.type = "T", .payload = R"({"a":1})"}).value();
  const auto leases = opened->leases();
  const Lease lease = leases->claim({.queues = {"default"}}, Duration::seconds(60))->at(0);
  EXPECT_EQ(lease.job, job.id);
  EXPECT_EQ(lease.body.payload, R"({"a":1})");
  leases->tell({Complete{.job = lease.job, .token = lease.token, .result = "[1]"}}).value();
  EXPECT_EQ(client.result(job.id, Duration()).value(), "[1]");
}

TEST(Open, StopsTwiceAndAgainAtTheEnd) {
  Longshore longshore = open("memory:").value();
  longshore.stop();
  longshore.stop();
}

TEST(Open, StopsWhatItReplaces) {
  Longshore one = open("memory:").value();
  Client before = one.client();
  one = open("memory:").value();
  EXPECT_EQ(before.enqueue({.type = "T"}).error().code, Errc::refused);
  EXPECT_TRUE(one.client().enqueue({.type = "T"}).ok());
}

}  // namespace
}  // namespace longshore
