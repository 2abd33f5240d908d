// The findings of `doctor`, with advice.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/http/http_client.h"
#include "core/net/ip_address.h"
#include "server/settings/settings.h"

namespace longshore {

struct Diagnosis {
  enum class Level { good, warning, problem };
  Level level = Level::good;
  std::string_view about;  // "clock", "disk", ...
  std::string what;
  std::string advice = {};  // empty if the level is good
};

using Diagnoses = std::vector<Diagnosis>;

// Each adds the findings of one area.
void examine_machine(const Settings& settings, Diagnoses& found);
void examine_store(const Settings& settings, Diagnoses& found);
// Unsafe settings and files that can be found without the server.
void examine_security(const Settings& settings, Diagnoses& found);
void examine_files(const Settings& settings, Diagnoses& found);
// Whether a server that other machines can reach requires tokens.
void examine_token_requirement(HttpClient& client, const Settings& settings, Diagnoses& found);
// False if the server does not respond.
bool examine_server(const Settings& settings, Diagnoses& found);

std::string_view to_text(Diagnosis::Level level);

// ---- Pure checks ------------------------------------------------------------------------------

// Whether the network is larger than the proxies of one site can need.
bool is_wide(const IpNetwork& network);
Diagnosis diagnose_clocks(Duration apart_least, Duration apart_most);
// `alarm`: the store's message about its clock; empty: no problem.
Diagnosis diagnose_store_clock(const std::string& alarm);
Diagnosis diagnose_space(const std::string& folder, std::uint64_t free, std::uint64_t all);
Diagnosis diagnose_descriptors(std::uint64_t allowed, std::int64_t connections);

}  // namespace longshore
