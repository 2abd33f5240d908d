// A full disk: a file system of a few megabytes, and a file on it that takes up the free space.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>

#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "core/time/clock.h"
#include "crash/small_disk.h"
#include "faults/possible_states.h"
#include "faults/scratch.h"
#include "store/sqlite/store.h"

namespace longshore::crash {
namespace {

class FullDisk : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(disk_.problem(), "");
    open();
  }

  // With the default options, the reserve is as large as the log may grow: the log can then always
  // be checkpointed and reused, even on a full disk.
  void open() {
    SqliteOptions options{.path = scratch_.path() + "/longshore.db", .reserve_bytes = 2 << 20};
    options.writer.checkpoint_pages = 256;
    auto opened = open_sqlite(options, clock_, Rules{});
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    backend_ = std::move(*opened);
  }

  void reopen() {
    backend_.reset();
    open();
  }

  // Nothing if the whole call was refused for lack of space.
  std::optional<Verdict> send(const Command& command) {
    const auto committed = backend_->store().commit({&command, 1});
    if (!committed.ok()) {
      EXPECT_EQ(committed.error().code, Errc::disk_full) << committed.error().message;
      return std::nullopt;
    }
    states_.acknowledged({&command, 1}, *committed);
    return committed->verdicts.front();
  }

  // Whether there was space for them.
  bool enqueue(int count) {
    Enqueue enqueue{.ns = "main"};
    for (int n = 0; n < count; ++n) {
      enqueue.jobs.push_back({.id = ids_.next(clock_.now()), .type = "mail"});
      enqueue.jobs.back().body.payload = fmt::format(R"("{}")", std::string(200, 'x'));
    }
    const std::optional<Verdict> verdict = send(enqueue);
    if (!verdict) return false;
    const auto* refusal = std::get_if<Refusal>(&*verdict);
    if (refusal != nullptr) {
      EXPECT_EQ(refusal->code, Code::disk_full);
    }
    return refusal == nullptr;
  }

  std::vector<Lease> claim(int limit) {
    const auto verdict = send(
        Claim{.id = random_id<RequestId>(random_), .ns = "main", .worker = "anna", .limit = limit});
    const auto* leased = verdict ? std::get_if<Leased>(&*verdict) : nullptr;
    return leased == nullptr ? std::vector<Lease>{} : leased->leases;
  }

  bool complete(const Lease& lease) {
    const auto verdict = send(Complete{.ns = "main", .job = lease.job, .token = lease.token});
    return verdict && std::holds_alternative<Settled>(*verdict);
  }

  bool heartbeat(const Lease& lease) {
    const auto verdict = send(Heartbeat{
        .id = random_id<RequestId>(random_), .ns = "main", .job = lease.job, .token = lease.token});
    return verdict && std::holds_alternative<Beaten>(*verdict);
  }

  void expect_all_there() {
    states_.compare_with(backend_->catalog(), {.logs = true});
    EXPECT_EQ(states_.contradiction(), "");
    const auto audit = backend_->catalog().audit();
    ASSERT_TRUE(audit.ok()) << audit.error().message;
    EXPECT_TRUE(audit->sound()) << audit->findings.front().what;
  }

  const std::string& directory() const { return scratch_.path(); }

 private:
  faults::Scratch scratch_;
  SmallDisk disk_{scratch_.path(), 24};
  ManualClock clock_{Instant::millis(1'767'225'600'000)};
  SeededRandom random_{1};
  JobIds ids_{random_};
  faults::PossibleStates states_{clock_, Rules{}};
  std::unique_ptr<Backend> backend_;
};

TEST_F(FullDisk, RefusesNewJobsWhileWorkersSettleAndRecoversByItself) {
  for (int n = 0; n < 20; ++n) ASSERT_TRUE(enqueue(100));
  const std::vector<Lease> leases = claim(1000);
  ASSERT_EQ(leases.size(), 1000U);
  Ballast ballast(directory(), 512 << 10);

  int accepted = 0;
  while (accepted < 2000 && enqueue(20)) ++accepted;
  ASSERT_LT(accepted, 2000) << "the disk never filled up";
  EXPECT_FALSE(enqueue(1));
  EXPECT_FALSE(enqueue(1));

  int settled = 0, beaten = 0;
  for (const Lease& lease : leases) {
    beaten += heartbeat(lease) ? 1 : 0;
    settled += complete(lease) ? 1 : 0;
  }
  fmt::print(
      "full after {} more groups; then {} heartbeats and {} of {} settled from the reserve\n",
      accepted, beaten, settled, leases.size());
  EXPECT_EQ(beaten, 1000);
  EXPECT_EQ(settled, 1000);
  EXPECT_FALSE(enqueue(1)) << "the reserve is for settlements";
  expect_all_there();

  ballast.remove();
  EXPECT_TRUE(enqueue(1)) << "there is space again, without a restart";
  EXPECT_EQ(claim(10).size(), 10U);
  reopen();
  expect_all_there();
}

TEST_F(FullDisk, KeepsEverythingWhenReopenedWhileFull) {
  for (int n = 0; n < 10; ++n) ASSERT_TRUE(enqueue(100));
  const std::vector<Lease> leases = claim(100);
  Ballast ballast(directory(), 256 << 10);
  int accepted = 0;
  while (accepted < 2000 && enqueue(20)) ++accepted;
  ASSERT_LT(accepted, 2000) << "the disk never filled up";
  int settled = 0;
  for (const Lease& lease : leases) settled += complete(lease) ? 1 : 0;
  EXPECT_EQ(settled, 100);
  reopen();
  expect_all_there();
  ballast.remove();
  EXPECT_TRUE(enqueue(20));
  reopen();
  expect_all_there();
}

}  // namespace
}  // namespace longshore::crash
