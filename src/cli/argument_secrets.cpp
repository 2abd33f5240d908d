#include "cli/argument_secrets.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace longshore {
namespace {

constexpr std::string_view secret_options[] = {"--token", "--token-key", "--secrets",
                                               "--push-secret"};

void hide(char* text, std::size_t length) { std::memset(text, 'x', length); }

// Hides the password between "://user:" and "@", if there is one.
void hide_password(char* text) {
  const std::string_view url = text;
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return;
  const std::size_t begin = scheme + 3;
  const std::string_view authority = url.substr(begin, url.find_first_of("/?#", begin) - begin);
  const std::size_t at = authority.rfind('@');
  const std::size_t colon = authority.find(':');
  if (at == std::string_view::npos || colon >= at) return;
  hide(text + begin + colon + 1, at - colon - 1);
}

bool is_secret(std::string_view option) {
  return std::ranges::find(secret_options, option) != std::end(secret_options);
}

}  // namespace

void hide_secrets(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::size_t equals = argument.find('=');
    const bool is_option = argument.starts_with("--");
    if (is_option && equals != std::string_view::npos && is_secret(argument.substr(0, equals))) {
      hide(argv[i] + equals + 1, argument.size() - equals - 1);
    } else if (is_option && is_secret(argument) && i + 1 < argc) {
      hide(argv[i + 1], std::strlen(argv[i + 1]));
      ++i;
    } else {
      hide_password(argv[i]);
    }
  }
}

}  // namespace longshore
