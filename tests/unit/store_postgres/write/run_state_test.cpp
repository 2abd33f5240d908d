// The value that holds how a job has run.
#include "store/postgres/write/run_state.h"

#include <gtest/gtest.h>

namespace longshore::postgres {
namespace {

Job new_job() {
  Job job;
  job.created_at = job.updated_at = Instant::millis(1'700'000'000'000);
  job.version = job.history_count = 2;
  return job;
}

Job job_that_ran() {
  Job job = new_job();
  job.version = 9;
  job.history_count = 7;
  job.first_started_at = job.created_at;
  job.started_at = job.created_at + Duration::days(40);
  job.completed_at = job.created_at - Duration::millis(3);  // a clock that was set back
  job.execution = Duration::millis(1);
  job.cancel_requested = true;
  job.withdrawn = true;
  job.progress = 12.5;
  job.attempt = 3;
  job.failures = 2;
  job.crashes = 1;
  job.retry_count = 2;
  job.epoch = INT64_MAX;
  job.lease = Duration::seconds(30);
  job.deadline_at = Instant::never();
  job.settled = Settlement{.by = {.epoch = 5, .claim = {.high = ~0ULL, .low = 7}},
                           .kind = Settlement::Kind::complete,
                           .outcome = 0x0102030405060708,
                           .status = Status::completed};
  return job;
}

Job read_back(const Job& job) {
  Job read;
  read.created_at = job.created_at;
  read.updated_at = job.updated_at;
  read.version = job.version;
  read_course(course_bytes(job), read);
  return read;
}

TEST(RunState, IsEmptyForAJobThatHasNotRun) {
  EXPECT_EQ(course_bytes(new_job()), "");
  EXPECT_EQ(read_back(new_job()), new_job());
}

TEST(RunState, ComesBackAsItWentIn) { EXPECT_EQ(read_back(job_that_ran()), job_that_ran()); }

TEST(RunState, PassesOverPartsThatALaterVersionAdded) {
  const std::string later = std::string("\x70\x05", 2) + std::string(
                                                             "\xF1\x03"
                                                             "abc",
                                                             5);
  Job read = new_job();
  read_course(later + course_bytes(job_that_ran()), read);
  EXPECT_EQ(read.attempt, 3);
}

TEST(RunState, IsReadAsFarAsItGoes) {
  const std::string whole = course_bytes(job_that_ran());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    SCOPED_TRACE(length);
    Job read = new_job();
    read_course(std::string_view(whole).substr(0, length), read);
    EXPECT_NE(read, job_that_ran());
  }
}

}  // namespace
}  // namespace longshore::postgres
