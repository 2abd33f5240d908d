// The commands about jobs, as rows of the table.
#include "cli/client/profile_view.h"
#include "cli/command.h"
#include "cli/terminal/confirm.h"

namespace longshore {
namespace {

using Kind = Flag::Kind;

const std::vector<std::string_view> server_options = {"server",  "token", "token-file",
                                                      "ca-cert", "json",  "output"};
constexpr Flag all_flag = {"--all", "every one there is", Kind::boolean};

CliCommand enqueue() {
  return {
      .name = "enqueue",
      .summary = "bring a job in, or many",
      .detail =
          "With --wait or --follow the exit code tells how the job ended: 0 when it "
          "completed, 6 when it failed or was canceled, 1 when it has not ended in time.",
      .arguments = {{.name = "JOB_TYPE",
                     .help = "what kind of job it is; with --batch, of lines without a jobType",
                     .required = false}},
      .options = server_options,
      .flags = {{"--payload", "its payload, JSON; - reads standard input", Kind::text, "JSON"},
                {"--payload-file", "a file that holds the payload", Kind::text, "FILE"},
                {"--queue", "its queue", Kind::text, "NAME"},
                {"--priority", "0 to 9, 0 first", Kind::text, "NUMBER"},
                {"--delay", "run it this much later, such as 5m", Kind::text, "DURATION"},
                {"--run-at", "run it then, RFC 3339", Kind::text, "TIME"},
                {"--expires-at", "do not start it any more then, RFC 3339", Kind::text, "TIME"},
                {"--job-key", "one live job of each type and key", Kind::text, "KEY"},
                {"--idempotency-key", "one job ever", Kind::text, "KEY"},
                {"--on-conflict",
                 "what to do if the job key is taken",
                 Kind::text,
                 "WORD",
                 {"existing", "reject", "replace"}},
                {"--max-retries", "0 to 100", Kind::text, "NUMBER"},
                {"--timeout", "longest time of one attempt, such as 90s", Kind::text, "DURATION"},
                {"--tag", "a tag", Kind::many, "TEXT"},
                {"--metadata", "what else to keep with it", Kind::many, "NAME=VALUE"},
                {"--batch",
                 "a file of jobs, a JSON object a line as POST /jobs takes it; - reads standard "
                 "input",
                 Kind::text, "FILE"},
                {"--wait",
                 "wait for its end, so long at most, and print its result",
                 Kind::text,
                 "DURATION",
                 {},
                 false,
                 "never"},
                {"--follow", "tell each step as it happens, then print its result", Kind::boolean}},
      .examples = {{"longshore enqueue email.send --payload '{\"to\": \"ada@example.org\"}'",
                    "prints the job's id"},
                   {"longshore enqueue report --payload-file report.json --wait 10m",
                    "prints its result"},
                   {"longshore enqueue --batch jobs.jsonl", "thousands of jobs, with progress"}},
      .run = run_enqueue};
}

CliCommand get() {
  return {
      .name = "get",
      .summary = "show a job and what happened to it",
      .arguments = {{.name = "JOB_ID", .help = "which job"}},
      .options = server_options,
      .flags = {{"--wait",
                 "wait for its end, so long at most; 6 if it failed",
                 Kind::text,
                 "DURATION",
                 {},
                 false,
                 "never"},
                {"--follow", "tell each step as it happens; 6 if it failed", Kind::boolean},
                {"--result", "print its result instead", Kind::boolean},
                {"--details", "with --json: everything that is stored of it", Kind::boolean},
                view_flag(
                    "also its state, with --json its details, as a profile's document has them")},
      .examples = {{"longshore get 01990a2b-5c00-7000-8000-000000000001",
                    "its fields, why it waits, and a timeline"},
                   {"longshore get 01990a2b-5c00-7000-8000-000000000001 --wait --result",
                    "the result, once there is one"},
                   {"longshore get 01990a2b-5c00-7000-8000-000000000001 --view endpoints",
                    "also its state as the profile endpoints calls and numbers it"}},
      .run = run_get};
}

CliCommand list() {
  return {.name = "list",
          .summary = "list jobs, newest first",
          .options = server_options,
          .flags = with_filter_flags({{"--limit", "so many at most [50]", Kind::text, "NUMBER"},
                                      all_flag,
                                      {"--cursor", "go on where a list ended", Kind::text, "TEXT"},
                                      view_flag("the fields and words of a profile's document")}),
          .examples = {{"longshore list --state RUNNING,WAITING --queue mail",
                        "what is under way in one queue"},
                       {"longshore list --view external --state error",
                        "jobs that will be tried again, as the profile external has them"},
                       {"longshore list --created-after 1h --all --output jsonl",
                        "a JSON object a line, of the last hour"}},
          .run = run_list};
}

CliCommand dead() {
  return {.name = "dead",
          .summary = "list the dead letters: jobs that failed for good",
          .options = server_options,
          .flags = with_filter_flags(
              {{"--redriven", "also those that were redriven", Kind::boolean},
               {"--groups", "errors by type and kind instead of jobs", Kind::boolean},
               {"--limit", "so many at most [50]", Kind::text, "NUMBER"},
               all_flag,
               {"--cursor", "go on where a list ended", Kind::text, "TEXT"},
               view_flag("the fields and words of a profile's document")}),
          .examples = {{"longshore dead --type email.send --error timeout",
                        "those whose error says timeout"},
                       {"longshore dead --groups", "which errors there are, and how many of each"}},
          .run = run_dead};
}

CliCommand cancel() {
  return {.name = "cancel",
          .summary = "cancel jobs, by their ids or by filters",
          .detail =
              "A waiting job ends at once; the worker of a running one is asked to stop. "
              "Filters show how many jobs they find, and ask before anything is done.",
          .arguments = {{.name = "JOB_ID", .help = "which jobs", .required = false, .many = true}},
          .options = server_options,
          .flags = with_confirm_flags(with_filter_flags(
              {all_flag, {"--force", "take a running job away from its worker", Kind::boolean}})),
          .examples = {{"longshore cancel 01990a2b-5c00-7000-8000-000000000001", "one job"},
                       {"longshore cancel --queue mail --state QUEUED --dry-run",
                        "how many would be canceled, and which"}},
          .run = run_cancel};
}

CliCommand redrive() {
  return {.name = "redrive",
          .summary = "run dead or canceled jobs again, by their ids or by filters",
          .detail =
              "Each gets a successor, whose id is printed; the old one stays as it is. "
              "Filters find dead jobs that have no successor yet, show how many, and ask.",
          .arguments = {{.name = "JOB_ID", .help = "which jobs", .required = false, .many = true}},
          .options = server_options,
          .flags = with_confirm_flags(with_filter_flags(
              {all_flag,
               {"--payload", "another payload, JSON", Kind::text, "JSON"},
               {"--to-queue", "another queue", Kind::text, "NAME"},
               {"--priority", "another priority", Kind::text, "NUMBER"},
               {"--max-retries", "other retries", Kind::text, "NUMBER"},
               {"--timeout", "another time limit", Kind::text, "DURATION"},
               {"--delay", "run them this much later, such as 10m", Kind::text, "DURATION"},
               {"--run-at", "run them then, RFC 3339", Kind::text, "TIME"}})),
          .examples = {{"longshore redrive 01990a2b-5c00-7000-8000-000000000001 --to-queue slow",
                        "one job, in another queue"},
                       {"longshore redrive 01990a2b-5c00-7000-8000-000000000001 --delay 10m",
                        "one job, in ten minutes"},
                       {"longshore redrive --type email.send --created-after 1d --yes",
                        "all that died of a day, without asking"}},
          .run = run_redrive};
}

}  // namespace

std::vector<CliCommand> job_commands() {
  return {enqueue(), get(), list(), cancel(), redrive(), dead()};
}

}  // namespace longshore
