// Hand-offs that the store refuses because of its profile.
#include "unit/worker/running_worker.h"

namespace longshore {
namespace {

class RefusedHandOff : public RunningWorker {
 protected:
  RefusedHandOff() {
    leases->refuses_hand_offs = true;
    make({.concurrency = 1});
    worker->handle("T", [](Context& context) {
      context.log("asked the printer");
      return hand_off();
    });
  }

  void expect_failed(const JobId& id) {
    const JobRecord record = ended(id);
    EXPECT_EQ(record.job.state, State::dead);
    EXPECT_EQ(record.job.attempt, 1) << "another attempt would end the same way";
    EXPECT_EQ(record.error->code, "NOT_IN_PROFILE");
    EXPECT_EQ(record.error->message,
              "the handler's hand-off was refused: "
              "the store's profile orchestrator does not allow hand-off");
    EXPECT_EQ(harbour.longshore().catalog().logs("default", id)->at(0).text, "asked the printer\n");
  }
};

TEST_F(RefusedHandOff, FailsTheJobInAThread) {
  ASSERT_TRUE(worker->start().ok());
  expect_failed(enqueue());
}

TEST_F(RefusedHandOff, FailsTheJobWithRemoteLeases) {
  leases->blocks = true;
  ASSERT_TRUE(worker->start().ok());
  expect_failed(enqueue());
}

TEST_F(RefusedHandOff, FailsTheJobInRunPending) {
  const JobId id = enqueue();
  EXPECT_EQ(worker->run_pending().value(), 1);
  expect_failed(id);
}

}  // namespace
}  // namespace longshore
