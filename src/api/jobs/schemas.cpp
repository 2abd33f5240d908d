#include <array>

#include "api/jobs/routes.h"

namespace longshore {
namespace {

constexpr std::array job_schema_table = {
    Schema{"NewJob", R"({
      "type": "object",
      "additionalProperties": false,
      "required": ["jobType"],
      "properties": {
        "jobType": {"$ref": "#/components/schemas/Name",
                    "description": "Names that begin with longshore. or _ are reserved"},
        "jobId": {"$ref": "#/components/schemas/JobId",
                  "description": "A UUIDv7 chosen by the client; a repeat creates no second job"},
        "payload": {"description": "Any JSON, up to 1 MiB and 64 levels", "default": null},
        "idempotencyKey": {"$ref": "#/components/schemas/Key",
                           "description": "At most one job ever; or the header Idempotency-Key"},
        "jobKey": {"$ref": "#/components/schemas/Key",
                   "description": "At most one live job per type and key"},
        "onConflict": {"type": "string", "enum": ["existing", "reject", "replace"],
                       "default": "existing"},
        "queue": {"$ref": "#/components/schemas/Name", "default": "default"},
        "priority": {"type": "integer", "minimum": 0, "maximum": 9, "default": 5,
                     "description": "0 runs first"},
        "runAt": {"$ref": "#/components/schemas/AnyTime"},
        "delaySeconds": {"type": "number", "minimum": 0,
                         "description": "Instead of runAt; not both"},
        "expiresAt": {"$ref": "#/components/schemas/AnyTime",
                      "description": "The latest start of an attempt; not before runAt"},
        "maxRetries": {"type": "integer", "minimum": 0, "maximum": 100},
        "timeoutSeconds": {"type": "number", "exclusiveMinimum": 0},
        "backoff": {"$ref": "#/components/schemas/Backoff"},
        "tags": {"type": "array", "maxItems": 16,
                 "items": {"type": "string", "minLength": 1, "maxLength": 64}},
        "metadata": {"type": "object", "maxProperties": 64,
                     "additionalProperties": {"type": "string"}},
        "callback": {"$ref": "#/components/schemas/Callback"},
        "request": {"$ref": "#/components/schemas/OriginRequest"}
      }})"},
    Schema{"Backoff", R"({
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "kind": {"type": "string", "enum": ["exponential", "fixed", "none"]},
        "baseSeconds": {"type": "number", "minimum": 0},
        "maxSeconds": {"type": "number", "minimum": 0},
        "jitter": {"type": "number", "minimum": 0, "maximum": 1}
      }})"},
    Schema{"Callback", R"({
      "type": "object",
      "description": "The outcome is delivered here, signed",
      "additionalProperties": false,
      "required": ["url"],
      "properties": {
        "url": {"type": "string", "format": "uri", "maxLength": 2048},
        "secretName": {"$ref": "#/components/schemas/Name"}
      }})"},
    Schema{"OriginRequest", R"({
      "type": "object",
      "description": "The HTTP request a job was made from",
      "additionalProperties": false,
      "properties": {
        "method": {"type": "string"},
        "path": {"type": "string"},
        "headers": {"type": "object",
                    "additionalProperties": {"type": "array", "items": {"type": "string"}}},
        "routeParams": {"type": "object"},
        "queryParams": {"type": "array", "items": {
          "type": "object",
          "additionalProperties": false,
          "required": ["name", "values"],
          "properties": {
            "name": {"type": "string"},
            "values": {"type": "array", "items": {"type": "string"}}
          }}}
      }})"},
    Schema{"NewJobs", R"({
      "type": "object",
      "additionalProperties": false,
      "required": ["jobs"],
      "properties": {
        "jobs": {"type": "array", "minItems": 1, "maxItems": 10000,
                 "items": {"$ref": "#/components/schemas/NewJob"}}
      }})"},
    Schema{"JobStatus", R"({
      "type": "object",
      "required": ["jobId", "status"],
      "properties": {
        "jobId": {"$ref": "#/components/schemas/JobId"},
        "status": {"$ref": "#/components/schemas/Status"}
      }})"},
    Schema{"JobStatuses", R"({
      "type": "object",
      "required": ["jobs"],
      "properties": {
        "jobs": {"type": "array", "items": {"$ref": "#/components/schemas/JobStatus"}}
      }})"},
    Schema{"Job", R"({
      "type": "object",
      "required": ["jobId", "jobType", "status", "createdAt", "updatedAt"],
      "properties": {
        "jobId": {"$ref": "#/components/schemas/JobId"},
        "jobType": {"type": "string"},
        "status": {"$ref": "#/components/schemas/Status"},
        "createdAt": {"$ref": "#/components/schemas/Time"},
        "updatedAt": {"$ref": "#/components/schemas/Time"},
        "runAt": {"$ref": "#/components/schemas/Time"},
        "startedAt": {"$ref": "#/components/schemas/Time"},
        "completedAt": {"$ref": "#/components/schemas/Time"},
        "progress": {"type": "number", "minimum": 0, "maximum": 100},
        "cancelRequested": {"type": "boolean"},
        "successorId": {"$ref": "#/components/schemas/JobId"}
      }})"},
    Schema{"CancelRequest", R"({
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "force": {"type": "boolean", "default": false,
                  "description": "Cancel at once, without waiting for the worker"}
      }})"},
    Schema{"CompleteByKeyRequest", R"({
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "result": {"description": "Any JSON, up to 1 MiB", "default": null},
        "fence": {"type": "integer", "minimum": 0, "description": "Must equal the job's epoch"}
      }})"},
    Schema{"FailByKeyRequest", R"({
      "type": "object",
      "additionalProperties": false,
      "required": ["error"],
      "properties": {
        "error": {"$ref": "#/components/schemas/NewError"},
        "retryable": {"type": "boolean", "default": true},
        "fence": {"type": "integer", "minimum": 0, "description": "Must equal the job's epoch"}
      }})"},
    Schema{"State", R"({
      "type": "string",
      "enum": ["CREATED", "SCHEDULED", "QUEUED", "RUNNING", "WAITING", "RETRY", "SUCCESS", "DEAD",
               "CANCELED"]})"},
    Schema{"Cause", R"({
      "type": "string",
      "enum": ["enqueue", "accept", "replace", "due", "promote", "claim", "handOff", "complete",
               "fail", "timeout", "leaseLost", "release", "limitExceeded", "fatal", "cancel",
               "expired", "reopen"]})"},
    Schema{"JobList", R"({
      "type": "object",
      "required": ["jobs", "nextCursor"],
      "properties": {
        "jobs": {"type": "array", "maxItems": 500,
                 "items": {"oneOf": [{"$ref": "#/components/schemas/JobSummary"},
                                     {"$ref": "#/components/schemas/JobInView"}]}},
        "nextCursor": {"type": ["string", "null"], "description": "null at the end"}
      }})"},
    Schema{"History", R"({
      "type": "object",
      "required": ["history", "dropped"],
      "properties": {
        "history": {"type": "array", "maxItems": 256,
                    "items": {"$ref": "#/components/schemas/Transition"}},
        "dropped": {"type": "integer", "minimum": 0,
                    "description": "How many between the first 16 and the newest 240 were dropped"}
      }})"},
    Schema{"Transition", R"({
      "type": "object",
      "required": ["seq", "from", "to", "cause", "at", "epoch", "workerId", "detail"],
      "properties": {
        "seq": {"type": "integer", "minimum": 1},
        "from": {"type": ["string", "null"],
                 "description": "A state, or the view's word for it"},
        "to": {"type": "string", "description": "As in from"},
        "cause": {"$ref": "#/components/schemas/Cause"},
        "at": {"$ref": "#/components/schemas/Time"},
        "epoch": {"type": "integer", "minimum": 0},
        "workerId": {"type": ["string", "null"]},
        "detail": {"type": ["string", "null"]}
      }})"},
    Schema{"Logs", R"({
      "type": "object",
      "required": ["logs"],
      "properties": {
        "logs": {"type": "array", "items": {
          "type": "object",
          "required": ["attempt", "text"],
          "properties": {"attempt": {"type": "integer", "minimum": 0},
                         "text": {"type": "string"}}}}
      }})"},
    Schema{"Explanation", R"({
      "type": "object",
      "required": ["jobId", "state", "status", "summary", "reasons", "forecastStartAt",
                   "drainRatePerSecond"],
      "properties": {
        "jobId": {"$ref": "#/components/schemas/JobId"},
        "state": {"$ref": "#/components/schemas/State"},
        "status": {"$ref": "#/components/schemas/Status"},
        "summary": {"type": "string", "description": "One sentence for people"},
        "reasons": {"type": "array", "minItems": 1,
                    "items": {"$ref": "#/components/schemas/Reason"}},
        "behind": {"oneOf": [{"type": "integer", "minimum": 0, "maximum": 1000},
                             {"type": "string", "enum": ["1000+"]}],
                   "description": "How many jobs of its queue are before it"},
        "forecastStartAt": {"$ref": "#/components/schemas/TimeOrNull"},
        "drainRatePerSecond": {"type": "number", "minimum": 0}
      }})"},
    Schema{"Reason", R"({
      "type": "object",
      "required": ["code", "detail"],
      "properties": {
        "code": {"type": "string",
                 "enum": ["notAccepted", "scheduled", "backingOff", "behind", "next", "queuePaused",
                          "noWorker", "limitReached", "stuck", "running", "waitingForReply",
                          "ended"]},
        "detail": {"type": "string"},
        "until": {"$ref": "#/components/schemas/Time"},
        "error": {"type": "object", "required": ["code", "message"],
                  "properties": {"code": {"type": "string"}, "message": {"type": "string"}}}
      }})"},
    Schema{"ResolveRequest", R"({
      "type": "object",
      "description": "Either a result or an error",
      "additionalProperties": false,
      "properties": {
        "result": {"description": "Any JSON, up to 1 MiB and 64 levels"},
        "error": {"$ref": "#/components/schemas/ErrorRequest"}
      }})"},
    Schema{"ErrorRequest", R"({
      "type": "object",
      "additionalProperties": false,
      "required": ["message"],
      "properties": {
        "code": {"type": "string", "minLength": 1, "maxLength": 128},
        "message": {"type": "string"},
        "details": {"description": "Any JSON, up to 64 KiB"}
      }})"},
    Schema{"RedriveRequest", R"({
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "payload": {"description": "Any JSON, up to 1 MiB and 64 levels"},
        "queue": {"$ref": "#/components/schemas/Name"},
        "priority": {"type": "integer", "minimum": 0, "maximum": 9},
        "maxRetries": {"type": "integer", "minimum": 0, "maximum": 100},
        "timeoutSeconds": {"type": "number", "exclusiveMinimum": 0},
        "runAt": {"$ref": "#/components/schemas/AnyTime"},
        "delaySeconds": {"type": "number", "minimum": 0,
                         "description": "Instead of runAt; not both"}
      }})"},
    Schema{"Filter", R"({
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "state": {"type": "string", "minLength": 1, "description": "As the parameter of GET /jobs"},
        "view": {"$ref": "#/components/schemas/View"},
        "jobType": {"$ref": "#/components/schemas/Name"},
        "queue": {"$ref": "#/components/schemas/Name"},
        "tag": {"type": "string", "minLength": 1, "maxLength": 64},
        "jobKey": {"$ref": "#/components/schemas/Key"},
        "idempotencyKey": {"$ref": "#/components/schemas/Key"},
        "error": {"type": "string", "minLength": 1, "maxLength": 500,
                  "description": "Part of the latest error's code or message"},
        "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{16}$",
                        "description": "Of the latest error, as in GET /errors"},
        "createdAfter": {"$ref": "#/components/schemas/AnyTime"},
        "createdBefore": {"$ref": "#/components/schemas/AnyTime"}
      }})"},
    Schema{"ManyRequest", R"({
      "type": "object",
      "additionalProperties": false,
      "required": ["filter", "limit"],
      "properties": {
        "filter": {"$ref": "#/components/schemas/Filter"},
        "asOf": {"$ref": "#/components/schemas/AnyTime",
                 "description": "Ignore jobs created later"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 10000},
        "dryRun": {"type": "boolean", "default": false}
      }})"},
    Schema{"ManyAnswer", R"({
      "type": "object",
      "required": ["count", "jobs", "more"],
      "properties": {
        "count": {"type": "integer", "minimum": 0},
        "jobs": {"type": "array", "maxItems": 10000,
                 "items": {"$ref": "#/components/schemas/JobStatus"}},
        "more": {"type": "boolean",
                 "description": "More jobs match than the limit, or some could not be changed"},
        "matching": {"type": "integer", "minimum": 0, "maximum": 200000,
                     "description": "In a dry run: how many jobs match, regardless of the limit"}
      }})"},
};

