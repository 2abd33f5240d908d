// 128-bit ids. A JobId is a UUIDv7 chosen by the caller, so that an enqueue whose reply was lost
// can be repeated. A RequestId is 128 random bits chosen by the sender of a command.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace longshore {

template <class Tag>
struct Id {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

using JobId = Id<struct JobTag>;          // UUIDv7: sorts by creation time
using RequestId = Id<struct RequestTag>;  // random: identifies a claim or a reply
using NodeId = Id<struct NodeTag>;        // random: identifies a node

// Lower-case UUID text, 8-4-4-4-12.
std::string to_text(const JobId& id);
// Accepts upper case too. None for text that is not a UUID of version 7.
std::optional<JobId> parse_job_id(std::string_view text);

// 32 lower-case hexadecimal digits.
std::string to_hex(std::uint64_t high, std::uint64_t low);
template <class Tag>
std::string to_hex(const Id<Tag>& id) {
  return to_hex(id.high, id.low);
}

}  // namespace longshore

template <class Tag>
struct std::hash<longshore::Id<Tag>> {
  std::size_t operator()(const longshore::Id<Tag>& id) const noexcept {
    return static_cast<std::size_t>(id.high * 0x9E3779B97F4A7C15ULL ^ id.low);
  }
};
