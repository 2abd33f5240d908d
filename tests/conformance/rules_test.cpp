// The rules of a store: which can change, which cannot, and when a change takes effect.
#include "conformance/fixture.h"
#include "core/policy/profiles.h"
#include "core/policy/rule_table.h"

namespace longshore::conformance {
namespace {

class StoreRules : public StoreTest {
 protected:
  Verdict set(std::map<std::string, std::string> values,
              std::optional<std::int64_t> revision = std::nullopt) {
    return send(SetRules{.rules = std::move(values), .revision = revision, .actor = ops_});
  }
  const Rules& in_force() {
    snapshot_ = harness().backend().rules();
    return snapshot_->rules;
  }
  StoredRules stored() { return catalog().stored_rules().value(); }
  void reopen() {
    const Result<Nothing> opened = harness().reopen();
    ASSERT_TRUE(opened.ok()) << opened.error().message;
  }
  std::string reopening_fails() {
    const Result<Nothing> opened = harness().reopen();
    if (opened.ok()) return "it opened";
    EXPECT_EQ(opened.error().code, Errc::refused);
    const std::string message = opened.error().message;
    harness().rules = Rules();
    reopen();
    return message;
  }

  std::shared_ptr<const StoredRules> snapshot_;
};

INSTANTIATE_TEST_SUITE_P(, StoreRules, every_store(), store_name);

TEST_P(StoreRules, AreThoseThatTheStoreWasMadeWith) {
  under(*profile("basic"));
  EXPECT_EQ(in_force(), *profile("basic"));
  EXPECT_EQ(stored().rules, *profile("basic"));
  EXPECT_EQ(stored().revision("default"), 0);
}

TEST_P(StoreRules, AreChangedByNameAndHoldAfterwards) {
  as<Done>(set({{"leaseSeconds", "7"}, {"keepSuccess", "60"}}, 3));
  EXPECT_EQ(in_force().lease, seconds(7));
  EXPECT_EQ(in_force().retention.success, seconds(60));
  EXPECT_EQ(in_force().policy.timeout, seconds(1800));  // was not named
  EXPECT_EQ(stored().rules, in_force());
  EXPECT_EQ(stored().revision("default"), 3);

  reopen();
  EXPECT_EQ(in_force().lease, seconds(7));
  EXPECT_EQ(stored().revision("default"), 3);
}

TEST_P(StoreRules, BindWhatHappensFromNowOn) {
  const Instant began = now();
  as<Done>(set({{"leaseSeconds", "7"}, {"keepSuccess", "60"}, {"maxJobs", "2"}}));
  const Lease lease = running();
  EXPECT_LE(lease.lease_expires_at, now() + seconds(7));
  EXPECT_GE(lease.lease_expires_at, began + seconds(7));
  complete(lease);
  const Job ended = job(lease.job);
  EXPECT_EQ(ended.prune_after, ended.updated_at + seconds(60));
  expect_refused(try_claim({.limit = 3}), Code::invalid_field);
}

TEST_P(StoreRules, SayWhetherALeaseIsAThirdOfTheTimeout) {
  under(*profile("basic"));
  NewJob brief = with_defaults({});
  brief.policy.timeout = seconds(15);
  enqueue(brief);
  const Lease third = claim_one();
  EXPECT_EQ(third.lease_expires_at - *job(third.job).started_at, seconds(5));
  as<Done>(set({{"leaseInThirds", "false"}}));
  brief.id = new_id();
  enqueue(brief);
  const Lease whole = claim_one();
  EXPECT_EQ(whole.lease_expires_at - *job(whole.job).started_at, seconds(10));
  advance(seconds(6));
  EXPECT_EQ(reap().count, 1) << "the first keeps the lease that it was given";
}

TEST_P(StoreRules, LeaveJobsTheirPolicyAndTheirTimeOfPruning) {
  const JobId done = succeeded();
  const JobId before = enqueue();
  const Job pruned_as = job(done);
  const Policy usual = job(before).policy;
  as<Done>(set({{"timeoutSeconds", "60"}, {"maxRetries", "9"}, {"keepSuccess", "60"}}));
  NewJob with_new = with_defaults({});
  with_new.policy = in_force().policy;
  const JobId after = enqueue(with_new);

  for (const bool reopened : {false, true}) {
    SCOPED_TRACE(reopened);
    EXPECT_EQ(job(before).policy, usual);
    EXPECT_EQ(job(done).prune_after, pruned_as.prune_after);
    EXPECT_EQ(job(after).policy.timeout, seconds(60));
    EXPECT_EQ(job(after).policy.max_retries, 9);
    reopen();
  }
  std::map<JobId, Duration> timeouts;
  for (const Lease& lease : claim({.limit = 2})) {
    timeouts[lease.job] = lease.deadline_at - *job(lease.job).started_at;
  }
  EXPECT_EQ(timeouts[before], usual.timeout);
  EXPECT_EQ(timeouts[after], seconds(60));
}

TEST_P(StoreRules, AreNotTakenBackByAnOlderRevision) {
  as<Done>(set({{"leaseSeconds", "7"}}, 5));
  expect_refused_without_effect(
      SetRules{.rules = {{"leaseSeconds", "8"}}, .revision = 4, .actor = ops_}, Code::old_revision);
  expect_refused_without_effect(
      SetRules{
          .rules = {{"leaseSeconds", "8"}}, .revision = 5, .only_if_newer = true, .actor = ops_},
      Code::old_revision);
  EXPECT_EQ(in_force().lease, seconds(7));
  as<Done>(set({{"leaseSeconds", "9"}}, 5));
  as<Done>(set({{"leaseSeconds", "10"}}));  // the stored revision stays
  EXPECT_EQ(stored().revision("default"), 5);
  EXPECT_EQ(in_force().lease, seconds(10));
}

TEST_P(StoreRules, HaveARevisionOfEachSource) {
  as<Done>(set({}, 5));
  as<Done>(send(SetRules{.rules = {{"maxRetries", "1"}}, .source = "other", .revision = 2}));
  EXPECT_EQ(stored().revision("default"), 5);
  EXPECT_EQ(stored().revision("other"), 2);
}

TEST_P(StoreRules, AreChangedWholeOrNotAtAll) {
  const std::map<std::string, std::string> faults[] = {
      {{"leaseSeconds", "7"}, {"noSuchRule", "1"}},
      {{"leaseSeconds", "7"}, {"timeoutSeconds", "0"}},
      {{"leaseSeconds", "7"}, {"terminal", "reopen"}},
      {{"leaseSeconds", "7"}, {"profile", "basic"}},
  };
  for (const auto& values : faults) {
    const Code code = values.contains("noSuchRule") ? Code::unknown_field : Code::invalid_field;
    expect_refused_without_effect(SetRules{.rules = values, .revision = 9, .actor = ops_}, code);
  }
  EXPECT_EQ(in_force(), Rules());
  EXPECT_EQ(stored().revision("default"), 0);
}

TEST_P(StoreRules, AreAuditedWhenTheyChange) {
  as<Done>(set({{"maxRetries", "9"}}, 2));
  as<Done>(set({{"maxRetries", "9"}}, 2));
  EXPECT_EQ(trail(), std::vector<std::string>{"setRules by ops"});
  const std::vector<AuditEntry> entries = catalog().audit_trail("default", 10).value();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].target, "default 2: maxRetries 3 to 9");
}

