// The rows of commands about jobs.
#include "cli/client/profile_view.h"
#include "cli/command.h"
#include "cli/terminal/confirm.h"

namespace longshore {
namespace {

using Kind = Flag::Kind;

const std::vector<std::string_view> server_options = {"server",  "token", "token-file",
                                                      "ca-cert", "json",  "output"};
constexpr Flag all_flag = {"--all", "all jobs", Kind::boolean};

CliCommand enqueue() {
  return {.name = "enqueue",
          .summary = "Enqueue one or more jobs",
          .detail =
              "With --wait or --follow the exit code is the outcome of the job: 0 when it "
              "completed, 6 when it failed or was canceled, 1 when it did not end in time.",
          .arguments = {{.name = "JOB_TYPE",
                         .help = "type of the job; with --batch, of lines without a jobType",
                         .required = false}},
          .options = server_options,
          .flags =
              {{"--payload", "payload, JSON; - reads standard input", Kind::text, "JSON"},
               {"--payload-file", "file that contains the payload", Kind::text, "FILE"},
               {"--queue", "queue of the job", Kind::text, "NAME"},
               {"--priority", "priority from 0 (first) to 9", Kind::text, "NUMBER"},
               {"--delay", "delay before the job runs, such as 5m", Kind::text, "DURATION"},
               {"--run-at", "time at which the job runs, RFC 3339", Kind::text, "TIME"},
               {"--expires-at", "time after which the job is not started, RFC 3339", Kind::text,
                "TIME"},
               {"--job-key", "allow one live job with this type and key", Kind::text, "KEY"},
               {"--idempotency-key", "create one job for this key, however often it is sent",
                Kind::text, "KEY"},
               {"--on-conflict",
                "what to do if a live job has the job key",
                Kind::text,
                "WORD",
                {"existing", "reject", "replace"}},
               {"--max-retries", "number of retries, 0 to 100", Kind::text, "NUMBER"},
               {"--timeout", "time limit of one attempt, such as 90s", Kind::text, "DURATION"},
               {"--tag", "tag of the job", Kind::many, "TEXT"},
               {"--metadata", "additional data stored with the job", Kind::many, "NAME=VALUE"},
               {"--batch",
                "file with one JSON object per line, in the format of POST /jobs; - reads standard "
                "input",
                Kind::text, "FILE"},
               {"--wait",
                "wait at most this long for the job to end, then print its result",
                Kind::text,
                "DURATION",
                {},
                false,
                "never"},
               {"--follow", "print each event of the job as it happens, then its result",
                Kind::boolean}},
          .examples = {{"longshore enqueue email.send --payload '{\"to\": \"ada@example.org\"}'",
                        "print the ID of the new job"},
                       {"longshore enqueue report --payload-file report.json --wait 10m",
                        "wait for the job and print its result"},
                       {"longshore enqueue --batch jobs.jsonl",
                        "enqueue thousands of jobs, with progress"}},
          .run = run_enqueue};
}

CliCommand get() {
  return {
      .name = "get",
      .summary = "Show a job and its history",
      .arguments = {{.name = "JOB_ID", .help = "ID of the job"}},
      .options = server_options,
      .flags = {{"--wait",
                 "wait at most this long for the job to end; exit code 6 if it failed",
                 Kind::text,
                 "DURATION",
                 {},
                 false,
                 "never"},
                {"--follow", "print each event of the job as it happens; exit code 6 if it failed",
                 Kind::boolean},
                {"--result", "print only the result of the job", Kind::boolean},
                {"--details", "with --json: all stored fields", Kind::boolean},
                view_flag(
                    "also show the state, and with --json the details, in the terms of a profile")},
      .examples = {{"longshore get 01990a2b-5c00-7000-8000-000000000001",
                    "show its fields, why it waits, and a timeline"},
                   {"longshore get 01990a2b-5c00-7000-8000-000000000001 --wait --result",
                    "print the result once there is one"},
                   {"longshore get 01990a2b-5c00-7000-8000-000000000001 --view endpoints",
                    "also show its state in the terms of the profile endpoints"}},
      .run = run_get};
}

CliCommand list() {
  return {
      .name = "list",
      .summary = "List jobs, newest first",
      .options = server_options,
      .flags = with_filter_flags({{"--limit", "maximum number of jobs [50]", Kind::text, "NUMBER"},
                                  all_flag,
                                  {"--cursor", "continue where a list ended", Kind::text, "TEXT"},
                                  view_flag("show the fields and terms of a profile")}),
      .examples = {{"longshore list --state RUNNING,WAITING --queue mail",
                    "show running and waiting jobs of one queue"},
                   {"longshore list --view external --state error",
                    "show jobs waiting for a retry, in the terms of the profile external"},
                   {"longshore list --created-after 1h --all --output jsonl",
                    "print the jobs of the last hour, one JSON object per line"}},
      .run = run_list};
}

CliCommand dead() {
  return {.name = "dead",
          .summary = "List dead letters: jobs that failed permanently",
          .options = server_options,
          .flags = with_filter_flags(
              {{"--redriven", "include jobs that were redriven", Kind::boolean},
               {"--groups", "show errors grouped by job type and error code instead of jobs",
                Kind::boolean},
               {"--limit", "maximum number of jobs [50]", Kind::text, "NUMBER"},
               all_flag,
               {"--cursor", "continue where a list ended", Kind::text, "TEXT"},
               view_flag("show the fields and terms of a profile")}),
          .examples = {{"longshore dead --type email.send --error timeout",
                        "show jobs whose error contains timeout"},
                       {"longshore dead --groups", "show each error and the number of jobs"}},
          .run = run_dead};
}

CliCommand cancel() {
  return {
      .name = "cancel",
      .summary = "Cancel jobs, by ID or by filter",
      .detail =
          "A waiting job ends at once; the worker of a running job is asked to stop. "
          "With filters, prints the number of matching jobs and asks for confirmation.",
      .arguments = {{.name = "JOB_ID", .help = "IDs of jobs", .required = false, .many = true}},
      .options = server_options,
      .flags = with_confirm_flags(with_filter_flags(
          {all_flag,
           {"--force", "cancel running jobs without waiting for their workers", Kind::boolean}})),
      .examples = {{"longshore cancel 01990a2b-5c00-7000-8000-000000000001", "cancel one job"},
                   {"longshore cancel --queue mail --state QUEUED --dry-run",
                    "list the jobs that would be canceled"}},
      .run = run_cancel};
}

CliCommand redrive() {
  return {
      .name = "redrive",
      .summary = "Redrive dead or canceled jobs, by ID or by filter",
      .detail =
          "Creates a successor of each job and prints its ID; the old job does not change. "
          "Filters match dead jobs without a successor; asks for confirmation.",
      .arguments = {{.name = "JOB_ID", .help = "IDs of jobs", .required = false, .many = true}},
      .options = server_options,
      .flags = with_confirm_flags(with_filter_flags(
          {all_flag,
           {"--payload", "payload of the new job, JSON", Kind::text, "JSON"},
           {"--to-queue", "queue of the new job", Kind::text, "NAME"},
           {"--priority", "priority of the new job", Kind::text, "NUMBER"},
           {"--max-retries", "retries of the new job", Kind::text, "NUMBER"},
           {"--timeout", "time limit of an attempt of the new job", Kind::text, "DURATION"},
           {"--delay", "delay before the new job runs, such as 10m", Kind::text, "DURATION"},
           {"--run-at", "time at which the new job runs, RFC 3339", Kind::text, "TIME"}})),
      .examples = {{"longshore redrive 01990a2b-5c00-7000-8000-000000000001 --to-queue slow",
                    "redrive one job into another queue"},
                   {"longshore redrive 01990a2b-5c00-7000-8000-000000000001 --delay 10m",
                    "redrive one job in ten minutes"},
                   {"longshore redrive --type email.send --created-after 1d --yes",
                    "redrive all jobs that were created in the last day, without confirmation"}},
      .run = run_redrive};
}

}  // namespace

std::vector<CliCommand> job_commands() {
  return {enqueue(), get(), list(), cancel(), redrive(), dead()};
}

}  // namespace longshore
