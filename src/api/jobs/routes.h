// The routes of jobs.
#pragma once

#include "api/resource.h"

namespace longshore {

Resource job_resource();
std::span<const Schema> job_schemas();
std::span<const Schema> stored_job_schemas();
std::span<const Schema> job_parameters();

// enqueue.cpp
void post_job(Api& api, CallRef call);
void post_batch(Api& api, CallRef call);

// job_reads.cpp
void get_job(Api& api, CallRef call);
void get_result(Api& api, CallRef call);
void get_job_by_key(Api& api, CallRef call);

// by_key.cpp
void post_complete_by_key(Api& api, CallRef call);
void post_fail_by_key(Api& api, CallRef call);

// job_views.cpp
void get_jobs(Api& api, CallRef call);
void get_dead(Api& api, CallRef call);
void get_details(Api& api, CallRef call);
void get_history(Api& api, CallRef call);
void get_logs(Api& api, CallRef call);
void get_explanation(Api& api, CallRef call);

// job_actions.cpp
void post_cancel(Api& api, CallRef call);
void post_promote(Api& api, CallRef call);
void post_resolve(Api& api, CallRef call);
void post_redrive(Api& api, CallRef call);
void post_cancel_many(Api& api, CallRef call);
void post_redrive_many(Api& api, CallRef call);

}  // namespace longshore
