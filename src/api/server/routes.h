// The routes of the server itself: health, checks, audit trail, configuration and dashboard.
#pragma once

#include "api/resource.h"
#include "longshore/store.h"

namespace longshore {

Resource server_resource();
std::span<const Schema> server_schemas();
std::span<const Schema> server_parameters();

// health.cpp
void get_livez(Api& api, CallRef call);
void get_readyz(Api& api, CallRef call);
std::string_view to_text(Durability durability);  // "A"

// about.cpp
void get_about(Api& api, CallRef call);

// apply.cpp
void post_apply(Api& api, CallRef call);

// audit_trail.cpp
void get_audit(Api& api, CallRef call);

// checks.cpp
void post_check(Api& api, CallRef call);
void get_check(Api& api, CallRef call);

// ui_page.cpp
void get_ui(Api& api, CallRef call);

}  // namespace longshore
