#include "api/server/server_json.h"
#include "api/wire/json_out.h"

namespace longshore {
namespace {

void write_audit(JsonOut& out, const Audit& audit, bool in_full) {
  out.member("sound", audit.sound());
  out.member("jobsChecked", audit.jobs_checked);
  out.key("findings");
  out.open('[');
  for (const Finding& finding : audit.findings) {
    out.open('{');
    out.member("rule", finding.rule);
    if (in_full) out.member("what", finding.what);
    out.close('}');
  }
  out.close(']');
  if (!audit.warnings.empty()) {
    out.key("warnings");
    out.open('[');
    for (const std::string& warning : audit.warnings) out.value(warning);
    out.close(']');
  }
}

void write_report(JsonOut& out, const CheckReport& report, bool in_full) {
  out.open('{');
  write_audit(out, *report.outcome, in_full);
  out.member("startedAt", report.began);
  out.member("finishedAt", report.ended);
  out.close('}');
}

void write_progress(JsonOut& out, const CheckUnderWay& under_way) {
  out.open('{');
  out.member("startedAt", under_way.began);
  out.member("jobsChecked", under_way.progress.jobs_checked);
  out.member("checking", under_way.progress.rule.empty() ? "records" : under_way.progress.rule);
  out.close('}');
}

}  // namespace

std::string check_report_json(const CheckReport& report, bool in_full) {
  JsonOut out;
  write_report(out, report, in_full);
  return out.take();
}

std::string check_progress_json(const CheckUnderWay& under_way) {
  JsonOut out;
  out.open('{');
  out.key("progress");
  write_progress(out, under_way);
  out.close('}');
  return out.take();
}

std::string checks_json(const CheckReport* last, const std::optional<CheckUnderWay>& under_way,
                        bool in_full) {
  JsonOut out;
  out.open('{');
  out.key("report");
  if (last != nullptr) {
    write_report(out, *last, in_full);
  } else {
    out.value(nullptr);
  }
  out.key("progress");
  if (under_way) {
    write_progress(out, *under_way);
  } else {
    out.value(nullptr);
  }
  out.close('}');
  return out.take();
}

}  // namespace longshore
