// The sections of longshore.toml that hold more than options.
#pragma once

#include <toml++/toml.h>

#include <map>
#include <string>
#include <vector>

#include "server/settings.h"

namespace longshore {

// [work.handlers.TYPE], and [[endpoints]]. Both refuse what is wrong: see toml_fields.h.
void read_handlers(const toml::node& node, std::map<std::string, HandlerSetting>& handlers);
void read_endpoints(const toml::node& node, std::vector<Endpoint>& endpoints);

}  // namespace longshore
