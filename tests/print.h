// How GoogleTest prints Longshore's values: by their words, where it would print bytes. Every test
// program is compiled with it (longshore_test).
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <typeinfo>
#include <variant>

#include "core/text/time_text.h"
#include "longshore/code.h"
#include "longshore/command.h"
#include "longshore/context.h"
#include "longshore/error.h"
#include "longshore/id.h"
#include "longshore/job.h"
#include "longshore/time.h"

namespace longshore {

inline void PrintTo(State state, std::ostream* out) { *out << to_text(state); }
inline void PrintTo(Status status, std::ostream* out) { *out << to_text(status); }
inline void PrintTo(Cause cause, std::ostream* out) { *out << to_text(cause); }
inline void PrintTo(Code code, std::ostream* out) { *out << to_text(code); }
inline void PrintTo(Errc code, std::ostream* out) { *out << to_text(code); }
inline void PrintTo(const JobId& id, std::ostream* out) { *out << to_text(id); }

inline void PrintTo(const Error& error, std::ostream* out) {
  *out << to_text(error.code) << ": " << error.message;
}

inline void PrintTo(StopReason reason, std::ostream* out) {
  switch (reason) {
    case StopReason::none:
      *out << "none";
      return;
    case StopReason::canceled:
      *out << "canceled";
      return;
    case StopReason::lease_lost:
      *out << "lease lost";
      return;
    case StopReason::timed_out:
      *out << "timed out";
      return;
    case StopReason::worker_stopped:
      *out << "worker stopped";
      return;
  }
  *out << "no StopReason: " << static_cast<int>(reason);
}

inline void PrintTo(Duration duration, std::ostream* out) { *out << duration.count() << " ms"; }

inline void PrintTo(Instant at, std::ostream* out) {
  if (at == Instant::never()) {
    *out << "never";
  } else {
    *out << to_text(at);
  }
}

// "Enqueue"
inline std::string name_of(const Command& command) {
  const char* const mangled =
      std::visit([](const auto& one) { return typeid(one).name(); }, command);
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(mangled, nullptr, nullptr, nullptr), std::free);
  const std::string_view text = name ? name.get() : mangled;
  return std::string(text.substr(text.rfind(':') + 1));
}

}  // namespace longshore
