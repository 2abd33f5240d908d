#include <array>

#include "api/errors/routes.h"

namespace longshore {
namespace {

constexpr std::array error_group_schema_table = {
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
                 "description": "Jobs whose latest failure this is and that are dead"},
        "retrying": {"type": "integer", "minimum": 0, "description": "The same, not ended yet"},
        "recovered": {"type": "integer", "minimum": 0,
                      "description": "The same, later succeeded"},
        "more": {"type": "boolean",
                 "description": "There are more jobs than the 500 counted"}
      }})"},
};

}  // namespace

std::span<const Schema> error_group_schemas() { return error_group_schema_table; }

}  // namespace longshore
