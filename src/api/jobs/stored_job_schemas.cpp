#include <array>
#include <string>
#include <vector>

#include "api/jobs/routes.h"

namespace longshore {
namespace {

// The members of a job in a list; its details have more.
constexpr std::string_view summary_required =
    R"("jobId", "jobType", "status", "createdAt", "updatedAt", "state", "id", "queue",
                   "priority", "jobKey", "idempotencyKey", "tags", "attempt", "failures", "crashes",
                   "retryCount", "epoch", "version", "maxRetries", "timeoutSeconds", "backoff",
                   "expiresAt", "firstStartedAt", "executionMillis", "lease", "redriveOf",
                   "successorId")";
constexpr std::string_view summary_properties = R"(
        "jobId": {"$ref": "#/components/schemas/JobId"},
        "jobType": {"$ref": "#/components/schemas/Name"},
        "status": {"$ref": "#/components/schemas/Status"},
        "createdAt": {"$ref": "#/components/schemas/Time"},
        "updatedAt": {"$ref": "#/components/schemas/Time"},
        "runAt": {"$ref": "#/components/schemas/Time"},
        "startedAt": {"$ref": "#/components/schemas/Time"},
        "completedAt": {"$ref": "#/components/schemas/Time"},
        "progress": {"type": "number", "minimum": 0, "maximum": 100},
        "cancelRequested": {"type": "boolean"},
        "state": {"type": "string"},
        "id": {"type": "integer", "minimum": 0, "description": "Assigned by the store"},
        "queue": {"$ref": "#/components/schemas/Name"},
        "priority": {"type": "integer", "minimum": 0, "maximum": 9},
        "jobKey": {"type": ["string", "null"]},
        "idempotencyKey": {"type": ["string", "null"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "attempt": {"type": "integer", "minimum": 0},
        "failures": {"type": "integer", "minimum": 0},
        "crashes": {"type": "integer", "minimum": 0},
        "retryCount": {"type": "integer", "minimum": 0},
        "epoch": {"type": "integer", "minimum": 0},
        "version": {"type": "integer", "minimum": 0},
        "maxRetries": {"type": "integer", "minimum": 0},
        "timeoutSeconds": {"type": "number", "minimum": 0},
        "backoff": {"$ref": "#/components/schemas/StoredBackoff"},
        "expiresAt": {"$ref": "#/components/schemas/TimeOrNull"},
        "firstStartedAt": {"$ref": "#/components/schemas/TimeOrNull"},
        "executionMillis": {"type": "integer", "minimum": 0,
                            "description": "Running and waiting time of the ended attempts"},
        "deadlineAt": {"$ref": "#/components/schemas/Time"},
        "lease": {"$ref": "#/components/schemas/HeldLease"},
        "redriveOf": {"$ref": "#/components/schemas/JobIdOrNull"},
        "successorId": {"$ref": "#/components/schemas/JobIdOrNull"})";
constexpr std::string_view summary_error = R"(,
        "error": {"$ref": "#/components/schemas/ShortError"})";
constexpr std::string_view details_required =
    R"(, "metadata", "request", "payload", "result", "checkpoint", "errors")";
constexpr std::string_view details_properties = R"(,
        "metadata": {"type": "object", "additionalProperties": {"type": "string"}},
        "request": {"type": ["object", "null"]},
        "payload": {"description": "Any JSON, byte for byte as it was sent"},
        "result": {"description": "Any JSON, byte for byte as it was sent; null if there is none"},
        "checkpoint": {"description": "Any JSON, byte for byte as it was sent; null if none"},
        "traceparent": {"type": "string"},
        "callback": {"type": "object", "required": ["url", "secretName"],
                     "properties": {"url": {"type": "string"},
                                    "secretName": {"type": ["string", "null"]}}},
        "error": {"$ref": "#/components/schemas/JobError",
                  "description": "The latest; absent after SUCCESS"},
        "errors": {"type": "array", "maxItems": 128,
                   "items": {"$ref": "#/components/schemas/CountedFailure"}})";

std::string object_schema(std::string_view description, std::string_view required,
                          std::string_view properties) {
  std::string json = R"({"type": "object", "description": ")";
  json.append(description).append(R"(", "required": [)").append(required);
  return json.append(R"(], "properties": {)").append(properties).append("}}");
}

constexpr std::array stored_job_schema_table = {
    Schema{"StoredBackoff", R"({
      "type": "object",
      "required": ["kind", "baseSeconds", "maxSeconds", "jitter"],
      "properties": {
        "kind": {"type": "string", "enum": ["exponential", "fixed", "none"]},
        "baseSeconds": {"type": "number"},
        "maxSeconds": {"type": ["number", "null"], "description": "null: no cap"},
        "jitter": {"type": "number"}
      }})"},
    Schema{"HeldLease", R"({
      "type": ["object", "null"],
      "required": ["workerId", "expiresAt"],
      "properties": {
        "workerId": {"type": "string"},
        "expiresAt": {"$ref": "#/components/schemas/Time"}
      }})"},
    Schema{"JobError", R"({
      "type": "object",
      "required": ["code", "message", "details"],
      "properties": {
        "code": {"type": "string"},
        "message": {"type": "string"},
        "details": {"description": "Any JSON; null if there are none"}
      }})"},
    Schema{"CountedFailure", R"({
      "type": "object",
      "required": ["attempt", "at", "code", "message", "details"],
      "properties": {
        "attempt": {"type": "integer", "minimum": 0},
        "at": {"$ref": "#/components/schemas/Time"},
        "code": {"type": "string"},
        "message": {"type": "string"},
        "details": {"description": "Any JSON; null if there are none"}
      }})"},
};

}  // namespace

std::span<const Schema> stored_job_schemas() {
  static const std::string summary =
      object_schema("A stored job without its large members", summary_required,
                    std::string(summary_properties).append(summary_error));
  static const std::string details = object_schema(
      "Everything stored about a job", std::string(summary_required).append(details_required),
      std::string(summary_properties).append(details_properties));
  static const std::vector<Schema> all = [] {
    std::vector<Schema> schemas(stored_job_schema_table.begin(), stored_job_schema_table.end());
    schemas.push_back({"JobSummary", summary});
    schemas.push_back({"JobDetails", details});
    return schemas;
  }();
  return all;
}

}  // namespace longshore
