// What handlers of several resources share.
#pragma once

#include <string>

#include "api/wire/route.h"
#include "longshore/command.h"

namespace longshore {

HttpResponse json_response(std::string body, int status = 200);

// On whose behalf a command is sent, for the audit trail.
Actor actor_of(const Call& call);

// True, and the call is answered, if the query has any parameter.
bool answered_for_query(Api& api, const CallRef& call);

// True, and the call is answered, if the body has any member.
bool answered_for_body(Api& api, const CallRef& call);

// Calls `handle` at once if the body is small. A large body would block the I/O thread, so it is
// handled on a thread of the read pool.
void handle_body(Api& api, CallRef call, Handle handle);

}  // namespace longshore
