// What is read of queues, workers and the server itself, and what tokens are made of.
#include <array>

#include "api/openapi/schemas.h"

namespace longshore {
namespace {

constexpr std::array table = {
    Schema{"ErrorGroups", R"({
      "type": "object",
      "required": ["errors", "nextCursor"],
      "properties": {
        "errors": {"type": "array", "maxItems": 500,
                   "items": {"$ref": "#/components/schemas/ErrorGroup"}},
        "nextCursor": {"type": ["string", "null"], "description": "null at the end"}
      }})"},
    Schema{"ErrorGroup", R"({
      "type": "object",
      "description": "Failures of one type whose messages have one pattern; kept for 90 days",
      "required": ["jobType", "fingerprint", "count", "first", "last", "sample", "code", "message",
                   "dead", "retrying", "recovered", "more"],
      "properties": {
        "jobType": {"$ref": "#/components/schemas/Name"},
        "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
        "count": {"type": "integer", "minimum": 1},
        "first": {"$ref": "#/components/schemas/Time"},
        "last": {"$ref": "#/components/schemas/Time"},
        "sample": {"$ref": "#/components/schemas/JobId"},
        "code": {"type": "string"},
        "message": {"type": "string"},
        "dead": {"type": "integer", "minimum": 0,
                 "description": "Jobs whose latest failure this was, and that are dead now"},
        "retrying": {"type": "integer", "minimum": 0, "description": "The same, not ended yet"},
        "recovered": {"type": "integer", "minimum": 0,
                      "description": "The same, succeeded after all"},
        "more": {"type": "boolean",
                 "description": "There are more jobs than the 500 that were counted"}
      }})"},
    Schema{"AuditTrail", R"({
      "type": "object",
      "required": ["audit", "nextCursor"],
      "properties": {
        "audit": {"type": "array", "maxItems": 500,
                  "items": {"$ref": "#/components/schemas/AuditEntry"}},
        "nextCursor": {"type": ["string", "null"], "description": "null at the end"}
      }})"},
    Schema{"AuditEntry", R"({
      "type": "object",
      "description": "What somebody did; kept for 90 days. A call for many jobs is one entry.",
      "required": ["at", "actor", "requestId", "action", "target"],
      "properties": {
        "at": {"$ref": "#/components/schemas/Time"},
        "actor": {"type": "string", "description": "The name of the token; local without tokens"},
        "requestId": {"type": "string", "description": "X-Request-Id of the call"},
        "action": {"type": "string"},
        "target": {"type": "string",
                   "description": "A job's id, a queue, a token's id; of many jobs the filter"}
      }})"},
    Schema{"Queues", R"({
      "type": "object",
      "required": ["queues", "nextCursor"],
      "properties": {
        "queues": {"type": "array", "maxItems": 500,
                   "items": {"$ref": "#/components/schemas/Queue"}},
        "nextCursor": {"type": ["string", "null"]}
      }})"},
    Schema{"Queue", R"({
      "type": "object",
      "required": ["queue", "paused", "maxRunning", "depth", "oldestAgeSeconds", "rates"],
      "properties": {
        "queue": {"$ref": "#/components/schemas/Name"},
        "paused": {"type": "boolean"},
        "maxRunning": {"type": ["integer", "null"]},
        "depth": {"type": "object",
                  "description": "Jobs by state; what was canceled or expired is CANCELED",
                  "additionalProperties": {"type": "integer", "minimum": 0}},
        "oldestAgeSeconds": {"type": ["number", "null"], "minimum": 0},
        "rates": {"type": "object",
                  "required": ["enqueuedPerSecond", "startedPerSecond", "finishedPerSecond"],
                  "properties": {"enqueuedPerSecond": {"type": "number"},
                                 "startedPerSecond": {"type": "number"},
                                 "finishedPerSecond": {"type": "number"}}}
      }})"},
    Schema{"QueuePause", R"({
      "type": "object",
      "required": ["queue", "paused"],
      "properties": {"queue": {"type": "string"}, "paused": {"type": "boolean"}}})"},
    Schema{"Workers", R"({
      "type": "object",
      "required": ["workers"],
      "properties": {
        "workers": {"type": "array", "items": {"$ref": "#/components/schemas/WorkerView"}}
      }})"},
    Schema{"WorkerView", R"({
      "type": "object",
      "required": ["workerId", "queues", "jobTypes", "slots", "host", "version", "lastSeenAt",
                   "jobs"],
      "properties": {
        "workerId": {"type": "string"},
        "queues": {"type": "array", "items": {"type": "string"}},
        "jobTypes": {"type": ["array", "null"], "items": {"type": "string"},
                     "description": "null: any"},
        "slots": {"type": "integer", "minimum": 0},
        "host": {"type": ["string", "null"]},
        "version": {"type": ["string", "null"]},
        "lastSeenAt": {"$ref": "#/components/schemas/Time"},
        "jobs": {"type": "array", "items": {"$ref": "#/components/schemas/JobId"}}
      }})"},
    Schema{"Counts", R"({
      "type": "object",
      "required": ["enqueued", "started", "succeeded", "failed", "dead", "canceled", "waitMillis",
                   "runMillis"],
      "properties": {
        "minute": {"$ref": "#/components/schemas/Time"},
        "queue": {"type": "string"},
        "jobType": {"type": "string"},
        "enqueued": {"type": "integer", "minimum": 0},
        "started": {"type": "integer", "minimum": 0},
        "succeeded": {"type": "integer", "minimum": 0},
        "failed": {"type": "integer", "minimum": 0},
        "dead": {"type": "integer", "minimum": 0},
        "canceled": {"type": "integer", "minimum": 0},
        "waitMillis": {"type": "integer", "minimum": 0},
        "runMillis": {"type": "integer", "minimum": 0},
        "series": {
          "type": "object",
          "description": "Of a queue or a job type: the window in 24 equal parts, oldest first",
          "required": ["enqueued", "finished", "failed"],
          "properties": {
            "enqueued": {"$ref": "#/components/schemas/Parts"},
            "finished": {"$ref": "#/components/schemas/Parts"},
            "failed": {"$ref": "#/components/schemas/Parts"}}}
      }})"},
    Schema{"Parts", R"({"type": "array", "minItems": 24, "maxItems": 24,
                        "items": {"type": "integer", "minimum": 0}})"},
    Schema{"Stats", R"({
      "type": "object",
      "required": ["window", "minutes", "totals", "queues", "jobTypes"],
      "properties": {
        "window": {"type": "string", "enum": ["1h", "6h", "24h"]},
        "minutes": {"type": "array", "maxItems": 1440,
                    "items": {"$ref": "#/components/schemas/Counts"}},
        "totals": {"$ref": "#/components/schemas/Counts"},
        "queues": {"type": "array", "items": {"$ref": "#/components/schemas/Counts"}},
        "jobTypes": {"type": "array", "items": {"$ref": "#/components/schemas/Counts"}}
      }})"},
    Schema{"EmptyRequest", R"({"type": "object", "additionalProperties": false})"},
    Schema{"Check", R"({
      "type": "object",
      "required": ["sound", "jobsChecked", "findings", "startedAt", "finishedAt"],
      "properties": {
        "sound": {"type": "boolean"},
        "jobsChecked": {"type": "integer", "minimum": 0},
        "findings": {"type": "array", "maxItems": 1000, "items": {
          "type": "object",
          "required": ["rule"],
          "properties": {"rule": {"type": "string"}, "what": {"type": "string"}}}},
        "startedAt": {"$ref": "#/components/schemas/Time"},
        "finishedAt": {"$ref": "#/components/schemas/Time"},
        "warnings": {
          "type": "array", "items": {"type": "string"},
          "description": "What has to be known of a sound store, such as a clock that was set"}
      }})"},
    Schema{"CheckProgress", R"({
      "type": "object",
      "required": ["startedAt", "jobsChecked", "checking"],
      "properties": {
        "startedAt": {"$ref": "#/components/schemas/Time"},
        "jobsChecked": {"type": "integer", "minimum": 0},
        "checking": {"type": "string",
                     "description": "The rule being proved, or \"records\""}
      }})"},
    Schema{"CheckUnderWay", R"({
      "type": "object",
      "required": ["progress"],
      "properties": {"progress": {"$ref": "#/components/schemas/CheckProgress"}}})"},
    Schema{"Checks", R"({
      "type": "object",
      "required": ["report", "progress"],
      "properties": {
        "report": {"oneOf": [{"$ref": "#/components/schemas/Check"}, {"type": "null"}]},
        "progress": {"oneOf": [{"$ref": "#/components/schemas/CheckProgress"}, {"type": "null"}]}
      }})"},
    Schema{"Alive", R"({
      "type": "object", "required": ["status"],
      "properties": {"status": {"type": "string", "enum": ["alive"]}}})"},
    Schema{"Ready", R"({
      "type": "object",
      "required": ["status", "store", "durability"],
      "properties": {
        "status": {"type": "string", "enum": ["ready"]},
        "store": {"type": "string"},
        "durability": {"type": "string", "enum": ["A", "B", "C"]},
        "alarm": {
          "type": "string",
          "description": "After a loss of acknowledged commits, or while the clock is wrong: how."
        }
      }})"},
    Schema{"Role", R"({
      "type": "string", "enum": ["producer", "worker", "viewer", "operator", "admin"]})"},
    Schema{"TokenRequest", R"({
      "type": "object",
      "additionalProperties": false,
      "required": ["role"],
      "properties": {
        "role": {"$ref": "#/components/schemas/Role"},
        "name": {"type": "string", "minLength": 1, "maxLength": 64},
        "namespace": {"$ref": "#/components/schemas/Name"},
        "expiresAt": {"$ref": "#/components/schemas/AnyTime"},
        "expiresInSeconds": {"type": "number", "minimum": 1,
                             "description": "Instead of expiresAt, never with it"}
      }})"},
    Schema{"Token", R"({
      "type": "object",
      "required": ["id", "name", "role", "namespace", "createdAt", "expiresAt", "lastUsedAt"],
      "properties": {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "role": {"$ref": "#/components/schemas/Role"},
        "namespace": {"type": "string"},
        "createdAt": {"$ref": "#/components/schemas/Time"},
        "expiresAt": {"$ref": "#/components/schemas/TimeOrNull"},
        "lastUsedAt": {"$ref": "#/components/schemas/TimeOrNull"}
      }})"},
    Schema{"NewToken", R"({
      "type": "object",
      "description": "Shown once: the token itself is not kept",
      "required": ["id", "name", "role", "namespace", "createdAt", "expiresAt", "lastUsedAt",
                   "token"],
      "properties": {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "role": {"$ref": "#/components/schemas/Role"},
        "namespace": {"type": "string"},
        "createdAt": {"$ref": "#/components/schemas/Time"},
        "expiresAt": {"$ref": "#/components/schemas/TimeOrNull"},
        "lastUsedAt": {"$ref": "#/components/schemas/TimeOrNull"},
        "token": {"type": "string", "description": "What to send as Authorization: Bearer"}
      }})"},
    Schema{"Tokens", R"({
      "type": "object",
      "required": ["tokens"],
      "properties": {
        "tokens": {"type": "array", "items": {"$ref": "#/components/schemas/Token"}}
      }})"},
    Schema{"Revoked", R"({
      "type": "object",
      "required": ["id", "revoked"],
      "properties": {"id": {"type": "string"}, "revoked": {"type": "boolean"}}})"},
    Schema{"About", R"({
      "type": "object",
      "required": ["caller", "version", "store", "durability", "profile", "nodes",
                   "configuration", "clock", "redact"],
      "properties": {
        "caller": {
          "type": "object",
          "required": ["name", "role", "namespace", "hasToken"],
          "properties": {
            "name": {"type": "string"},
            "role": {"$ref": "#/components/schemas/Role"},
            "namespace": {"type": "string"},
            "hasToken": {"type": "boolean", "description": "False on a server without tokens"}}},
        "version": {"type": "string"},
        "store": {"type": "string"},
        "durability": {"type": "string", "enum": ["A", "B", "C"]},
        "profile": {"type": "string"},
        "nodes": {"type": "array", "items": {
          "type": "object",
          "required": ["name", "startedAt", "lastSeenAt"],
          "properties": {
            "name": {"type": "string"},
            "startedAt": {"$ref": "#/components/schemas/Time"},
            "lastSeenAt": {"$ref": "#/components/schemas/Time"}}}},
        "configuration": {"type": "array", "items": {
          "type": "object",
          "required": ["name", "value", "source"],
          "properties": {
            "name": {"type": "string"},
            "value": {"type": "string", "description": "Secrets are hidden"},
            "source": {"type": "string"}}}},
        "ruleConflicts": {"type": "array", "items": {"type": "string"},
                          "description": "How this node's rules differ from the store's, in words"},
        "clock": {
          "type": "object",
          "required": ["stepsForward", "stepsBack", "aheadSeconds", "alarm"],
          "properties": {
            "stepsForward": {"type": "integer", "minimum": 0},
            "stepsBack": {"type": "integer", "minimum": 0},
            "aheadSeconds": {"type": "number", "minimum": 0,
                             "description": "By how much the store's time is ahead of its clock"},
            "alarm": {"type": "string", "description": "What is wrong; empty: nothing"}}},
        "redact": {"type": "array", "items": {"type": "string"},
                   "description": "Members of payloads that the dashboard hides, by name"}
      }})"},
    Schema{"SessionRequest", R"({
      "type": "object",
      "additionalProperties": false,
      "required": ["token"],
      "properties": {"token": {"type": "string"}}})"},
    Schema{"Session", R"({
      "type": "object",
      "required": ["name", "role", "namespace", "expiresInSeconds"],
      "properties": {
        "name": {"type": "string"},
        "role": {"$ref": "#/components/schemas/Role"},
        "namespace": {"type": "string"},
        "expiresInSeconds": {"type": "number"},
        "note": {"type": "string",
                 "description": "Set when the session ends with this node, and why."}
      }})"},
};

