// The sections of longshore.toml that are not options.
#pragma once

#include <toml++/toml.h>

#include <map>
#include <string>
#include <vector>

#include "server/settings/settings.h"

namespace longshore {

// [work.handlers.TYPE], [[endpoints]] and [secrets.NAME]. Errors are thrown by refuse() of
// toml_fields.h.
void read_handlers(const toml::node& node, std::map<std::string, HandlerSetting>& handlers);
void read_endpoints(const toml::node& node, std::vector<Endpoint>& endpoints);
void read_secrets(const toml::table& table, std::map<std::string, SecretSetting>& secrets);

}  // namespace longshore
