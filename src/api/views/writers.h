// The write functions of the views, one file each, and what they share.
#pragma once

#include <string>
#include <string_view>

#include "api/views/view.h"

namespace longshore {

void write_native(JsonOut& out, const ShownJob& shown);        // job_json.cpp
void write_basic(JsonOut& out, const ShownJob& shown);         // basic.cpp
void write_endpoints(JsonOut& out, const ShownJob& shown);     // endpoints.cpp
void write_scheduler(JsonOut& out, const ShownJob& shown);     // scheduler.cpp
void write_external(JsonOut& out, const ShownJob& shown);      // external.cpp
void write_orchestrator(JsonOut& out, const ShownJob& shown);  // orchestrator.cpp

// The profile's word for the job's state. REQUIRES: the profile exists
std::string_view state_word(std::string_view profile, const Job& job);

// JSON byte for byte, or null.
void write_json(JsonOut& out, std::string_view name, std::string_view json);

// {"code", "message", "details"} as JSON text; in a list only the code and the message's first
// line.
std::string error_text(const ShownJob& shown);

}  // namespace longshore
