// A store that is opened with a higher revision of its rules.
#include <gtest/gtest.h>

#include "e2e/new_store.h"
#include "e2e/server_process.h"
#include "longshore/longshore.h"

namespace longshore::e2e {
namespace {

class HigherRevision : public ::testing::TestWithParam<std::string> {
 protected:
  std::vector<AuditEntry> trail_after_start(Duration lease, std::int64_t revision) {
    Rules rules;
    rules.lease = lease;
    const Longshore longshore =
        open(url, {.rules = rules, .rules_revision = revision, .node_name = "crane"}).value();
    return longshore.catalog().audit_trail("default", 10).value();
  }

  ScratchFolder folder;
  const std::string url = new_store(GetParam(), folder.path());
};

INSTANTIATE_TEST_SUITE_P(, HigherRevision, ::testing::ValuesIn(store_kinds()),
                         [](const auto& kind) { return kind.param; });

TEST_P(HigherRevision, IsWrittenToTheAuditTrail) {
  EXPECT_TRUE(trail_after_start(Duration::seconds(30), 0).empty());
  const auto trail = trail_after_start(Duration::seconds(50), 1);
  ASSERT_EQ(trail.size(), 1U);
  EXPECT_EQ(trail[0].action, "setRules");
  EXPECT_EQ(trail[0].actor.name, "node crane");
  EXPECT_EQ(trail[0].target, "default 1: leaseSeconds 30 to 50");
  EXPECT_EQ(trail_after_start(Duration::seconds(60), 1).size(), 1U) << "the same is not higher";
}

}  // namespace
}  // namespace longshore::e2e
