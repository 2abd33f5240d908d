// How the API says no: RFC 9457, with a code that programs branch on. docs/errors.md has a section
// for each code; a test compares the two.
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

// What one code means on the wire.
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
  std::string detail;  // for people: what was wrong and what to do
  std::vector<FieldFault> errors;
  std::optional<int> status;        // instead of the code's own: OVERLOADED is 429 or 503
  std::optional<int> retry_after;   // in seconds
  std::string members;              // further ones, as JSON: `"jobId":"..."`
  std::vector<HttpHeader> headers;  // such as Allow
};

HttpResponse to_response(const Problem& problem);

// One wrong field.
Problem invalid_field(std::string field, std::string detail);
Problem not_found(std::string detail);

// What a refused command says. `prefix` comes before the field's name; of a batch it is
// "jobs[3].".
Problem to_problem(const Refusal& refusal, std::string_view prefix = {});
// What a call that failed as a whole says.
Problem to_problem(const Error& error);

}  // namespace longshore
