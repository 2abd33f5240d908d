// How a job reads in answers: as a line of a list, with everything that is stored, and its story.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/json_out.h"
#include "longshore/catalog.h"
#include "longshore/job.h"

namespace longshore {

// jobId, jobType, status, createdAt, updatedAt, and what exists of runAt, startedAt, completedAt,
// progress, cancelRequested: what the public may know, without the braces. `successorId` is left to
// the caller.
void write_public_members(JsonOut& out, const Job& job);

// One line of a list, as an object: what is small and stored of a job.
void write_summary(JsonOut& out, const JobSummary& summary);

// `view` names the profile whose words the states are written in; it must exist.
std::string details_json(const JobRecord& record, std::string_view view);

std::string list_json(const ListPage& page);
std::string history_json(const JobRecord& record);
std::string logs_json(const std::vector<AttemptLog>& logs);

}  // namespace longshore
