// Many jobs from a file: one JSON object a line, each as POST /jobs takes it.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace longshore {

// What --batch names, in parts that one call can carry, with progress. A part is stored whole or
// not at all; the first that is refused ends the work, and the lines stored before it are told.
ExitCode enqueue_batch(const Invocation& invocation);

// Some lines of a file, as the body of POST /jobs/batch.
struct BatchPart {
  std::string body;
  std::int64_t jobs = 0;
  std::vector<std::int64_t> lines;  // where in the file each job stands, from 1
};

// Reads lines until a part is full. Nothing at the end of the file; Errc::invalid, with its number,
// for a line that is no JSON object. Empty lines are passed over.
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
  std::string held_;  // the line that did not fit in the part before
};

}  // namespace longshore
