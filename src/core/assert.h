// LONGSHORE_ASSERT(condition) or LONGSHORE_ASSERT(condition, "why it must hold") states an
// invariant of the program; input from a request, a file or a database must never violate one.
// Enabled in every build. If the condition is false, it is printed to standard error with its
// location, and the process aborts, since continuing could lose a job.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace longshore {

[[noreturn]] inline void assertion_failed(const char* file, int line, const char* condition,
                                          const char* why = "") {
  const char* separator = *why == '\0' ? "" : ": ";
  std::fprintf(stderr, "%s:%d: assertion failed: %s%s%s\n", file, line, condition, separator, why);
  std::fflush(stderr);
  std::abort();
}

}  // namespace longshore

#define LONGSHORE_ASSERT(condition, ...) \
  (static_cast<bool>(condition)          \
       ? static_cast<void>(0)            \
       : ::longshore::assertion_failed(__FILE__, __LINE__, #condition __VA_OPT__(, ) __VA_ARGS__))
