#include "sim/trace.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace longshore::sim {

void Trace::mix(std::uint64_t number) {
  hash_ = std::rotl((hash_ ^ number) * 0xFF51AFD7ED558CCDULL, 29);
}

void Trace::mix(std::string_view text) {
  mix(text.size());
  while (!text.empty()) {
    std::uint64_t piece = 0;
    const std::size_t length = std::min(text.size(), sizeof piece);
    std::memcpy(&piece, text.data(), length);
    mix(piece);
    text.remove_prefix(length);
  }
}

void Trace::note(Instant now, std::string_view who, std::string_view what, std::uint64_t first,
                 std::uint64_t second) {
  events_ += 1;
  mix(static_cast<std::uint64_t>(now.count()));
  mix(who);
  mix(what);
  mix(first);
  mix(second);
  if (!line_) return;
  const std::int64_t millis = now.count();
  line_(
      fmt::format("+{}.{:03} {} {} {} {}", millis / 1000, millis % 1000, who, what, first, second));
}

}  // namespace longshore::sim
