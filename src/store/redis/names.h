// The fields of a job's HASH that are there for people and their tools: state, type, queue, attempt
// and run_at, by name and in plain text. Longshore itself reads `given` and `life`, which hold the
// same; the names are written in the same HSET, so the two never differ. What they cost is made up
// for by usual_moves.h.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "longshore/job.h"
#include "store/redis/channel.h"
#include "store/redis/deed.h"
#include "store/redis/entry.h"

namespace longshore::redis {

inline constexpr std::array<std::string_view, 5> name_fields = {"state", "type", "queue", "attempt",
                                                                "run_at"};
// Asks for them, of the job under this key.
Words names_call(const std::string& key);
// What they show of this job, in the same order. Times are milliseconds since 1970.
std::array<std::string, name_fields.size()> name_values(const Job& job);
// Whether names_call() was answered like that.
bool shows_names(const Reply& reply, const Job& job);

// Adds the names that the HASH does not show yet, or shows as they were before this batch. All of
// them for a job that is new, was replaced, or was last written by a Longshore that knew no names.
void put_names(Fields& fields, const Entry& entry);

}  // namespace longshore::redis
