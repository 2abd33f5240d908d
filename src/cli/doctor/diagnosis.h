// What `doctor` finds: whether something is as it should be, and what to do if it is not.
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
  std::string advice = {};  // none for what is good
};

using Diagnoses = std::vector<Diagnosis>;

// Each looks at one side of things.
void examine_machine(const Settings& settings, Diagnoses& found);
void examine_store(const Settings& settings, Diagnoses& found);
// Unsafe settings, as far as they show without the server; files among them.
void examine_security(const Settings& settings, Diagnoses& found);
void examine_files(const Settings& settings, Diagnoses& found);
// Whether a server that others may reach asks for tokens.
void examine_openness(HttpClient& client, const Settings& settings, Diagnoses& found);
// False if no server answers.
bool examine_server(const Settings& settings, Diagnoses& found);

std::string_view to_text(Diagnosis::Level level);

// ---- Single judgements, which need nothing but their numbers ----------------------------------

// Whether it holds more than the proxies of one site could be.
bool is_wide(const IpNetwork& network);
Diagnosis judge_clocks(Duration apart_least, Duration apart_most);
// `alarm`: what the store says of its clock; empty: all is well.
Diagnosis judge_store_clock(const std::string& alarm);
Diagnosis judge_space(const std::string& folder, std::uint64_t free, std::uint64_t all);
Diagnosis judge_descriptors(std::uint64_t allowed, std::int64_t connections);

}  // namespace longshore
