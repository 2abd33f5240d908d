#include "api/openapi/schemas.h"

#include <array>

namespace longshore {
namespace {

constexpr std::array shared = {
    Schema{"AnyJson", R"({"description": "Any JSON value, byte for byte as it was sent"})"},
    Schema{"Time", R"({
      "type": "string", "format": "date-time",
      "description": "RFC 3339 in UTC with milliseconds",
      "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z$"})"},
    Schema{"AnyTime", R"({
      "type": "string", "format": "date-time", "description": "RFC 3339 with any offset"})"},
    Schema{"JobId", R"({
      "type": "string", "format": "uuid", "description": "UUID of version 7",
      "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$"})"},
    Schema{"Status", R"({
      "type": "string", "enum": ["PENDING", "RUNNING", "COMPLETED", "FAILED", "CANCELED"]})"},
    Schema{"Problem", R"({
      "type": "object",
      "description": "RFC 9457; docs/errors.md says what to do for each code",
      "required": ["type", "title", "status", "detail", "code"],
      "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "detail": {"type": "string"},
        "code": {"$ref": "#/components/schemas/Code"},
        "errors": {"type": "array", "maxItems": 100,
                   "items": {"$ref": "#/components/schemas/FieldError"}},
        "jobId": {"$ref": "#/components/schemas/JobId",
                  "description": "The job in the way, or the one asked for"},
        "error": {"$ref": "#/components/schemas/ShortError"},
        "store": {"type": "string", "description": "Of a node that is not ready"},
        "durability": {"type": "string", "enum": ["A", "B", "C"]},
        "offset": {"type": "integer", "minimum": 0,
                   "description": "Of the first wrong byte of the body"}
      }})"},
    Schema{"FieldError", R"({
      "type": "object",
      "required": ["field", "detail"],
      "properties": {
        "field": {"type": "string", "description": "Such as jobs[3].priority"},
        "detail": {"type": "string"}
      }})"},
    Schema{"ShortError", R"({
      "type": "object",
      "required": ["code", "message"],
      "properties": {
        "code": {"type": "string"},
        "message": {"type": "string", "maxLength": 500,
                    "description": "The first line of the error's message"}
      }})"},
};

constexpr std::array parameters = {
    Schema{"waitSeconds", R"({
      "name": "waitSeconds", "in": "query",
      "description": "Answer as soon as the job has ended, or after this long",
      "schema": {"type": "number", "minimum": 0, "maximum": 60, "default": 0}})"},
};

}  // namespace

std::span<const Schema> shared_schemas() { return shared; }

std::vector<Schema> query_parameters() {
  std::vector<Schema> all(parameters.begin(), parameters.end());
  const auto others = operator_query_parameters();
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

std::vector<Schema> schemas() {
  std::vector<Schema> all;
  for (const auto& part : {shared_schemas(), producer_schemas(), worker_schemas(),
                           operator_schemas(), server_schemas()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace longshore
