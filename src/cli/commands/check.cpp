#include <iostream>

#include "cli/client/json_row.h"
#include "cli/client/server_calls.h"
#include "cli/client/store_access.h"
#include "cli/command.h"
#include "cli/terminal/figures.h"
#include "cli/terminal/output.h"
#include "cli/terminal/spinner.h"
#include "cli/terminal/terminal.h"
#include "longshore/json.h"
#include "runtime/repair.h"
#include "server/store_tokens.h"

namespace longshore {
namespace {

// Longer than the server takes to reply with 202 and its progress.
constexpr Duration check_timeout = Duration::minutes(2);
constexpr std::size_t findings_shown = 50;

struct Report {
  std::string where;
  Audit audit;
  bool repaired = false;          // a repair was attempted
  std::vector<std::string> done;  // repairs
};

Result<Report> check_server(const Settings& settings) {
  Result<std::shared_ptr<HttpClient>> client = connect(settings);
  if (!client) return client.error();
  const Spinner spinner("checking the store of " + settings.text("server"));
  // Later calls join the check in progress.
  const HttpCall call{.method = "POST", .path = "/check", .timeout = check_timeout};
  Result<HttpReply> reply = call_api(**client, call);
  while (reply && reply->status == 202) reply = call_api(**client, call);
  if (!reply) return reply.error();
  const JsonRow answer(reply->body);
  Report report{.where = "the store of " + settings.text("server")};
  report.audit.jobs_checked = answer.integer("jobsChecked");
  for (const std::string_view finding : answer.list("findings")) {
    const JsonRow row(finding);
    report.audit.findings.push_back({row.text("rule"), row.text("what")});
  }
  for (const std::string_view warning : answer.list("warnings")) {
    report.audit.warnings.emplace_back(warning.substr(1, warning.size() - 2));
  }
  return report;
}

// A corrupt store that cannot be opened is a finding, not an error of the command.
Result<Report> unopened(const Settings& settings, const Error& error) {
  if (error.code != Errc::corrupt) return error;
  Report report{.where = without_password(settings.text("store"))};
  report.audit.findings.push_back({"file-damaged", error.message});
  return report;
}

Result<Report> check_store(const Settings& settings) {
  const std::string name = without_password(settings.text("store"));
  const Spinner spinner("checking " + name);
  Result<std::unique_ptr<OfflineStore>> store = open_offline_store(settings);
  if (!store) return unopened(settings, store.error());
  Result<Audit> audit = (*store)->backend->catalog().audit();
  if (!audit) return unopened(settings, audit.error());
  return Report{.where = name, .audit = std::move(*audit)};
}

using RepairCall = Result<std::vector<std::string>> (*)(std::string_view, Clock&, const Rules&);

Result<Report> repair_and_check(const Settings& settings, RepairCall repair) {
  Rules rules;
  SystemClock clock;
  {
    Result<std::unique_ptr<OfflineStore>> store = open_offline_store(settings);
    if (!store && store.error().code != Errc::corrupt) return store.error();
    if (store) rules = (*store)->rules;
  }
  Result<std::vector<std::string>> done = repair(settings.text("store"), clock, rules);
  if (!done && done.error().code == Errc::invalid) return done.error();
  if (!done) return unopened(settings, done.error());
  Result<Report> report = check_store(settings);
  if (!report) return report;
  report->repaired = true;
  report->done = std::move(*done);
  return report;
}

Result<Report> check(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  const bool clock = invocation.has("--repair-clock");
  const bool repair = clock || invocation.has("--repair");
  if (prefers_server(settings)) {
    if (!repair) return check_server(settings);
    return Error{Errc::invalid, std::string(clock ? "--repair-clock" : "--repair") +
                                    " needs a store that is not in use: stop the server and "
                                    "set --store instead of --server"};
  }
  if (repair) return repair_and_check(settings, clock ? repair_clock : repair_store);
  Result<Report> report = check_store(settings);
  if (report || !is_store_held(report.error())) return report;
  std::cerr << "A server uses the store; sending the request to " << settings.text("server")
            << std::endl;
  return check_server(settings);
}

void print_json(const Report& report) {
  JsonWriter json;
  json.begin_object();
  json.name("sound");
  json.boolean(report.audit.sound());
  json.name("jobsChecked");
  json.integer(report.audit.jobs_checked);
  json.name("findings");
  json.begin_array();
  for (const Finding& finding : report.audit.findings) {
    json.element();
    json.begin_object();
    json.name("rule");
    json.string(finding.rule);
    json.name("what");
    json.string(sanitized(finding.what));
    json.end_object();
  }
  json.end_array();
  if (!report.audit.warnings.empty()) {
    json.name("warnings");
    json.begin_array();
    for (const std::string& warning : report.audit.warnings) {
      json.element();
      json.string(sanitized(warning));
    }
    json.end_array();
  }
  if (report.repaired) {
    json.name("repaired");
    json.begin_array();
    for (const std::string& sentence : report.done) {
      json.element();
      json.string(sentence);
    }
    json.end_array();
  }
  json.end_object();
  std::cout << json.take() << "\n";
}

void print_text(const Report& report) {
  const bool colours = screen().colours;
  for (const std::string& sentence : report.done) {
    std::cout << painted("repaired", Colour::green, colours) << "  " << sentence << "\n";
  }
  if (report.repaired && report.done.empty()) std::cout << "Nothing to repair\n";
  for (const std::string& warning : report.audit.warnings) {
    std::cout << painted("warning", Colour::yellow, colours) << "  " << sanitized(warning) << "\n";
  }
  const auto& findings = report.audit.findings;
  for (std::size_t i = 0; i < std::min(findings.size(), findings_shown); ++i) {
    std::cout << painted(findings[i].rule, Colour::red, colours) << "  "
              << sanitized(findings[i].what) << "\n";
  }
  if (findings.size() > findings_shown) {
    std::cout << "and " << findings.size() - findings_shown << " more; --json lists all\n";
  }
  std::cout << report.where << ": " << jobs_text(report.audit.jobs_checked) << " checked, "
            << (findings.empty()
                    ? painted("sound", Colour::green, colours)
                    : painted(count_text(std::ssize(findings)) + " findings", Colour::red, colours))
            << "\n";
}

}  // namespace

ExitCode run_check(const Invocation& invocation) {
  Result<Report> report = check(invocation);
  if (!report) {
    const Error& error = report.error();
    return error.code == Errc::invalid ? usage_error(error.message) : print_error(error);
  }
  if (format_of(invocation.settings) == Format::text) {
    print_text(*report);
  } else {
    print_json(*report);
  }
  if (report->audit.sound()) return ExitCode::done;
  if (!report->repaired) {
    std::cerr << "docs/invariants.md explains the rules. Stop the server, back up the store, then "
                 "run `longshore check --repair`"
              << std::endl;
  }
  return ExitCode::failed;
}

}  // namespace longshore
