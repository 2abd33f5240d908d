#include "api/errors/error_pages.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "unit/api/sample_job.h"

namespace longshore {
namespace {

namespace json = boost::json;

TEST(Errors, ShowTheirPatternAndTheStatesOfTheirJobs) {
  const ErrorGroup group{.type = "A",
                         .fingerprint = 255,
                         .count = 2,
                         .first_at = sample_time,
                         .last_at = sample_time,
                         .sample = sample_id(1),
                         .code = "X",
                         .message = "m"};
  const GroupJobs jobs{.dead = 3, .retrying = 2, .recovered = 1, .more = true};
  const json::value shown =
      json::parse(error_page_json({.groups = {group}, .jobs = {jobs}, .next = {}}));
  EXPECT_TRUE(shown.at("nextCursor").is_null());
  EXPECT_EQ(shown.at("errors").at(0),
            json::parse(R"({"jobType": "A", "fingerprint": "00000000000000ff", "count": 2,
                            "first": "2026-11-15T02:00:00.000Z", "last": "2026-11-15T02:00:00.000Z",
                            "sample": "019a0000-0000-7000-8000-000000000001", "code": "X",
                            "message": "m", "dead": 3, "retrying": 2, "recovered": 1,
                            "more": true})"));
}

TEST(Errors, HaveCursorsThatRoundTrip) {
  const GroupCursor place{sample_time, 0xFFFF'FFFF'0000'0001};
  EXPECT_EQ(parse_group_cursor(cursor_text(place)), place);
  for (const char* bad : {"", "g", "a00", "g0", "gxx"})
    EXPECT_FALSE(parse_group_cursor(bad)) << bad;
}

}  // namespace
}  // namespace longshore
