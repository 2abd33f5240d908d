// What producers send and read.
#include <array>

#include "api/openapi/schemas.h"

namespace longshore {
namespace {

constexpr std::array table = {
    Schema{"Name", R"({"type": "string", "pattern": "^[A-Za-z0-9._:-]{1,128}$"})"},
    Schema{"Key", R"({"type": "string", "minLength": 1, "maxLength": 255})"},
    Schema{"NewJob", R"({
      "type": "object",
      "additionalProperties": false,
      "required": ["jobType"],
      "properties": {
        "jobType": {"$ref": "#/components/schemas/Name",
                    "description": "What begins with longshore. or _ is reserved"},
        "jobId": {"$ref": "#/components/schemas/JobId",
                  "description": "A UUIDv7 of now from the caller; a repeat makes no second job"},
        "payload": {"description": "Any JSON, up to 1 MiB and 64 levels", "default": null},
        "idempotencyKey": {"$ref": "#/components/schemas/Key",
                           "description": "One job ever; the header Idempotency-Key does as well"},
        "jobKey": {"$ref": "#/components/schemas/Key",
                   "description": "One live job of each type and key"},
        "onConflict": {"type": "string", "enum": ["existing", "reject", "replace"],
                       "default": "existing"},
        "queue": {"$ref": "#/components/schemas/Name", "default": "default"},
        "priority": {"type": "integer", "minimum": 0, "maximum": 9, "default": 5,
                     "description": "0 first"},
        "runAt": {"$ref": "#/components/schemas/AnyTime"},
        "delaySeconds": {"type": "number", "minimum": 0,
                         "description": "Instead of runAt, never with it"},
        "expiresAt": {"$ref": "#/components/schemas/AnyTime",
                      "description": "The latest start of any attempt; not before runAt"},
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
      "description": "Where the outcome is delivered, signed",
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
                  "description": "Do not wait for the worker: take the job from it"}
      }})"},
};

}  // namespace

std::span<const Schema> producer_schemas() { return table; }

}  // namespace longshore
