#include "cli/client/store_access.h"

#include <unistd.h>

#include <algorithm>

#include "core/policy/profiles.h"
#include "runtime/store_url.h"
#include "server/settings/rule_options.h"

namespace longshore {
namespace {

constexpr std::string_view sqlite = "sqlite:";

const Setting* setting_of(const Settings& settings, std::string_view option) {
  const auto found = std::ranges::find(settings.all(), option,
                                       [](const Setting& setting) { return setting.option->name; });
  return found == settings.all().end() ? nullptr : &*found;
}

bool is_flag(const Setting* setting) {
  return setting != nullptr && setting->source.starts_with("--");
}

std::optional<Error> absent(const std::string& url) {
  if (url.starts_with("memory:")) {
    return Error{Errc::refused,
                 "a memory: store exists only inside its process; use --server instead"};
  }
  if (!url.starts_with(sqlite)) return std::nullopt;
  const std::string path = url.substr(sqlite.size());
  if (::access(path.c_str(), F_OK) == 0) return std::nullopt;
  return Error{Errc::not_found, "no store at " + path + "; set --store or --server"};
}

// Whether the store was created with another profile.
bool is_other_profile(const Error& error) {
  return error.code == Errc::refused &&
         error.message.find("was created with other rules") != std::string::npos;
}

}  // namespace

bool is_given(const Settings& settings, std::string_view option) {
  const Setting* setting = setting_of(settings, option);
  return setting != nullptr && setting->source != "default";
}

bool prefers_server(const Settings& settings) {
  const Setting* server = setting_of(settings, "server");
  if (!is_given(settings, "server")) return false;
  return is_flag(server) || !is_flag(setting_of(settings, "store"));
}

Result<std::unique_ptr<OfflineStore>> open_offline_store(const Settings& settings) {
  const std::string url = settings.text("store");
  if (auto missing = absent(url)) return *missing;
  const Result<Rules> asked = rules_of(settings);
  if (!asked) return asked.error();
  std::vector<Rules> tries = {*asked};
  if (!is_given(settings, "profile")) {
    for (const std::string_view name : profile_names()) tries.push_back(*profile(name));
  }
  auto store = std::make_unique<OfflineStore>();
  std::optional<Error> first;
  for (const Rules& rules : tries) {
    auto backend = open_store(url, store->clock, rules);
    if (backend) {
      store->backend = std::move(*backend);
      store->rules = *rules_of(*store->backend);
      store->conflicts = differences(store->rules, rules);
      return store;
    }
    if (!first) first = backend.error();
    if (!is_other_profile(backend.error())) return backend.error();
  }
  return *first;
}

}  // namespace longshore
