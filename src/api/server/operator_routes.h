// The handlers of what operators ask for, and of what a server says about itself.
#pragma once

#include "api/wire/route.h"

namespace longshore {

// Jobs.
void get_jobs(Api& api, CallRef call);
void get_dead(Api& api, CallRef call);
void get_details(Api& api, CallRef call);
void get_history(Api& api, CallRef call);
void get_logs(Api& api, CallRef call);
void get_explanation(Api& api, CallRef call);
void post_promote(Api& api, CallRef call);
void post_resolve(Api& api, CallRef call);
void post_redrive(Api& api, CallRef call);

// Many jobs at once.
void post_cancel_many(Api& api, CallRef call);
void post_redrive_many(Api& api, CallRef call);

// What is going on.
void get_job_events(Api& api, CallRef call);
void get_events(Api& api, CallRef call);
void get_errors(Api& api, CallRef call);
void get_audit(Api& api, CallRef call);
void get_queues(Api& api, CallRef call);
void get_workers(Api& api, CallRef call);
void get_stats(Api& api, CallRef call);
void post_pause(Api& api, CallRef call);
void post_resume(Api& api, CallRef call);
void post_check(Api& api, CallRef call);
void get_check(Api& api, CallRef call);
void post_apply(Api& api, CallRef call);

// The server itself.
void get_livez(Api& api, CallRef call);
void get_readyz(Api& api, CallRef call);
void get_metrics(Api& api, CallRef call);
void get_about(Api& api, CallRef call);
void get_ui(Api& api, CallRef call);

// Who may come in.
void post_token(Api& api, CallRef call);
void get_tokens(Api& api, CallRef call);
void delete_token(Api& api, CallRef call);
void post_session(Api& api, CallRef call);
void delete_session(Api& api, CallRef call);

}  // namespace longshore
