#include "cli/process_secrets.h"

#include <sys/prctl.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "worker/program/program_environment.h"

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

// The loader, the C library and sanitizers read these before main and may keep pointers.
bool is_loader_variable(std::string_view name) {
  return name.starts_with("LD_") || name.starts_with("MALLOC_") || name.ends_with("_OPTIONS") ||
         name == "GLIBC_TUNABLES";
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

void hide_environment(char** variables) {
  for (; *variables != nullptr; ++variables) {
    const std::string_view text = *variables;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = text.substr(0, equals);
    if (is_inherited(name) || is_loader_variable(name)) continue;
    char* const shown = *variables;
    char* const copy = ::strdup(shown);
    if (copy == nullptr) continue;
    *variables = copy;
    std::memset(shown + equals + 1, 'x', text.size() - equals - 1);
  }
}

void keep_memory_private() { ::prctl(PR_SET_DUMPABLE, 0); }

}  // namespace longshore
