// Profiles on a store: each row of the table in which a profile differs from native.
#include "core/policy/profiles.h"

#include <functional>

#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreProfiles : public StoreTest {
 protected:
  // Runs the same check on a new store under each profile.
  template <class Ask>
  void for_each_profile(Ask ask) {
    for (const std::string_view name : profile_names()) {
      SCOPED_TRACE(name);
      reopen_under(name);
      ask(std::string(name));
      const auto audit = catalog().audit();
      ASSERT_TRUE(audit.ok());
      EXPECT_TRUE(audit->sound());
    }
  }
  JobId accepted(NewJob job = {}) {
    const JobId id = enqueue(std::move(job));
    send(Accept{.ns = "default", .jobs = {id}});
    return id;
  }
  Lease started(NewJob job = {}) {
    const JobId id = accepted(std::move(job));
    Lease lease = claim_one();
    EXPECT_EQ(lease.job, id);
    return lease;
  }
  bool among(const std::string& name, std::initializer_list<const char*> names) {
    for (const char* each : names) {
      if (name == each) return true;
    }
    return false;
  }
};
INSTANTIATE_TEST_SUITE_P(, StoreProfiles, every_store(), store_name);

TEST_P(StoreProfiles, SetTimeoutAndLease) {
  for_each_profile([&](const std::string& name) {
    const Lease lease = started();
    const Instant began = *job(lease.job).started_at;
    const Duration timeout = name == "basic"      ? seconds(30)
                             : name == "external" ? seconds(86'400)
                                                  : seconds(1800);
    const Duration length = name == "endpoints"  ? seconds(300)
                            : name == "external" ? timeout
                            : name == "basic"    ? seconds(10)
                                                 : seconds(30);
    EXPECT_EQ(lease.deadline_at, began + timeout);
    EXPECT_EQ(lease.lease_expires_at, began + length);
  });
}

TEST_P(StoreProfiles, SetRetriesAndBackOff) {
  for_each_profile([&](const std::string& name) {
    const Lease lease = started();
    const Verdict verdict = fail(lease);
    if (name == "external") {
      expect_status(verdict, Status::failed);
      return;
    }
    expect_status(verdict, Status::pending);
    const Duration wait = job(lease.job).run_at - job(lease.job).updated_at;
    if (name == "basic") {
      expect_state(lease.job, State::queued);
    } else if (name == "endpoints") {
      EXPECT_EQ(wait, seconds(2));
    } else {
      EXPECT_GE(wait, Duration::millis(1800));
      EXPECT_LE(wait, Duration::millis(2200));
    }
  });
}

TEST_P(StoreProfiles, DelayAfterATimeoutOrNot) {
  for_each_profile([&](const std::string& name) {
    NewJob wanted = with_defaults({});
    wanted.policy.timeout = seconds(20);
    wanted.policy.max_retries = 3;
    accepted(wanted);
    const Lease lease = claim_one({.lease = seconds(20)});
    advance(seconds(21));
    reap();
    expect_error(lease.job, "TIMEOUT");
    expect_state(lease.job, among(name, {"native", "basic"}) ? State::queued : State::retry);
  });
}

TEST_P(StoreProfiles, HandleALostLease) {
  for_each_profile([&](const std::string& name) {
    NewJob wanted = with_defaults({});
    wanted.policy.timeout = seconds(100);
    wanted.policy.max_retries = 3;
    const JobId id = accepted(wanted);
    claim_one({.lease = seconds(10)});
    advance(seconds(11));
    reap();
    if (name == "endpoints") {
      expect_state(id, State::retry);
      EXPECT_EQ(job(id).failures, 1);
    } else if (name == "external") {
      expect_state(id, State::running);
    } else {
      expect_state(id, State::queued);
      EXPECT_EQ(job(id).failures, 0);
    }
  });
}

TEST_P(StoreProfiles, PoisonAfterSixCrashesOrNever) {
  for_each_profile([&](const std::string& name) {
    if (among(name, {"endpoints", "external"})) return;
    const JobId id = accepted();
    for (int i = 0; i < 6; ++i) {
      claim_one({.lease = seconds(10)});
      advance(seconds(11));
      reap();
    }
    expect_state(id, name == "basic" ? State::queued : State::dead);
  });
}

TEST_P(StoreProfiles, RecoverAtTheStartOfANode) {
  for_each_profile([&](const std::string& name) {
    const NodeId node{1, 1};
    send(StartNode{.node = node, .name = "n"});
    const JobId own = accepted();
    claim_one({.node = node});
    const JobId others = accepted({.queue = "default"});
    claim_one({.worker = "remote"});
    send(StartNode{.node = node, .name = "n"});
    const bool takes_own = among(name, {"native", "basic"});
    expect_state(own, takes_own ? State::queued : State::running);
    expect_state(others, name == "basic" ? State::queued : State::running);
  });
}

TEST_P(StoreProfiles, GiveTheCheckpointToTheNextAttemptOrNot) {
  for_each_profile([&](const std::string& name) {
    const Lease first = started();
    heartbeat(first, {.checkpoint = "[7]"});
    release(first);
    const Lease second = claim_one();
    if (name == "basic") {
      EXPECT_FALSE(second.checkpoint);
    } else {
      EXPECT_EQ(second.checkpoint, "[7]");
    }
  });
}

TEST_P(StoreProfiles, WithdrawBeforeAStart) {
  for_each_profile([&](const std::string& name) {
    const JobId id = accepted();
    cancel(id);
    expect_error(id, "CANCELED");
    if (among(name, {"native", "endpoints"})) {
      expect_path(id, "CREATED QUEUED CANCELED");
    } else {
      expect_path(id, "CREATED QUEUED RUNNING RETRY DEAD");
      EXPECT_EQ(record(id).history[2].worker, "system");
      EXPECT_EQ(job(id).attempt, 0);
    }
    EXPECT_FALSE(std::holds_alternative<Refusal>(cancel(id))) << "already withdrawn is no error";
  });
}

TEST_P(StoreProfiles, ExpireBeforeAStart) {
  for_each_profile([&](const std::string& name) {
    const JobId scheduled = accepted({.delay = seconds(3), .expires_at = now() + seconds(5)});
    const JobId queued = accepted({.expires_at = now() + seconds(5)});
    advance(seconds(6));
    sweep();
    const bool direct = among(name, {"native", "endpoints"});
    for (const JobId& id : {scheduled, queued}) {
      expect_state(id, direct ? State::canceled : State::dead);
      expect_error(id, "EXPIRED");
    }
    if (!direct) expect_path(scheduled, "CREATED SCHEDULED QUEUED RUNNING RETRY DEAD");
  });
}

TEST_P(StoreProfiles, CallAWithdrawnJobCanceledAndNotDead) {
  for_each_profile([&](const std::string& name) {
    const JobId canceled = accepted({.idempotency_key = "once"});
    EXPECT_EQ(as<Settled>(cancel(canceled)).status, Status::canceled);
    const JobId expired = accepted({.expires_at = now() + seconds(5)});
    advance(seconds(6));
    sweep();
    for (const JobId& id : {canceled, expired}) {
      const Job after = job(id);
      EXPECT_EQ(status_of(after), Status::canceled);
      EXPECT_FALSE(after.started_at) << "it never ran";
      EXPECT_FALSE(after.first_started_at);
      const bool for_ever = among(name, {"basic", "external", "orchestrator"});
      EXPECT_EQ(after.prune_after.has_value(), !for_ever) << "kept as canceled jobs are";
    }
    const auto key = catalog().find_idempotency_key("default", "once");
    ASSERT_TRUE(key.ok());
    EXPECT_EQ(key->last_status, Status::canceled);
    EXPECT_EQ(enqueued({.idempotency_key = "once"}).status, Status::canceled);
  });
}

TEST_P(StoreProfiles, CountAWithdrawnJobAsCanceledAndNotAsADeadLetter) {
  for_each_profile([&](const std::string& name) {
    cancel(accepted());
    accepted({.expires_at = now() + seconds(5)});
    advance(seconds(6));
    sweep();
    const Lease lease = started();
    fail(lease, {.retryable = false});
    EXPECT_EQ(queue().depth[State::dead], 1);
    EXPECT_EQ(queue().depth[State::canceled], 2);
    EXPECT_TRUE(sweep().repaired.empty());

    const auto found = [&](StateMatch match) {
      return catalog().list({.ns = "default", .states = {match}}).value().jobs.size();
    };
    const bool direct = among(name, {"native", "endpoints"});
    EXPECT_EQ(found({.state = State::dead}), direct ? 1U : 3U);
    EXPECT_EQ(found({.state = State::dead, .withdrawn = false}), 1U);
    EXPECT_EQ(found({.state = State::dead, .withdrawn = true}), direct ? 0U : 2U);

    if (rules().retention.canceled == Duration::forever()) return;
    advance(days(8));
    prune();
    EXPECT_EQ(queue().depth[State::dead], 1);
    EXPECT_EQ(queue().depth[State::canceled], 0);
  });
}

TEST_P(StoreProfiles, KeepTheTimesOfAnEarlierStartWhenAJobIsWithdrawn) {
  for_each_profile([&](const std::string&) {
    const Lease lease = started();
    const Instant began = *job(lease.job).started_at;
    advance(seconds(1));
    fail(lease);
    advance(seconds(1));
    cancel(lease.job);
    EXPECT_EQ(job(lease.job).started_at, began);
    EXPECT_EQ(job(lease.job).first_started_at, began);
    EXPECT_EQ(job(lease.job).execution, seconds(1));
  });
}

TEST_P(StoreProfiles, RefuseWhatTheirDocumentDoesNotKnow) {
  for_each_profile([&](const std::string& name) {
    const bool refuses = name == "orchestrator";
    const auto expect_answer = [&](const Verdict& verdict) {
      const Refusal* refusal = std::get_if<Refusal>(&verdict);
      EXPECT_EQ(refusal != nullptr && refusal->code == Code::not_in_profile, refuses);
    };
    const auto unless_refused = [&](const std::function<Verdict()>& operation) {
      const auto before = dump();
      expect_answer(operation());
      EXPECT_EQ(dump() == before, refuses);
    };
    unless_refused([&, lease = started()] { return hand_off(lease); });
    started({.job_key = "k"});
    unless_refused([&] { return finish_by_key("k"); });
    unless_refused(
        [&, lease = started()] { return resolve(lease.job, {.result = "1", .error = {}}); });
    unless_refused([&, lease = started()] { return cancel(lease.job, true); });
    accepted({.job_key = "r"});
    unless_refused(
        [&] { return try_enqueue({.job_key = "r", .on_conflict = OnConflict::replace}); });
  });
}

TEST_P(StoreProfiles, ReplaceARecordedJobByAcceptingTheOther) {
  reopen_under("orchestrator");
  const JobId id = enqueue({.job_key = "r"});
  const NewJob other = {.priority = 1, .job_key = "r", .on_conflict = OnConflict::replace};
  EXPECT_EQ(enqueued(other).id, id);
  expect_path(id, "CREATED QUEUED");
  EXPECT_EQ(job(id).priority, 1);
}

TEST_P(StoreProfiles, LeaseForAtMostAThirdOfTheTimeoutUnderBasic) {
  reopen_under("basic");
  NewJob wanted = with_defaults({});
  wanted.policy.timeout = seconds(6);
  const Lease lease = started(wanted);
  EXPECT_EQ(lease.lease_expires_at, *job(lease.job).started_at + seconds(2));
}

TEST_P(StoreProfiles, FixOrReopenWhatEnded) {
  for_each_profile([&](const std::string& name) {
    const Lease lease = started();
    fail(lease, {.retryable = false});
    const Verdict verdict = redrive(lease.job);
    if (name == "endpoints") {
      EXPECT_EQ(as<Settled>(verdict).job, lease.job);
      expect_state(lease.job, State::queued);
    } else {
      EXPECT_NE(as<Settled>(verdict).job, lease.job);
      expect_state(lease.job, State::dead);
    }
  });
}

TEST_P(StoreProfiles, KeepFinishedJobsSevenDaysOrForEver) {
  for_each_profile([&](const std::string& name) {
    const Lease lease = started();
    complete(lease);
    advance(days(8));
    prune();
    EXPECT_EQ(exists(lease.job), among(name, {"basic", "external", "orchestrator"}));
  });
}

TEST_P(StoreProfiles, AcceptInOnePhaseOrTwo) {
  for_each_profile([&](const std::string& name) {
    const JobId id = enqueue();
    expect_state(id, name == "orchestrator" ? State::created : State::queued);
  });
}

TEST_P(StoreProfiles, LimitTheJobsOfOneClaim) {
  for_each_profile([&](const std::string& name) {
    const int most = name == "endpoints"                          ? 10
                     : among(name, {"scheduler", "orchestrator"}) ? 1
                                                                  : 1000;
    for (int i = 0; i < 12; ++i) accepted();
    expect_refused(try_claim({.limit = most + 1}), Code::invalid_field);
    EXPECT_EQ(claim({.limit = most}).size(), static_cast<std::size_t>(std::min(most, 12)));
  });
}

TEST_P(StoreProfiles, CountAMissingHandlerOrNot) {
  for_each_profile([&](const std::string& name) {
    const Lease lease = started();
    fail(lease, {.error = {.code = "NO_HANDLER", .message = "none"}});
    EXPECT_EQ(job(lease.job).failures, name == "basic" ? 1 : 0);
  });
}

}  // namespace
}  // namespace longshore::conformance
