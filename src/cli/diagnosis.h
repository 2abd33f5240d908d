// What `doctor` finds: whether something is as it should be, and what to do if it is not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/http_client.h"
#include "server/settings.h"

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
// False if no server answers.
bool examine_server(const Settings& settings, Diagnoses& found);

std::string_view to_text(Diagnosis::Level level);

// ---- Single judgements, which need nothing but their numbers ----------------------------------

Diagnosis judge_clocks(Duration apart_least, Duration apart_most);
Diagnosis judge_space(const std::string& folder, std::uint64_t free, std::uint64_t all);
Diagnosis judge_descriptors(std::uint64_t allowed, std::int64_t connections);

}  // namespace longshore
