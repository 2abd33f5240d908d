#include <array>

#include "api/leases/routes.h"

namespace longshore {
namespace {

constexpr std::array lease_schema_table = {
    Schema{"LeaseToken", R"({
      "type": "string", "maxLength": 200,
      "description": "Opaque; proves that the worker holds the job"})"},
    Schema{"LeaseRequest", R"({
      "type": "object",
      "additionalProperties": false,
      "required": ["workerId"],
      "properties": {
        "workerId": {"type": "string", "minLength": 1, "maxLength": 255},
        "queues": {"type": "array", "minItems": 1, "maxItems": 100,
                   "items": {"$ref": "#/components/schemas/Name"}, "default": ["default"],
                   "description": "Visited in this order"},
        "jobTypes": {"type": "array", "minItems": 1, "maxItems": 1000,
                     "items": {"$ref": "#/components/schemas/Name"},
                     "description": "Absent: any"},
        "maxJobs": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 1},
        "waitSeconds": {"type": "number", "minimum": 0, "maximum": 60, "default": 0},
        "leaseSeconds": {"type": "number", "minimum": 1, "maximum": 86400},
        "requestId": {"$ref": "#/components/schemas/Key",
                      "description": "A repeat is answered with the same leases while they last"},
        "worker": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "slots": {"type": "integer", "minimum": 0, "maximum": 1000000},
            "host": {"type": "string", "maxLength": 255},
            "version": {"type": "string", "maxLength": 255}
          }}
      }})"},
    Schema{"Leases", R"({
      "type": "object",
      "required": ["leases"],
      "properties": {
        "leases": {"type": "array", "items": {"$ref": "#/components/schemas/Lease"}}
      }})"},
    Schema{"Lease", R"({
      "type": "object",
      "required": ["jobId", "jobType", "jobKey", "queue", "payload", "attempt", "failures",
                   "maxRetries", "fence", "leaseToken", "leaseExpiresAt", "deadlineAt",
                   "checkpoint", "lastError", "metadata", "request", "traceparent", "createdAt"],
      "properties": {
        "jobId": {"$ref": "#/components/schemas/JobId"},
        "jobType": {"type": "string"},
        "jobKey": {"type": ["string", "null"]},
        "queue": {"type": "string"},
        "payload": {},
        "attempt": {"type": "integer", "minimum": 1},
        "failures": {"type": "integer", "minimum": 0},
        "maxRetries": {"type": "integer", "minimum": 0, "maximum": 100},
        "fence": {"type": "integer", "minimum": 1,
                  "description": "Rises with every claim of the job"},
        "leaseToken": {"$ref": "#/components/schemas/LeaseToken"},
        "leaseExpiresAt": {"$ref": "#/components/schemas/Time"},
        "deadlineAt": {"$ref": "#/components/schemas/Time"},
        "checkpoint": {},
        "lastError": {"oneOf": [{"$ref": "#/components/schemas/Error"}, {"type": "null"}]},
        "metadata": {"type": "object", "additionalProperties": {"type": "string"}},
        "request": {"oneOf": [{"$ref": "#/components/schemas/OriginRequest"}, {"type": "null"}]},
        "traceparent": {"type": ["string", "null"]},
        "createdAt": {"$ref": "#/components/schemas/Time"}
      }})"},
    Schema{"Error", R"({
      "type": "object",
      "required": ["code", "message", "details"],
      "properties": {
        "code": {"type": "string"},
        "message": {"type": "string"},
        "details": {}
      }})"},
    Schema{"NewError", R"({
      "type": "object",
      "additionalProperties": false,
      "required": ["message"],
      "properties": {
        "code": {"type": "string", "minLength": 1, "maxLength": 128},
        "message": {"type": "string", "description": "Cut at 8 KiB"},
        "details": {"description": "Any JSON, up to 64 KiB"}
      }})"},
    Schema{"HeartbeatRequest", R"({
      "type": "object",
      "additionalProperties": false,
      "required": ["leaseToken"],
      "properties": {
        "leaseToken": {"$ref": "#/components/schemas/LeaseToken"},
        "extendSeconds": {"type": "number", "minimum": 1, "maximum": 86400},
        "progress": {"type": "number", "minimum": 0, "maximum": 100},
        "checkpoint": {"description": "Any JSON, up to 256 KiB"},
        "log": {"type": "string"}
      }})"},
    Schema{"Heartbeat", R"({
      "type": "object",
      "required": ["leaseExpiresAt", "cancelRequested"],
      "properties": {
        "leaseExpiresAt": {"$ref": "#/components/schemas/Time"},
        "cancelRequested": {"type": "boolean"}
      }})"},
    Schema{"CompleteRequest", R"({
      "type": "object",
      "additionalProperties": false,
      "required": ["leaseToken"],
      "properties": {
        "leaseToken": {"$ref": "#/components/schemas/LeaseToken"},
        "result": {"description": "Any JSON, up to 1 MiB", "default": null},
        "log": {"type": "string"}
      }})"},
    Schema{"FailRequest", R"({
      "type": "object",
      "additionalProperties": false,
      "required": ["leaseToken", "error"],
      "properties": {
        "leaseToken": {"$ref": "#/components/schemas/LeaseToken"},
        "error": {"$ref": "#/components/schemas/NewError"},
        "retryable": {"type": "boolean", "default": true},
        "retryAfterSeconds": {"type": "number", "minimum": 0, "maximum": 2592000},
        "log": {"type": "string"}
      }})"},
    Schema{"ReleaseRequest", R"({
      "type": "object",
      "additionalProperties": false,
      "required": ["leaseToken"],
      "properties": {
        "leaseToken": {"$ref": "#/components/schemas/LeaseToken"},
        "delaySeconds": {"type": "number", "minimum": 0},
        "checkpoint": {"description": "Any JSON, up to 256 KiB"},
        "log": {"type": "string"}
      }})"},
    Schema{"HandoffRequest", R"({
      "type": "object",
      "additionalProperties": false,
      "required": ["leaseToken"],
      "properties": {
        "leaseToken": {"$ref": "#/components/schemas/LeaseToken"},
        "timeoutSeconds": {"type": "number", "exclusiveMinimum": 0}
      }})"},
    Schema{"SettleRequest", R"({
      "type": "object",
      "additionalProperties": false,
      "required": ["outcomes"],
      "properties": {
        "outcomes": {"type": "array", "maxItems": 10000,
                     "items": {"$ref": "#/components/schemas/Outcome"}}
      }})"},
    Schema{"Outcome", R"({
      "type": "object",
      "description": "Exactly one of result, error and release",
      "additionalProperties": false,
      "required": ["jobId", "leaseToken"],
      "properties": {
        "jobId": {"type": "string"},
        "leaseToken": {"$ref": "#/components/schemas/LeaseToken"},
        "result": {},
        "error": {"$ref": "#/components/schemas/NewError"},
        "retryable": {"type": "boolean", "default": true},
        "retryAfterSeconds": {"type": "number", "minimum": 0, "maximum": 2592000},
        "release": {"const": true}
      },
      "oneOf": [{"required": ["result"]}, {"required": ["error"]}, {"required": ["release"]}]})"},
    Schema{"Verdicts", R"({
      "type": "object",
      "required": ["verdicts"],
      "properties": {
        "verdicts": {"type": "array", "items": {"$ref": "#/components/schemas/Verdict"}}
      }})"},
    Schema{"Verdict", R"({
      "type": "object",
      "description": "A status, or the code of the refusal",
      "required": ["jobId"],
      "properties": {
        "jobId": {"type": "string"},
        "status": {"$ref": "#/components/schemas/Status"},
        "code": {"$ref": "#/components/schemas/Code"}
      },
      "oneOf": [{"required": ["status"]}, {"required": ["code"]}]})"},
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
};

}  // namespace

std::span<const Schema> lease_schemas() { return lease_schema_table; }

}  // namespace longshore
