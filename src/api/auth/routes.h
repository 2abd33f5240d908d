// The routes of tokens, and of the dashboard's sessions.
#pragma once

#include "api/resource.h"

namespace longshore {

Resource token_resource();
std::span<const Schema> token_schemas();
std::span<const Schema> token_parameters();

// tokens.cpp
void post_token(Api& api, CallRef call);
void get_tokens(Api& api, CallRef call);
void delete_token(Api& api, CallRef call);

// sessions.cpp
void post_session(Api& api, CallRef call);
void delete_session(Api& api, CallRef call);

}  // namespace longshore
