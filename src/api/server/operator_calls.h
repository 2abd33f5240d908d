// What the routes of operators have in common.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "api/api.h"

namespace longshore {

HttpResponse json_response(std::string body, int status = 200);

std::string_view to_text(Durability durability);  // "A"

// The job that the path names. Nothing, and the call is answered 404, if that is no id.
std::optional<JobId> job_in_path(Api& api, const CallRef& call);

// The queue that the path names; nothing, and the call is answered, if no queue can be called so.
std::optional<std::string> queue_in_path(Api& api, const CallRef& call);

// On whose behalf: written to the audit trail with what it changes.
Actor actor_of(const Call& call);

// True, and the call is answered, if the query has any parameter.
bool answered_for_query(Api& api, const CallRef& call);

// True, and the call is answered, if the body has any member.
bool answered_for_body(Api& api, const CallRef& call);

// Sends the command and answers {jobId, status} with this status.
void submit_for_status(Api& api, CallRef call, Command command, int status);

}  // namespace longshore
