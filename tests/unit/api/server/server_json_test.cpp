#include "api/server/server_json.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "unit/api/sample_job.h"

namespace longshore {
namespace {

namespace json = boost::json;

TEST(AuditTrail, ShowsActorActionAndTarget) {
  const AuditEntry entry{.number = 7,
                         .at = sample_time,
                         .ns = "default",
                         .actor = {.name = "ada", .request_id = "r"},
                         .action = "pause",
                         .target = "q"};
  EXPECT_EQ(audit_trail_json({entry}, false),
            R"({"audit":[{"at":"2026-11-15T02:00:00.000Z","actor":"ada","requestId":"r",)"
            R"("action":"pause","target":"q"}],"nextCursor":null})");
  EXPECT_EQ(audit_trail_json({}, false), R"({"audit":[],"nextCursor":null})");
  const json::value more = json::parse(audit_trail_json({entry}, true));
  EXPECT_EQ(parse_audit_cursor(more.at("nextCursor").as_string()), 7);
  for (const char* bad : {"", "n", "7", "nseven"}) EXPECT_FALSE(parse_audit_cursor(bad)) << bad;
}

TEST(Audits, NameJobsOnlyInTheFullReport) {
  const Audit audit{.jobs_checked = 4, .findings = {{.rule = "r", .what = "job 1"}}};
  const CheckReport report{.outcome = audit, .began = sample_time, .ended = sample_time};
  const json::value full = json::parse(check_report_json(report, true));
  EXPECT_EQ(full.at("findings"), json::parse(R"([{"rule":"r","what":"job 1"}])"));
  EXPECT_EQ(full.at("sound"), false);
  EXPECT_EQ(full.at("jobsChecked"), 4);
  const json::value part = json::parse(check_report_json(report, false));
  EXPECT_EQ(part.at("findings"), json::parse(R"([{"rule":"r"}])"));
}

}  // namespace
}  // namespace longshore