TEST_P(StoreRules, AreTheStoresWhateverElseItIsOpenedWith) {
  set({{"leaseSeconds", "7"}});
  harness().rules.lease = seconds(99);
  harness().rules.policy.max_retries = 1;
  const JobId id = enqueue();
  reopen();
  EXPECT_EQ(in_force().lease, seconds(7));
  EXPECT_EQ(in_force().policy.max_retries, 3);
  EXPECT_EQ(job(id).policy.max_retries, 1);
  EXPECT_EQ(differences(in_force(), harness().rules).size(), 2u);
}

TEST_P(StoreRules, OfAnotherProfileAreRefusedWithAMessage) {
  enqueue();
  harness().rules = *profile("basic");
  const std::string message = reopening_fails();
  EXPECT_NE(message.find("profile is native in the store and basic here"), std::string::npos)
      << message;
  EXPECT_NE(message.find("open it with profile native"), std::string::npos) << message;
}

TEST_P(StoreRules, ThatAProfileFixesAreRefusedWithAMessage) {
  enqueue();
  harness().rules.terminal = Rules::Terminal::reopen;
  harness().rules.lease = seconds(99);
  const std::string message = reopening_fails();
  EXPECT_NE(message.find("terminal is fixed in the store and reopen here"), std::string::npos)
      << message;
  EXPECT_EQ(message.find("lease"), std::string::npos) << message;
}

TEST_P(StoreRules, OfAJobThatLostMoreLeasesThanIsAllowedNowStaySound) {
  const JobId id = running().job;
  advance(seconds(31));
  reap();
  claim();
  advance(seconds(31));
  reap();
  ASSERT_EQ(job(id).crashes, 2);
  as<Done>(set({{"maxCrashes", "0"}}));
  EXPECT_TRUE(catalog().audit().value().sound());
  claim();
  advance(seconds(31));
  reap();
  expect_error(id, "POISON");
}

TEST_P(StoreRules, AreNoticedByAnotherNode) {
  if (!store().capabilities().shared) return;
  set({{"leaseSeconds", "7"}});
  const auto other = harness().another();
  ASSERT_NE(other, nullptr);
  set({{"leaseSeconds", "8"}});
  const Command alive = SeeNode{.node = {1, 2}, .name = "other"};
  ASSERT_TRUE(other->store().commit(std::array{alive}).ok());
  EXPECT_EQ(other->rules()->rules.lease, seconds(8));
}

}  // namespace
}  // namespace longshore::conformance
