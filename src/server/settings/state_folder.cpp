#include "server/settings/state_folder.h"

#include <cstdlib>
#include <string_view>

#include "core/text/hash.h"
#include "longshore/id.h"

namespace longshore {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// A service manager's variable comes first. It may list several folders.
std::string state_folder() {
  if (const auto given = variable("STATE_DIRECTORY"); !given.empty()) {
    return std::string(given.substr(0, given.find(':')));
  }
  if (const auto given = variable("XDG_STATE_HOME"); given.starts_with('/')) {
    return std::string(given) + "/longshore";
  }
  if (const auto home = variable("HOME"); home.starts_with('/')) {
    return std::string(home) + "/.local/state/longshore";
  }
  return "";
}

}  // namespace

std::string node_file(const Settings& settings) {
  const std::string given = settings.text("node-file");
  if (given == "none") return "";
  if (!given.empty()) return given;
  const std::string folder = state_folder();
  if (folder.empty()) return "";
  const std::string name = settings.text("node-name");
  const std::string node = name.empty() ? "listen\n" + settings.text("listen") : "name\n" + name;
  const Hash128 hash = hash128(settings.text("store") + "\n" + node);
  return folder + "/node-" + to_hex(hash.high, hash.low);
}

}  // namespace longshore
