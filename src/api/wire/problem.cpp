#include "api/wire/problem.h"

#include <algorithm>
#include <array>

#include "api/wire/json_out.h"
#include "core/assert.h"

namespace longshore {
namespace {

constexpr std::array kinds = {
    ProblemKind{Code::bad_request, 400, "Malformed HTTP request"},
    ProblemKind{Code::invalid_json, 400, "The body is not valid JSON"},
    ProblemKind{Code::unauthenticated, 401, "A valid token is required"},
    ProblemKind{Code::forbidden, 403, "Forbidden"},
    ProblemKind{Code::not_found, 404, "Not found"},
    ProblemKind{Code::method_not_allowed, 405, "Method not allowed"},
    ProblemKind{Code::request_timeout, 408, "The request did not arrive in time"},
    ProblemKind{Code::key_in_use, 409, "Another job has this key"},
    ProblemKind{Code::id_in_use, 409, "Another job has this id"},
    ProblemKind{Code::lease_lost, 409, "The lease was lost"},
    ProblemKind{Code::already_settled, 409, "The attempt was already settled with another outcome"},
    ProblemKind{Code::wrong_state, 409, "The job's state does not allow this"},
    ProblemKind{Code::terminal, 409, "The job has ended"},
    ProblemKind{Code::not_in_profile, 409, "The store's profile does not support this operation"},
    ProblemKind{Code::old_revision, 409, "A higher revision is stored"},
    ProblemKind{Code::job_failed, 409, "The job has failed"},
    ProblemKind{Code::job_canceled, 409, "The job was canceled"},
    ProblemKind{Code::too_large, 413, "Too large"},
    ProblemKind{Code::uri_too_long, 414, "The request target is too long"},
    ProblemKind{Code::unsupported_media_type, 415, "The body must be JSON"},
    ProblemKind{Code::invalid_field, 422, "Invalid field"},
    ProblemKind{Code::unknown_field, 422, "Unknown field"},
    ProblemKind{Code::idempotency_mismatch, 422,
                "The idempotency key was used with another request"},
    ProblemKind{Code::overloaded, 429, "Server overloaded; retry later"},
    ProblemKind{Code::headers_too_large, 431, "The request headers are too large"},
    ProblemKind{Code::internal, 500, "Internal error"},
    ProblemKind{Code::store_unavailable, 503, "The store is unavailable"},
    ProblemKind{Code::http_version, 505, "HTTP version not supported"},
    ProblemKind{Code::disk_full, 507, "The disk is full"},
};

Code code_of(const Error& error) {
  if (error.refusal) return *error.refusal;
  switch (error.code) {
    case Errc::unavailable:
    case Errc::refused:
      return Code::store_unavailable;
    case Errc::overloaded:
      return Code::overloaded;
    case Errc::disk_full:
      return Code::disk_full;
    case Errc::invalid:
      return Code::invalid_field;
    case Errc::not_found:
      return Code::not_found;
    case Errc::corrupt:
      break;
  }
  return Code::internal;
}

bool is_field_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.';
}

std::optional<std::string> field_of(const Refusal& refusal) {
  switch (refusal.code) {
    case Code::invalid_field: {
      // Stores begin this detail with the field's JSON name.
      const auto end = std::ranges::find_if_not(refusal.detail, is_field_character);
      return std::string(refusal.detail.begin(), end);
    }
    case Code::idempotency_mismatch:
      return "idempotencyKey";
    case Code::key_in_use:
      return "jobKey";
    case Code::id_in_use:
      return "jobId";
    default:
      return std::nullopt;
  }
}

}  // namespace

std::span<const ProblemKind> problem_kinds() { return kinds; }

const ProblemKind& kind_of(Code code) {
  const auto* const found = std::ranges::find(kinds, code, &ProblemKind::code);
  LONGSHORE_ASSERT(found != kinds.end(), "every code has a row");
  return *found;
}

HttpResponse to_response(const Problem& problem) {
  const ProblemKind& kind = kind_of(problem.code);
  const int status = problem.status.value_or(kind.status);
  JsonOut out;
  out.open('{');
  out.member("type", "urn:longshore:error:" + std::string(to_text(problem.code)));
  out.member("title", kind.title);
  out.member("status", status);
  out.member("detail", problem.detail.empty() ? kind.title : std::string_view(problem.detail));
  out.member("code", to_text(problem.code));
  if (!problem.errors.empty()) {
    out.key("errors");
    out.open('[');
    for (const FieldFault& fault : problem.errors) {
      out.open('{');
      out.member("field", fault.field);
      out.member("detail", fault.detail);
      out.close('}');
    }
    out.close(']');
  }
  if (!problem.members.empty()) out.value(Verbatim{problem.members});
  out.close('}');
  HttpResponse response{.status = status,
                        .content_type = "application/problem+json",
                        .headers = problem.headers,
                        .body = out.take()};
  if (problem.retry_after) {
    response.headers.push_back({"Retry-After", std::to_string(*problem.retry_after)});
  }
  return response;
}

Problem invalid_field(std::string field, std::string detail) {
  Problem problem{.code = Code::invalid_field,
                  .detail = (field.empty() ? "" : field + ": ") + detail};
  problem.errors.push_back({std::move(field), std::move(detail)});
  return problem;
}

Problem not_found(std::string detail) {
  return {.code = Code::not_found, .detail = std::move(detail)};
}

Problem to_problem(const Refusal& refusal, std::string_view prefix) {
  Problem problem{.code = refusal.code, .detail = refusal.detail};
  if (const auto field = field_of(refusal)) {
    problem.errors.push_back({std::string(prefix) + *field, refusal.detail});
  }
  if (refusal.job) problem.members = "\"jobId\":\"" + to_text(*refusal.job) + '"';
  return problem;
}

Problem to_problem(const Error& error) {
  Problem problem{.code = code_of(error), .detail = error.message};
  if (problem.code == Code::overloaded) problem.retry_after = 1;
  if (kind_of(problem.code).status == 422) problem.errors.push_back({"", error.message});
  return problem;
}

}  // namespace longshore
