// Error answers: RFC 9457 problem details, with a code that programs branch on. docs/errors.md has
// a section for each code; a test compares the two.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/exchange.h"
#include "longshore/code.h"
#include "longshore/command.h"
#include "longshore/error.h"

namespace longshore {

// The HTTP status and title of a code.
struct ProblemKind {
  Code code = Code::internal;
  int status = 500;
  std::string_view title;
};

// Every code, in the order of docs/errors.md.
std::span<const ProblemKind> problem_kinds();
const ProblemKind& kind_of(Code code);

struct FieldFault {
  std::string field;  // "jobs[3].priority"; empty: the body itself
  std::string detail;
  friend bool operator==(const FieldFault&, const FieldFault&) = default;
};

struct Problem {
  Code code = Code::internal;
  std::string detail;  // for people: what is wrong and what to do
  std::vector<FieldFault> errors;
  std::optional<int> status;        // overrides the code's: OVERLOADED is 429 or 503
  std::optional<int> retry_after;   // in seconds
  std::string members;              // additional members as JSON: `"jobId":"..."`
  std::vector<HttpHeader> headers;  // such as Allow
};

HttpResponse to_response(const Problem& problem);

// One wrong field.
Problem invalid_field(std::string field, std::string detail);
Problem not_found(std::string detail);

// The problem of a refused command. `prefix` goes before the field's name, such as "jobs[3]." in a
// batch.
Problem to_problem(const Refusal& refusal, std::string_view prefix = {});
// The problem of a call that failed as a whole.
Problem to_problem(const Error& error);

}  // namespace longshore
