#include "cli/client/batch.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iostream>
#include <utility>

#include "cli/client/json_row.h"
#include "cli/client/server_calls.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "client/wire/wire.h"
#include "core/json/json_scan.h"
#include "core/json/json_value.h"

namespace longshore {
namespace {

// Half of the server's limits: smaller parts show progress and cost little more.
constexpr std::int64_t part_jobs_max = 1'000;
constexpr std::size_t part_bytes_max = 8 * 1024 * 1024;
constexpr Duration part_timeout = Duration::minutes(2);

// The number of lines of a file; nothing for input that can be read only once.
std::optional<std::int64_t> count_lines(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (path == "-" || !in || !in.seekg(0)) return std::nullopt;
  std::int64_t lines = 0;
  for (std::string line; std::getline(in, line);) lines += line.empty() ? 0 : 1;
  return lines;
}

// Translates "jobs[3].priority" of a part to the line of its fourth job in the file.
std::string place_in_file(const std::string& field, const BatchPart& part) {
  std::size_t index = 0;
  if (!field.starts_with("jobs[")) return field;
  const auto read = std::from_chars(field.data() + 5, field.data() + field.size(), index);
  if (read.ec != std::errc() || index >= part.lines.size()) return field;
  const std::size_t dot = field.find('.');
  const std::string member = dot == std::string::npos ? "" : " " + field.substr(dot + 1);
  return "line " + std::to_string(part.lines[index]) + ":" + member;
}

ExitCode report_faults(const HttpReply& reply, const BatchPart& part) {
  const JsonRow problem(reply.body);
  for (const std::string_view fault : problem.list("errors")) {
    const JsonRow row(fault);
    std::cerr << "error: " << place_in_file(row.text("field"), part) << " " << row.text("detail")
              << std::endl;
  }
  return print_error(error_of(reply));
}

void report_stored(std::int64_t stored, std::int64_t first_line) {
  std::cerr << (stored == 0 ? "No jobs were stored" : std::to_string(stored) + " jobs were stored")
            << "; none from line " << first_line << " on" << std::endl;
}

class Batch {
 public:
  Batch(const Invocation& invocation, HttpClient& client, std::optional<std::int64_t> total)
      : format_(format_of(invocation.settings)), client_(client), progress_("enqueued", total) {}

  ExitCode run(BatchReader& reader) {
    ExitCode code = ExitCode::done;
    while (code == ExitCode::done) {
      Result<std::optional<BatchPart>> part = reader.next();
      if (!part) {
        progress_.finish();
        code = usage_error(part.error().message);
        std::cerr << progress_.done() << " jobs were stored" << std::endl;
      } else if (!*part) {
        break;
      } else {
        code = send(**part);
      }
    }
    progress_.finish();
    if (format_ == Format::json) print_list(format_, "jobs", jobs_);
    return code;
  }

 private:
  ExitCode send(const BatchPart& part) {
    Result<HttpReply> reply = client_.send(
        {.method = "POST", .path = "/jobs/batch", .body = part.body, .timeout = part_timeout});
    if (!reply) {
      progress_.finish();
      std::cerr << "Unknown outcome: lines " << part.lines.front() << " to " << part.lines.back()
                << " may or may not have been stored" << std::endl;
      return print_error(reply.error());
    }
    if (reply->status < 200 || reply->status >= 300) {
      progress_.finish();
      const ExitCode code = report_faults(*reply, part);
      report_stored(progress_.done(), part.lines.front());
      return code;
    }
    print(JsonRow(reply->body));
    progress_.advance(part.jobs);
    return ExitCode::done;
  }

  void print(const JsonRow& answer) {
    for (const std::string_view job : answer.list("jobs")) {
      if (format_ == Format::json) {
        jobs_.emplace_back(job);
      } else if (format_ == Format::lines) {
        std::cout << job << "\n";
      } else {
        std::cout << JsonRow(job).text("jobId") << "\n";
      }
    }
  }

  const Format format_;
  HttpClient& client_;
  Progress progress_;
  std::vector<std::string> jobs_;
};

}  // namespace

Result<std::string> BatchReader::object_of(const std::string& line) const {
  std::vector<JsonMember> members;
  const auto scanned = scan_object(line, members);
  if (!scanned) {
    return Error{Errc::invalid, "line " + std::to_string(line_) +
                                    " is not a JSON object: " + scanned.fault().what + " at byte " +
                                    std::to_string(scanned.fault().offset)};
  }
  const bool typed = std::ranges::any_of(
      members, [](const JsonMember& member) { return is_named(member, "jobType"); });
  std::string object(scanned->text);
  if (typed || job_type_.empty()) return object;
  std::string type;
  append_json_string(type, job_type_);
  return "{\"jobType\":" + type + (members.empty() ? "" : ",") + object.substr(1);
}

// line_ is still the number of a line that was held back.
bool BatchReader::read(std::string& line) {
  if (!held_.empty()) {
    line = std::exchange(held_, "");
    return true;
  }
  if (!std::getline(in_, line)) return false;
  ++line_;
  return true;
}

Result<std::optional<BatchPart>> BatchReader::next() {
  BatchPart part{.body = "{\"jobs\":["};
  for (std::string line; part.jobs < part_jobs_max && read(line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (part.jobs > 0 && part.body.size() + line.size() > part_bytes_max) {
      held_ = std::move(line);
      break;
    }
    Result<std::string> object = object_of(line);
    if (!object) return object.error();
    part.body += (part.jobs == 0 ? "" : ",") + *object;
    part.lines.push_back(line_);
    ++part.jobs;
  }
  if (part.jobs == 0) return std::optional<BatchPart>();
  part.body += "]}";
  return std::optional(std::move(part));
}

ExitCode enqueue_batch(const Invocation& invocation) {
  const std::string path = invocation.flag("--batch").value_or("-");
  for (const auto& [name, values] : invocation.flags) {
    if (name != "--batch") return usage_error("--batch cannot be combined with " + name);
  }
  std::ifstream file;
  if (path != "-") {
    file.open(path, std::ios::binary);
    if (!file) return usage_error("cannot read " + path);
  }
  Result<std::shared_ptr<HttpClient>> client = connect(invocation.settings);
  if (!client) return usage_error(client.error().message);
  BatchReader reader(path == "-" ? std::cin : file,
                     invocation.arguments.empty() ? "" : invocation.arguments.front());
  return Batch(invocation, **client, count_lines(path)).run(reader);
}

}  // namespace longshore
