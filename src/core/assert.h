// LONGSHORE_ASSERT(condition) or LONGSHORE_ASSERT(condition, "why it must hold") states what is
// true unless the program itself is wrong; nothing that a request, a file or a database says may
// break one. On in every build. When the condition is false, the place, the condition and the
// sentence go to standard error and the process aborts, since going on could lose a job.
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
