// A job with a value in every field, for tests of its JSON.
#pragma once

#include "longshore/job.h"

namespace longshore {

inline constexpr Instant sample_time = Instant::millis(1'794'708'000'000);  // 2026-11-15T02:00:00Z

inline JobId sample_id(std::uint64_t number = 1) {
  return {.high = 0x019A'0000'0000'7000, .low = 0x8000'0000'0000'0000 + number};
}

inline JobRecord sample_record() {
  JobRecord record;
  Job& job = record.job;
  job.id = sample_id();
  job.ns = "default";
  job.type = "mail.send";
  job.queue = "mail";
  job.priority = 3;
  job.job_key = "order-7";
  job.idempotency_key = "once";
  job.policy = {.max_retries = 4, .timeout = Duration::millis(1500)};
  job.number = 17;
  job.state = State::running;
  job.version = 5;
  job.run_at = job.created_at = sample_time;
  job.updated_at = sample_time + Duration::seconds(1);
  job.first_started_at = job.started_at = sample_time + Duration::seconds(1);
  job.execution = Duration::millis(250);
  job.progress = 12.5;
  job.attempt = 2;
  job.failures = 1;
  job.crashes = 1;
  job.retry_count = 1;
  job.epoch = 2;
  job.worker = "w1";
  job.lease_expires_at = sample_time + Duration::seconds(31);
  job.deadline_at = sample_time + Duration::seconds(90);
  record.body = {.payload = "{ \"to\" : [1e2] }",
                 .tags = {"red", "blue"},
                 .metadata = R"({"a":"b"})",
                 .request = R"({"method":"GET"})"};
  record.checkpoint = "[1]";
  record.error = JobError{.code = "SMTP", .message = "no route", .details = R"({"n":1})"};
  record.errors = {{.attempt = 1, .at = sample_time, .error = *record.error}};
  record.history = {{.seq = 1, .to = State::created, .cause = Cause::enqueue, .at = sample_time},
                    {.seq = 2,
                     .from = State::created,
                     .to = State::queued,
                     .cause = Cause::accept,
                     .at = sample_time},
                    {.seq = 3,
                     .from = State::queued,
                     .to = State::running,
                     .cause = Cause::claim,
                     .at = sample_time + Duration::seconds(1),
                     .epoch = 1,
                     .worker = "w0"},
                    {.seq = 4,
                     .from = State::running,
                     .to = State::retry,
                     .cause = Cause::fail,
                     .at = sample_time,
                     .epoch = 1,
                     .worker = "w0",
                     .detail = "SMTP"}};
  return record;
}

}  // namespace longshore
