#include "api/wire/wait_options.h"

#include <charconv>
#include <string_view>

#include "api/wire/query.h"
#include "core/text/time_text.h"

namespace longshore {
namespace {

// The seconds of `wait=N` in the header Prefer; nothing if it is absent or malformed, since an
// invalid preference is ignored.
std::optional<double> preferred_wait(const HttpRequest& request) {
  std::string_view rest = request.header("Prefer");
  while (!rest.empty()) {
    std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    one.remove_prefix(std::min(one.find_first_not_of(" \t"), one.size()));
    if (!one.starts_with("wait=")) continue;
    one = one.substr(5, one.find_first_of(" \t;") - 5);
    unsigned seconds = 0;
    const char* end = one.data() + one.size();
    const auto [stop, fault] = std::from_chars(one.data(), end, seconds);
    if (fault != std::errc() || stop != end) return std::nullopt;
    return seconds;
  }
  return std::nullopt;
}

}  // namespace

std::variant<WaitOptions, Problem> read_wait_options(const Call& call) {
  Query query(call);
  std::optional<double> seconds = query.number("waitSeconds", 0, wait_seconds_max);
  if (auto problem = query.problem()) return *problem;
  if (!seconds) seconds = preferred_wait(call.request());
  if (seconds && *seconds > wait_seconds_max) {
    return invalid_field("Prefer", "wait must be from 0 to 60 seconds");
  }
  return WaitOptions{.wait = duration_from_seconds(seconds.value_or(0)).value_or(Duration())};
}

std::optional<std::string> applied_preference(const Call& call) {
  for (const auto& [name, value] : call.query) {
    if (name == "waitSeconds") return std::nullopt;
  }
  const std::optional<double> seconds = preferred_wait(call.request());
  if (!seconds) return std::nullopt;
  return "wait=" + std::to_string(static_cast<int>(*seconds));
}

}  // namespace longshore
