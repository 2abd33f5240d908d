#include <limits>

#include "api/jobs/new_job_body.h"
#include "core/json/json_value.h"
#include "core/rules/limits.h"

namespace longshore {
namespace {

constexpr std::size_t any_count = std::numeric_limits<std::size_t>::max();

// {name: [string]}
void check_headers(Fields& request) {
  std::optional<Fields> headers = request.object("headers");
  if (!headers) return;
  for (const JsonMember& member : headers->members()) {
    headers->texts(json_name(member), 0, any_count, nullptr);
  }
}

// [{name, values: [string]}]
void check_query(Fields& request) {
  const auto parameters = request.array("queryParams", 0, any_count);
  if (!parameters) return;
  for (const Fields::Element& element : *parameters) {
    std::optional<Fields> parameter = Fields::of(request.faults(), element.place, element.slice);
    if (!parameter) continue;
    if (parameter->require("name")) parameter->text("name");
    if (parameter->require("values")) parameter->texts("values", 0, any_count, nullptr);
    parameter->finish();
  }
}

}  // namespace

std::string read_origin_request(Fields& fields, std::string_view name) {
  std::optional<Fields> request = fields.object(name);
  if (!request) return {};
  const std::string_view text = fields.slice(name)->text;
  if (text.size() > origin_request_bytes_max)
    fields.invalid(name, "must be at most 64 KiB of JSON");
  request->text("method");
  request->text("path");
  check_headers(*request);
  request->object("routeParams");  // its values may be any JSON
  check_query(*request);
  request->finish();
  return std::string(text);
}

}  // namespace longshore
