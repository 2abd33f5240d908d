// Jobs and client commands in the API's JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/http/http_client.h"
#include "longshore/catalog.h"
#include "longshore/client.h"
#include "longshore/command.h"
#include "longshore/error.h"

namespace longshore {

// POST /jobs for one, POST /jobs/batch for several. REQUIRES: every request has an id and is valid
// (core/rules/job_request.h). Errc::invalid for what the API does not accept.
Result<HttpCall> call_for(const std::vector<JobRequest>& requests);
Result<std::vector<EnqueuedJob>> read_enqueued(const HttpReply& reply,
                                               const std::vector<JobRequest>& requests);

// FinishByKey, Cancel, Promote, Resolve or Redrive; Errc::invalid for another command.
Result<HttpCall> call_for_action(const Command& command);
Result<Settled> read_action(const HttpReply& reply);

// GET /jobs or GET /dead. Errc::invalid for queries that the API does not support.
Result<HttpCall> call_for(const ListQuery& query);
Result<ListPage> read_list(const HttpReply& reply);

// GET /jobs/{id}/details; without the history.
Result<JobRecord> read_details(const HttpReply& reply);
// Adds the response of GET /jobs/{id}/history. False if that is of another version of the job.
Result<bool> add_history(JobRecord& record, const HttpReply& reply);
// GET /jobs/{id}: the state is derived from the public status.
Result<JobRecord> read_public_job(const HttpReply& reply);
Result<std::vector<AttemptLog>> read_logs(const HttpReply& reply);

// The data of an event of GET /jobs/{id}/events; nothing if it is not a transition.
std::optional<Transition> read_transition(std::string_view id, std::string_view data);

}  // namespace longshore
