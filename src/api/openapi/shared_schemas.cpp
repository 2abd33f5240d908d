// Schemas and parameters of several resources.
#include <array>

#include "api/openapi/schema.h"

namespace longshore {
namespace {

constexpr std::array shared_schema_table = {
    Schema{"AnyJson", R"({"description": "Any JSON value, byte for byte"})"},
    Schema{"Time", R"({
      "type": "string", "format": "date-time",
      "description": "RFC 3339 in UTC with milliseconds",
      "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z$"})"},
    Schema{"AnyTime", R"({
      "type": "string", "format": "date-time", "description": "RFC 3339 with any offset"})"},
    Schema{"TimeOrNull", R"({
      "oneOf": [{"$ref": "#/components/schemas/Time"}, {"type": "null"}]})"},
    Schema{"JobId", R"({
      "type": "string", "format": "uuid", "description": "UUID version 7",
      "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$"})"},
    Schema{"JobIdOrNull", R"({
      "oneOf": [{"$ref": "#/components/schemas/JobId"}, {"type": "null"}]})"},
    Schema{"Name", R"({"type": "string", "pattern": "^[A-Za-z0-9._:-]{1,128}$"})"},
    Schema{"Key", R"({"type": "string", "minLength": 1, "maxLength": 255})"},
    Schema{"Status", R"({
      "type": "string", "enum": ["PENDING", "RUNNING", "COMPLETED", "FAILED", "CANCELED"]})"},
    Schema{"EmptyRequest", R"({"type": "object", "additionalProperties": false})"},
    Schema{"Problem", R"({
      "type": "object",
      "description": "RFC 9457; docs/errors.md explains each code",
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
                  "description": "The conflicting job, or the requested one"},
        "error": {"$ref": "#/components/schemas/ShortError"},
        "store": {"type": "string", "description": "Set if the node is not ready"},
        "durability": {"type": "string", "enum": ["A", "B", "C"]},
        "offset": {"type": "integer", "minimum": 0,
                   "description": "Of the first invalid byte of the body"}
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
      "description": "The latest error, with the first line of its message",
      "required": ["code", "message"],
      "properties": {"code": {"type": "string"}, "message": {"type": "string"}}})"},
};

constexpr std::array shared_parameter_table = {
    Schema{"jobType", R"({
      "name": "jobType", "in": "query", "schema": {"$ref": "#/components/schemas/Name"}})"},
    Schema{"queue", R"({
      "name": "queue", "in": "query", "schema": {"$ref": "#/components/schemas/Name"}})"},
    Schema{"limit", R"({
      "name": "limit", "in": "query",
      "schema": {"type": "integer", "minimum": 1, "maximum": 500, "default": 50}})"},
    Schema{"pageLimit", R"({
      "name": "limit", "in": "query",
      "schema": {"type": "integer", "minimum": 1, "maximum": 500, "default": 500}})"},
    Schema{"cursor", R"({
      "name": "cursor", "in": "query", "description": "The nextCursor of the previous page",
      "schema": {"type": "string"}})"},
};

}  // namespace

std::span<const Schema> shared_schemas() { return shared_schema_table; }
std::span<const Schema> shared_parameters() { return shared_parameter_table; }

}  // namespace longshore
