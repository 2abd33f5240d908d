// Lanes: a queue's ready jobs of one type. An index has them in the order of their claims, and a
// claim that may take some types alone merges their lanes.
#pragma once

#include <string>
#include <vector>

#include "store/postgres/connection/values.h"

namespace longshore::postgres {

// Of a row in ready, as the index has it.
inline const std::string lane_of_row = "(ns || '\\x00'::bytea || queue || '\\x00'::bytea || type)";

// The bytes of a writer. A name never holds a byte of 0, so no two lanes are the same.
std::string lane_of(const std::string& ns, const std::string& queue, const std::string& type);
// Those of several types, as a list.
Column lanes_of(const std::string& ns, const std::string& queue,
                const std::vector<std::string>& types);
// In order, each once.
std::vector<std::string> distinct_types(std::vector<std::string> types);
// Below all lanes of a queue, and above them.
std::string before_lanes_of(const std::string& ns, const std::string& queue);
std::string after_lanes_of(const std::string& ns, const std::string& queue);

// "lanes(writer)" for a FROM: those of a list, and a WITH RECURSIVE part that finds which lanes
// between two bounds have jobs, one look-up for each.
std::string listed_lanes(const std::string& list);
std::string lanes_between(const std::string& low, const std::string& high);

// A query: the first `limit` jobs over all lanes of `from`, by rank and step. Nothing is locked.
std::string merged_lanes(const std::string& from, const std::string& condition,
                         const std::string& limit);

}  // namespace longshore::postgres
