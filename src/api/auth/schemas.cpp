#include <array>

#include "api/auth/routes.h"

namespace longshore {
namespace {

constexpr std::array token_schema_table = {
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
                             "description": "Instead of expiresAt; not both"}
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
      "description": "Shown once: the token itself is not stored",
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
        "token": {"type": "string", "description": "Send it as Authorization: Bearer TOKEN"}
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
                 "description": "Set if the session ends with this node."}
      }})"},
};

constexpr std::array token_parameter_table = {
    Schema{"tokenId", R"({
      "name": "id", "in": "query", "required": true, "schema": {"type": "string"}})"},
};

}  // namespace

std::span<const Schema> token_schemas() { return token_schema_table; }
std::span<const Schema> token_parameters() { return token_parameter_table; }

}  // namespace longshore