constexpr std::array parameters = {
    Schema{"state", R"({
      "name": "state", "in": "query",
      "description": "States or public statuses, separated by commas; with view also its words",
      "schema": {"type": "string", "minLength": 1}, "example": "RETRY,DEAD"})"},
    Schema{"jobType", R"({
      "name": "jobType", "in": "query", "schema": {"$ref": "#/components/schemas/Name"}})"},
    Schema{"queue", R"({
      "name": "queue", "in": "query", "schema": {"$ref": "#/components/schemas/Name"}})"},
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
      "description": "Of the latest error, as GET /errors writes it",
      "schema": {"type": "string", "pattern": "^[0-9a-f]{16}$"}})"},
    Schema{"createdAfter", R"({
      "name": "createdAfter", "in": "query",
      "schema": {"$ref": "#/components/schemas/AnyTime"}})"},
    Schema{"createdBefore", R"({
      "name": "createdBefore", "in": "query",
      "schema": {"$ref": "#/components/schemas/AnyTime"}})"},
    Schema{"limit", R"({
      "name": "limit", "in": "query",
      "schema": {"type": "integer", "minimum": 1, "maximum": 500, "default": 50}})"},
    Schema{"pageLimit", R"({
      "name": "limit", "in": "query",
      "schema": {"type": "integer", "minimum": 1, "maximum": 500, "default": 500}})"},
    Schema{"checkWait", R"({
      "name": "waitSeconds", "in": "query",
      "description": "Answer as soon as the check has ended, or with its progress after this long",
      "schema": {"type": "number", "minimum": 0, "maximum": 60, "default": 60}})"},
    Schema{"cursor", R"({
      "name": "cursor", "in": "query", "description": "The nextCursor of the page before",
      "schema": {"type": "string"}})"},
    Schema{"redriven", R"({
      "name": "redriven", "in": "query", "description": "Also those that have a successor",
      "schema": {"type": "boolean", "default": false}})"},
    Schema{"view", R"({
      "name": "view", "in": "query",
      "description": "Whose field names, types and words the answer uses",
      "schema": {"$ref": "#/components/schemas/View"}})"},
    Schema{"window", R"({
      "name": "window", "in": "query",
      "schema": {"type": "string", "enum": ["1h", "6h", "24h"], "default": "1h"}})"},
    Schema{"tokenId", R"({
      "name": "id", "in": "query", "required": true, "schema": {"type": "string"}})"},
};

}  // namespace

std::span<const Schema> server_schemas() { return table; }
std::span<const Schema> operator_query_parameters() { return parameters; }

}  // namespace longshore
