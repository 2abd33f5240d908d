#include "core/rules/callback.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <set>
#include <string>

#include "core/rules/enqueue.h"
#include "core/text/time_text.h"
#include "unit/core/events.h"

namespace longshore {
namespace {

Situation with_callback(const std::string& name, const Rules& rules) {
  for (Situation& situation : situations(rules)) {
    if (situation.name != name) continue;
    situation.record.job.callback =
        Callback{.url = "https://example.com/done?\"7\"", .secret_name = "billing"};
    return situation;
  }
  ADD_FAILURE() << "no situation " << name;
  return {};
}

Decision happens(const std::string& event_name, const Situation& situation, const Rules& rules) {
  for (const Event& event : events()) {
    if (event.name == event_name) return event.happens(situation, rules);
  }
  ADD_FAILURE() << "no event " << event_name;
  return Refusal{};
}

struct Ending {
  std::string situation;
  std::string event;
  std::string status;
};

const Ending endings[] = {
    {"running", "complete", "COMPLETED"},
    {"waiting", "complete", "COMPLETED"},
    {"running", "fail fatal", "FAILED"},
    {"running-last", "fail", "FAILED"},
    {"running-last-overdue", "lease end", "FAILED"},
    {"waiting-last-overdue", "lease end", "FAILED"},
    {"running-crashed", "lease end", "FAILED"},
    {"queued-expired", "expiry", "CANCELED"},
    {"queued-expired", "grant", "CANCELED"},
    {"retry-expired", "due", "CANCELED"},
    {"created", "cancel", "CANCELED"},
    {"queued", "cancel", "CANCELED"},
    {"running", "force cancel", "CANCELED"},
    {"running", "fail CANCELED", "CANCELED"},
    {"running-cancel", "hand off", "CANCELED"},
    {"running-cancel-lost", "lease end", "CANCELED"},
    {"running-cancel", "recover", "CANCELED"},
    {"retry", "finish", "COMPLETED"},
    {"running", "finish fatal", "FAILED"},
    {"scheduled", "resolve", "COMPLETED"},
    {"scheduled", "resolve error", "FAILED"},
};

TEST(Callback, IsSpawnedByEveryWayToEnd) {
  for (const Ending& ending : endings) {
    SCOPED_TRACE(ending.situation + " | " + ending.event);
    const Situation situation = with_callback(ending.situation, Rules());
    const auto change = std::get<Change>(happens(ending.event, situation, Rules()));
    ASSERT_TRUE(is_terminal(change.after.state));
    ASSERT_TRUE(change.spawn.has_value());
    const NewJob& spawned = *change.spawn;
    EXPECT_EQ(spawned.type, "longshore.callback");
    EXPECT_EQ(spawned.queue, "longshore.callbacks");
    EXPECT_TRUE(is_platform_type(spawned.type));
    EXPECT_TRUE(spawned.job_key.empty());
    EXPECT_EQ(spawned.policy.max_retries, 12);
    EXPECT_EQ(spawned.policy.backoff.base, Duration::seconds(5));
    EXPECT_FALSE(spawned.callback.has_value()) << "a delivery delivers nothing itself";
    const auto payload = boost::json::parse(spawned.body.payload).as_object();
    EXPECT_EQ(payload.at("jobId"), boost::json::value(to_text(change.after.id)));
    EXPECT_EQ(payload.at("jobType"), "report.build");
    EXPECT_EQ(payload.at("status"), boost::json::value(ending.status));
    EXPECT_EQ(payload.at("completedAt"), boost::json::value(to_text(*change.after.completed_at)));
    EXPECT_EQ(payload.at("url"), "https://example.com/done?\"7\"");
    EXPECT_EQ(payload.at("secretName"), "billing");
  }
}

TEST(Callback, IsSpawnedAlsoWhereASystemClaimEndsTheJob) {
  Rules rules;
  rules.cancel_path = Rules::CancelPath::system_claim;
  for (const char* event : {"cancel", "expiry"}) {
    const Situation situation = with_callback("queued-expired", rules);
    const auto change = std::get<Change>(happens(event, situation, rules));
    ASSERT_EQ(change.after.state, State::dead);
    ASSERT_TRUE(change.spawn.has_value());
    EXPECT_NE(change.spawn->body.payload.find("CANCELED"), std::string::npos);
  }
}

TEST(Callback, IsTheSameJobHoweverOftenTheSameEndIsTried) {
  std::set<JobId> ids;
  std::set<std::string> keys;
  for (const char* name : {"running", "running-last"}) {
    const Situation situation = with_callback(name, Rules());
    const auto once = std::get<Change>(happens("complete", situation, Rules()));
    const auto twice = std::get<Change>(happens("complete", situation, Rules()));
    EXPECT_EQ(once.spawn->id, twice.spawn->id);
    EXPECT_EQ(once.spawn->idempotency_key, twice.spawn->idempotency_key);
    EXPECT_EQ(once.spawn->body, twice.spawn->body);
    ids.insert(once.spawn->id);
    keys.insert(once.spawn->idempotency_key);
  }
  EXPECT_EQ(ids.size(), 2u) << "another end, at another version, is another delivery";
  EXPECT_EQ(keys.size(), 2u);
}

TEST(Callback, HasAnIdThatReadsBackAsAJobs) {
  const Situation situation = with_callback("running", Rules());
  const auto change = std::get<Change>(happens("complete", situation, Rules()));
  EXPECT_EQ(parse_job_id(to_text(change.spawn->id)), change.spawn->id);
  EXPECT_NE(change.spawn->id, change.after.id);
}

TEST(Callback, IsNotSpawnedBeforeTheEnd) {
  for (const char* event : {"fail", "release", "hand off", "heartbeat", "cancel", "recover"}) {
    SCOPED_TRACE(event);
    const auto decision = happens(event, with_callback("running", Rules()), Rules());
    EXPECT_FALSE(std::get<Change>(decision).spawn.has_value());
  }
}

TEST(Callback, IsNotSpawnedByARedriveOfWhatHasEnded) {
  const auto decision = happens("redrive", with_callback("dead", Rules()), Rules());
  EXPECT_FALSE(std::get<Change>(decision).spawn.has_value());
}

TEST(Callback, IsNotSpawnedWhereNoneWasAsked) {
  Situation situation = with_callback("running", Rules());
  situation.record.job.callback.reset();
  EXPECT_FALSE(std::get<Change>(happens("complete", situation, Rules())).spawn.has_value());
}

}  // namespace
}  // namespace longshore
