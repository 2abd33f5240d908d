// A job in the field names and words of each profile. Lists leave out the members that may be
// large, so only the others are required.
#include <array>

#include "api/views/view.h"

namespace longshore {
namespace {

constexpr std::array view_schema_table = {
    Schema{"View", R"({
      "type": "string", "default": "native",
      "enum": ["native", "basic", "endpoints", "scheduler", "external", "orchestrator"]})"},
    Schema{"BasicJob", R"({
      "type": "object",
      "required": ["jobId", "state",
                   "id", "job_type", "status", "execution_time", "retries_count", "creation_time",
                   "start_time", "completion_time", "dead_time"],
      "properties": {
        "jobId": {"$ref": "#/components/schemas/JobId"},
        "state": {"type": "string", "description": "The word of the profile"},
        "id": {"$ref": "#/components/schemas/JobId"},
        "job_type": {"$ref": "#/components/schemas/Name"},
        "status": {"type": "string", "enum": ["pending", "running", "failed", "completed", "dead"]},
        "execution_time": {"type": "number", "minimum": 0, "description": "In seconds"},
        "retries_count": {"type": "integer", "minimum": 0},
        "creation_time": {"$ref": "#/components/schemas/Time"},
        "start_time": {"$ref": "#/components/schemas/TimeOrNull"},
        "completion_time": {"$ref": "#/components/schemas/TimeOrNull"},
        "dead_time": {"$ref": "#/components/schemas/TimeOrNull"},
        "error_message": {"type": ["string", "null"], "description": "In lists: the latest"},
        "error_messages": {"type": "array", "items": {"type": "string"},
                           "description": "In details: all that are stored, oldest first"},
        "payload": {"description": "Any JSON"},
        "result": {"description": "Any JSON; null if there is none"}
      }})"},
    Schema{"EndpointsJob", R"({
      "type": "object",
      "required": ["jobId", "state", "status",
                   "Id", "Name", "Status", "StatusNumber", "Error", "RetryCount", "MaxRetries",
                   "RetryDelayUntil", "WorkerId", "CreatedAt", "StartedAt", "CompletedAt",
                   "LastUpdatedAt"],
      "properties": {
        "jobId": {"$ref": "#/components/schemas/JobId"},
        "state": {"type": "string", "description": "The word of the profile"},
        "status": {"$ref": "#/components/schemas/Status"},
        "Id": {"$ref": "#/components/schemas/JobId"},
        "Name": {"$ref": "#/components/schemas/Name"},
        "Status": {"type": "string", "enum": ["Queued", "Scheduled", "InProgress", "Completed",
                                              "Failed", "Canceled"]},
        "StatusNumber": {"type": "integer", "enum": [100, 200, 300, 400, 500, 600]},
        "Headers": {"type": "object",
                    "additionalProperties": {"type": "array", "items": {"type": "string"}}},
        "RouteParams": {"type": "object"},
        "QueryParams": {"type": "array", "items": {
          "type": "object", "required": ["Key", "Value"],
          "properties": {"Key": {"type": "string"},
                         "Value": {"type": "array", "items": {"type": "string"}}}}},
        "Payload": {"type": "string", "description": "JSON as text"},
        "Result": {"type": ["string", "null"], "description": "JSON as text"},
        "Error": {"type": ["object", "null"], "required": ["Code", "Message"],
                  "properties": {"Code": {"type": "string"}, "Message": {"type": "string"},
                                 "Details": {"description": "Any JSON; not in lists"}}},
        "RetryCount": {"type": "integer", "minimum": 0},
        "MaxRetries": {"type": "integer", "minimum": 0},
        "RetryDelayUntil": {"$ref": "#/components/schemas/TimeOrNull"},
        "WorkerId": {"type": ["string", "null"]},
        "CreatedAt": {"$ref": "#/components/schemas/Time"},
        "StartedAt": {"$ref": "#/components/schemas/TimeOrNull"},
        "CompletedAt": {"$ref": "#/components/schemas/TimeOrNull"},
        "LastUpdatedAt": {"$ref": "#/components/schemas/Time"}
      }})"},
    Schema{"SchedulerJob", R"({
      "type": "object",
      "required": ["jobId", "status",
                   "job_id", "job_type", "state", "attempt_count", "run_at", "lease_expires_at",
                   "error", "created_at", "updated_at"],
      "properties": {
        "jobId": {"$ref": "#/components/schemas/JobId"},
        "status": {"$ref": "#/components/schemas/Status"},
        "job_id": {"$ref": "#/components/schemas/JobId"},
        "job_type": {"$ref": "#/components/schemas/Name"},
        "state": {"type": "string",
                  "enum": ["Scheduled", "Queued", "Running", "Completed", "Failed"]},
        "attempt_count": {"type": "integer", "minimum": 0},
        "run_at": {"$ref": "#/components/schemas/Time"},
        "lease_expires_at": {"$ref": "#/components/schemas/TimeOrNull"},
        "error": {"type": ["string", "null"], "description": "JSON as text"},
        "created_at": {"$ref": "#/components/schemas/Time"},
        "updated_at": {"$ref": "#/components/schemas/Time"},
        "payload": {"description": "Any JSON"},
        "result": {"description": "Any JSON; null if there is none"}
      }})"},
    Schema{"ExternalJob", R"({
      "type": "object",
      "required": ["jobId", "status",
                   "id", "job_type", "job_key", "state", "error", "attempt", "scheduled_run_time",
                   "create_time", "update_time"],
      "properties": {
        "jobId": {"$ref": "#/components/schemas/JobId"},
        "status": {"$ref": "#/components/schemas/Status"},
        "id": {"type": "integer", "minimum": 0},
        "job_type": {"$ref": "#/components/schemas/Name"},
        "job_key": {"type": ["string", "null"]},
        "state": {"type": "string", "enum": ["initial", "running", "error", "final"]},
        "error": {"type": "string", "description": "NONE, or JSON as text"},
        "attempt": {"type": "integer", "minimum": 0},
        "scheduled_run_time": {"$ref": "#/components/schemas/Time"},
        "create_time": {"$ref": "#/components/schemas/Time"},
        "update_time": {"$ref": "#/components/schemas/Time"}
      }})"},
    Schema{"OrchestratorJob", R"({
      "type": "object",
      "required": ["status", "jobId",
                   "jobType", "state", "retry_count", "lease_owner", "lease_expiry",
                   "idempotencyKey", "created_at", "updated_at"],
      "properties": {
        "status": {"$ref": "#/components/schemas/Status"},
        "jobId": {"$ref": "#/components/schemas/JobId"},
        "jobType": {"$ref": "#/components/schemas/Name"},
        "state": {"type": "string", "enum": ["CREATED", "QUEUED", "RUNNING", "WAITING", "RETRY",
                                             "SUCCESS", "DEAD", "CANCELED"]},
        "retry_count": {"type": "integer", "minimum": 0},
        "lease_owner": {"type": ["string", "null"]},
        "lease_expiry": {"$ref": "#/components/schemas/TimeOrNull"},
        "idempotencyKey": {"type": ["string", "null"]},
        "created_at": {"$ref": "#/components/schemas/Time"},
        "updated_at": {"$ref": "#/components/schemas/Time"},
        "payload": {"description": "Any JSON"}
      }})"},
    Schema{"JobInView", R"({
      "description": "A job in the field names, types and words of a profile",
      "oneOf": [{"$ref": "#/components/schemas/BasicJob"},
                {"$ref": "#/components/schemas/EndpointsJob"},
                {"$ref": "#/components/schemas/SchedulerJob"},
                {"$ref": "#/components/schemas/ExternalJob"},
                {"$ref": "#/components/schemas/OrchestratorJob"}]})"},
    Schema{"JobDetailsInView", R"({
      "oneOf": [{"$ref": "#/components/schemas/JobDetails"},
                {"$ref": "#/components/schemas/JobInView"}]})"},
};

constexpr std::array view_parameter_table = {
    Schema{"view", R"({
      "name": "view", "in": "query",
      "description": "The profile whose field names and words the answer uses",
      "schema": {"$ref": "#/components/schemas/View"}})"},
};

}  // namespace

std::span<const Schema> view_schemas() { return view_schema_table; }
std::span<const Schema> view_parameters() { return view_parameter_table; }

}  // namespace longshore
