// The shapes of what is sent and answered, as JSON Schema.
//
// Requests are strict, so theirs say `additionalProperties: false`. Answers may gain members, so
// theirs do not; the tests hold every answer to what is written here all the same.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace longshore {

struct Schema {
  std::string_view name;
  std::string_view json;
};

std::span<const Schema> producer_schemas();
std::span<const Schema> worker_schemas();
std::span<const Schema> operator_schemas();
std::span<const Schema> view_schemas();
std::span<const Schema> server_schemas();
std::span<const Schema> shared_schemas();
std::span<const Schema> operator_query_parameters();

// Every schema there is.
std::vector<Schema> schemas();
// Parameters of queries, by the names that routes give them.
std::vector<Schema> query_parameters();

}  // namespace longshore
