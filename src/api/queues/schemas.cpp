#include <array>

#include "api/queues/routes.h"

namespace longshore {
namespace {

constexpr std::array queue_schema_table = {
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
                  "description": "Jobs by state; canceled and expired jobs are CANCELED",
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
};

constexpr std::array queue_parameter_table = {
    Schema{"window", R"({
      "name": "window", "in": "query",
      "schema": {"type": "string", "enum": ["1h", "6h", "24h"], "default": "1h"}})"},
};

}  // namespace

std::span<const Schema> queue_schemas() { return queue_schema_table; }
std::span<const Schema> queue_parameters() { return queue_parameter_table; }

}  // namespace longshore
