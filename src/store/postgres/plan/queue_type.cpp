#include "store/postgres/plan/queue_type.h"

#include <algorithm>
#include <utility>

namespace longshore::postgres {

std::string before_lanes_of(const std::string& ns, const std::string& queue) {
  return ns + '\0' + queue + '\0';
}

std::string after_lanes_of(const std::string& ns, const std::string& queue) {
  return ns + '\0' + queue + '\1';
}

std::string lane_of(const std::string& ns, const std::string& queue, const std::string& type) {
  return before_lanes_of(ns, queue) + type;
}

Column lanes_of(const std::string& ns, const std::string& queue,
                const std::vector<std::string>& types) {
  Column lanes(Type::bytes);
  for (const std::string& type : types) lanes.add(lane_of(ns, queue, type));
  return lanes;
}

std::vector<std::string> distinct_types(std::vector<std::string> types) {
  std::ranges::sort(types);
  const auto twice = std::ranges::unique(types);
  types.erase(twice.begin(), twice.end());
  return types;
}

std::string listed_lanes(const std::string& list) {
  return "unnest(" + list + "::bytea[]) AS lanes(lane)";
}

// Each step goes to the first job of the next writer, over whatever the last one holds.
std::string lanes_between(const std::string& low, const std::string& high) {
  const auto first_behind = [&](const std::string& bound) {
    return "(SELECT " + lane_of_row + " FROM @ready WHERE " + lane_of_row + " > " + bound +
           " AND " + lane_of_row + " < " + high + " ORDER BY " + lane_of_row + " LIMIT 1)";
  };
  return "lanes(lane) AS (SELECT " + first_behind(low) + " UNION ALL SELECT " +
         first_behind("lanes.lane") + " FROM lanes WHERE lanes.lane IS NOT NULL)";
}

std::string merged_lanes(const std::string& from, const std::string& condition,
                         const std::string& limit) {
  return "SELECT rank, step, job, place FROM " + from +
         ", LATERAL (SELECT priority AS rank, ord AS step, job, ctid AS place FROM @ready WHERE " +
         lane_of_row + " = lanes.lane" + condition + " ORDER BY priority, ord LIMIT " + limit +
         ") AS lane ORDER BY rank, step LIMIT " + limit;
}

}  // namespace longshore::postgres
