#include <array>

#include "api/server/routes.h"

namespace longshore {
namespace {

constexpr std::array server_schema_table = {
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
      "description": "An action; kept for 90 days. A bulk request is one entry.",
      "required": ["at", "actor", "requestId", "action", "target"],
      "properties": {
        "at": {"$ref": "#/components/schemas/Time"},
        "actor": {"type": "string", "description": "The name of the token; local without tokens"},
        "requestId": {"type": "string", "description": "X-Request-Id of the call"},
        "action": {"type": "string"},
        "target": {"type": "string",
                   "description": "A job id, a queue, a token id, or the filter of a bulk request"}
      }})"},
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
          "description": "About a sound store, such as a step of its clock"}
      }})"},
    Schema{"CheckProgress", R"({
      "type": "object",
      "required": ["startedAt", "jobsChecked", "checking"],
      "properties": {
        "startedAt": {"$ref": "#/components/schemas/Time"},
        "jobsChecked": {"type": "integer", "minimum": 0},
        "checking": {"type": "string",
                     "description": "The rule being checked, or \"records\""}
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
          "description": "Set after a loss of acknowledged commits, or while the clock is wrong."
        }
      }})"},
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
                          "description": "How this node's rules differ from the store's"},
        "clock": {
          "type": "object",
          "required": ["stepsForward", "stepsBack", "aheadSeconds", "alarm"],
          "properties": {
            "stepsForward": {"type": "integer", "minimum": 0},
            "stepsBack": {"type": "integer", "minimum": 0},
            "aheadSeconds": {"type": "number", "minimum": 0,
                             "description": "How far the store's time is ahead of its clock"},
            "alarm": {"type": "string", "description": "What is wrong; empty if nothing"}}},
        "redact": {"type": "array", "items": {"type": "string"},
                   "description": "Names of payload members that the dashboard hides"}
      }})"},
    Schema{"RuleValue", R"({
      "type": ["number", "string", "boolean"],
      "description": "As in [rules] of a configuration file: seconds, a number or a word"})"},
    Schema{"ApplyRequest", R"({
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "source": {"$ref": "#/components/schemas/Name", "default": "default",
                   "description": "The owner of this revision"},
        "revision": {"type": "integer", "minimum": 0, "maximum": 9007199254740991,
                     "description": "Default: the stored revision stays"},
        "prune": {"type": "boolean", "default": false,
                  "description": "No effect on rules, which are never removed"},
        "dryRun": {"type": "boolean", "default": false},
        "rules": {"type": "object",
                  "additionalProperties": {"$ref": "#/components/schemas/RuleValue"},
                  "description": "Rules of the whole store; others stay unchanged"}
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
                      "description": "Owned by another source, and unchanged"}
      }})"},
};

constexpr std::array server_parameter_table = {
    Schema{"checkWait", R"({
      "name": "waitSeconds", "in": "query",
      "description": "Answer when the check has ended, or with its progress after this long",
      "schema": {"type": "number", "minimum": 0, "maximum": 60, "default": 60}})"},
};

}  // namespace

std::span<const Schema> server_schemas() { return server_schema_table; }
std::span<const Schema> server_parameters() { return server_parameter_table; }

}  // namespace longshore
