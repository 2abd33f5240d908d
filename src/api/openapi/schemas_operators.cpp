// What operators send and read.
#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "api/openapi/schemas.h"

namespace longshore {
namespace {

// What a list shows of a job; its details show more.
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
                            "description": "Running and waiting time of the attempts that ended"},
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

constexpr std::array table = {
    Schema{"State", R"({
      "type": "string",
      "enum": ["CREATED", "SCHEDULED", "QUEUED", "RUNNING", "WAITING", "RETRY", "SUCCESS", "DEAD",
               "CANCELED"]})"},
    Schema{"View", R"({
      "type": "string", "default": "native",
      "enum": ["native", "basic", "endpoints", "scheduler", "external", "orchestrator"]})"},
    Schema{"Cause", R"({
      "type": "string",
      "enum": ["enqueue", "accept", "replace", "due", "promote", "claim", "handOff", "complete",
               "fail", "timeout", "leaseLost", "release", "limitExceeded", "fatal", "cancel",
               "expired", "reopen"]})"},
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
    Schema{"ShortError", R"({
      "type": "object",
      "description": "The latest error; of its message the first line",
      "required": ["code", "message"],
      "properties": {"code": {"type": "string"}, "message": {"type": "string"}}})"},
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
    Schema{"TimeOrNull", R"({
      "oneOf": [{"$ref": "#/components/schemas/Time"}, {"type": "null"}]})"},
    Schema{"JobIdOrNull", R"({
      "oneOf": [{"$ref": "#/components/schemas/JobId"}, {"type": "null"}]})"},
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
                    "description": "How many between the first 16 and the newest 240 are gone"}
      }})"},
    Schema{"Transition", R"({
      "type": "object",
      "required": ["seq", "from", "to", "cause", "at", "epoch", "workerId", "detail"],
      "properties": {
        "seq": {"type": "integer", "minimum": 1},
        "from": {"type": ["string", "null"],
                 "description": "A state, or the word that the view has for it"},
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
                   "description": "How many jobs of its queue stand before it"},
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
      "description": "A result or an error, and not both",
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
                         "description": "Instead of runAt, never with it"}
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
                        "description": "Of the latest error, as GET /errors writes it"},
        "createdAfter": {"$ref": "#/components/schemas/AnyTime"},
        "createdBefore": {"$ref": "#/components/schemas/AnyTime"}
      }})"},
    Schema{"RuleValue", R"({
      "type": ["number", "string", "boolean"],
      "description": "As in [rules] of a configuration file: seconds, a number or a word"})"},
    Schema{"ApplyRequest", R"({
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "source": {"$ref": "#/components/schemas/Name", "default": "default",
                   "description": "Whose revision this is"},
        "revision": {"type": "integer", "minimum": 0, "maximum": 9007199254740991,
                     "description": "By default the stored one stays"},
        "prune": {"type": "boolean", "default": false,
                  "description": "Rules are never removed, so it changes nothing for them"},
        "dryRun": {"type": "boolean", "default": false},
        "rules": {"type": "object",
                  "additionalProperties": {"$ref": "#/components/schemas/RuleValue"},
                  "description": "Rules of the whole store; those that are not named stay"}
      }})"},
    Schema{"ApplyAnswer", R"({
      "type": "object",
      "required": ["revision", "changes", "conflicts"],
      "properties": {
        "revision": {"type": "integer", "minimum": 0},
        "changes": {"type": "array", "items": {
          "type": "object",
          "required": ["kind", "name", "change", "from", "to"],
          "properties": {
            "kind": {"type": "string", "enum": ["rule"]},
            "name": {"type": "string"},
            "change": {"type": "string", "enum": ["changed"]},
            "from": {"$ref": "#/components/schemas/RuleValue"},
            "to": {"$ref": "#/components/schemas/RuleValue"}
          }}},
        "conflicts": {"type": "array", "items": {"type": "object"},
                      "description": "What another source owns, and was left alone"}
      }})"},
    Schema{"ManyRequest", R"({
      "type": "object",
      "additionalProperties": false,
      "required": ["filter", "limit"],
      "properties": {
        "filter": {"$ref": "#/components/schemas/Filter"},
        "asOf": {"$ref": "#/components/schemas/AnyTime",
                 "description": "Jobs that were made later are left out"},
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
                 "description": "The filter finds more than the limit, or not all could be done"},
        "matching": {"type": "integer", "minimum": 0, "maximum": 200000,
                     "description": "In a dry run: how many the filter finds, limit or not"}
      }})"},
};

}  // namespace

std::span<const Schema> operator_schemas() {
  static const std::string summary =
      object_schema("What is small and stored of a job", summary_required,
                    std::string(summary_properties).append(summary_error));
  static const std::string details = object_schema(
      "Everything that is stored of a job", std::string(summary_required).append(details_required),
      std::string(summary_properties).append(details_properties));
  static const std::vector<Schema> all = [] {
    std::vector<Schema> schemas(table.begin(), table.end());
    schemas.push_back({"JobSummary", summary});
    schemas.push_back({"JobDetails", details});
    std::ranges::copy(view_schemas(), std::back_inserter(schemas));
    return schemas;
  }();
  return all;
}

}  // namespace longshore
