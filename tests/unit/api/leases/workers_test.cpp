#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/leases/lease_json.h"
#include "unit/api/sample_job.h"

namespace longshore {
namespace {

namespace json = boost::json;

TEST(Workers, ShowSlotsJobsAndWhenTheyWereSeen) {
  const std::vector<WorkerView> workers = {
      {.info = {.worker = "w1", .queues = {"a", "b"}, .types = {"T"}, .slots = 3, .host = "h"},
       .seen_at = sample_time,
       .jobs = {sample_id(1)}},
      {.info = {.worker = "w2"}}};
  const json::value shown = json::parse(workers_json(workers));
  EXPECT_EQ(shown.at("workers").at(0),
            json::parse(R"({"workerId": "w1", "queues": ["a", "b"], "jobTypes": ["T"], "slots": 3,
                            "host": "h", "version": null,
                            "lastSeenAt": "2026-11-15T02:00:00.000Z",
                            "jobs": ["019a0000-0000-7000-8000-000000000001"]})"));
  EXPECT_TRUE(shown.at("workers").at(1).at("jobTypes").is_null());
}

}  // namespace
}  // namespace longshore
