// Enqueues many jobs from a file with one JSON object per line, in the format of POST /jobs.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace longshore {

// Sends the file of --batch in parts, with progress. A part is stored whole or not at all; the
// first rejected part ends the command, which then prints how many lines were stored.
ExitCode enqueue_batch(const Invocation& invocation);

// Some lines of a file, as the body of POST /jobs/batch.
struct BatchPart {
  std::string body;
  std::int64_t jobs = 0;
  std::vector<std::int64_t> lines;  // line number of each job, from 1
};

// Reads lines until a part is full. Returns nothing at the end of the file, and Errc::invalid with
// the line number for a line that is not a JSON object. Skips empty lines.
class BatchReader {
 public:
  // A line without a type gets `job_type`, unless that is empty.
  BatchReader(std::istream& in, std::string job_type) : in_(in), job_type_(std::move(job_type)) {}
  Result<std::optional<BatchPart>> next();

 private:
  bool read(std::string& line);
  Result<std::string> object_of(const std::string& line) const;

  std::istream& in_;
  const std::string job_type_;
  std::int64_t line_ = 0;
  std::string held_;  // the line that did not fit into the previous part
};

}  // namespace longshore
