#include "cli/process_secrets.h"

#include <sys/prctl.h>

#include <cstring>
#include <string_view>

#include "worker/program/program_environment.h"

namespace longshore {
namespace {

// The loader, the C library and sanitizers read these before main and may keep pointers.
bool is_loader_variable(std::string_view name) {
  return name.starts_with("LD_") || name.starts_with("MALLOC_") || name.ends_with("_OPTIONS") ||
         name == "GLIBC_TUNABLES";
}

}  // namespace

void hide_environment(char** variables) {
  for (; *variables != nullptr; ++variables) {
    const std::string_view text = *variables;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = text.substr(0, equals);
    if (is_handed_on(name) || is_loader_variable(name)) continue;
    char* const shown = *variables;
    char* const copy = ::strdup(shown);
    if (copy == nullptr) continue;
    *variables = copy;
    std::memset(shown + equals + 1, 'x', text.size() - equals - 1);
  }
}

void keep_memory_private() { ::prctl(PR_SET_DUMPABLE, 0); }

}  // namespace longshore
