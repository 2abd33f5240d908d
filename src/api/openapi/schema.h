// The shapes of request and answer bodies, as JSON Schema.
//
// Requests are strict, so their schemas say `additionalProperties: false`. Answers may gain
// members, so theirs do not; the tests still check every answer against its schema.
#pragma once

#include <span>
#include <string_view>

namespace longshore {

// A named schema, or a named query parameter, of the OpenAPI document's components.
struct Schema {
  std::string_view name;
  std::string_view json;
};

// Used by several resources.
std::span<const Schema> shared_schemas();
std::span<const Schema> shared_parameters();

}  // namespace longshore