constexpr std::array job_parameter_table = {
    Schema{"waitSeconds", R"({
      "name": "waitSeconds", "in": "query",
      "description": "Answer when the job has ended, or after this long",
      "schema": {"type": "number", "minimum": 0, "maximum": 60, "default": 0}})"},
    Schema{"state", R"({
      "name": "state", "in": "query",
      "description": "States or public statuses, comma-separated; with view also its words",
      "schema": {"type": "string", "minLength": 1}, "example": "RETRY,DEAD"})"},
    Schema{"tag", R"({
      "name": "tag", "in": "query",
      "schema": {"type": "string", "minLength": 1, "maxLength": 64}})"},
    Schema{"jobKeyFilter", R"({
      "name": "jobKey", "in": "query", "schema": {"$ref": "#/components/schemas/Key"}})"},
    Schema{"idempotencyKey", R"({
      "name": "idempotencyKey", "in": "query", "schema": {"$ref": "#/components/schemas/Key"}})"},
    Schema{"error", R"({
      "name": "error", "in": "query",
      "description": "Part of the latest error's code or message",
      "schema": {"type": "string", "minLength": 1, "maxLength": 500}})"},
    Schema{"fingerprint", R"({
      "name": "fingerprint", "in": "query",
      "description": "Of the latest error, as in GET /errors",
      "schema": {"type": "string", "pattern": "^[0-9a-f]{16}$"}})"},
    Schema{"createdAfter", R"({
      "name": "createdAfter", "in": "query",
      "schema": {"$ref": "#/components/schemas/AnyTime"}})"},
    Schema{"createdBefore", R"({
      "name": "createdBefore", "in": "query",
      "schema": {"$ref": "#/components/schemas/AnyTime"}})"},
    Schema{"redriven", R"({
      "name": "redriven", "in": "query", "description": "Include jobs that have a successor",
      "schema": {"type": "boolean", "default": false}})"},
};

}  // namespace

std::span<const Schema> job_schemas() { return job_schema_table; }
std::span<const Schema> job_parameters() { return job_parameter_table; }

}  // namespace longshore
