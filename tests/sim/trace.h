// A trace of all events: a hash, and optionally lines of text.
// Two runs of one seed have the same trace, byte for byte.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "longshore/time.h"

namespace longshore::sim {

class Trace {
 public:
  using Line = std::function<void(const std::string&)>;

  // Without `line` nothing is formatted.
  explicit Trace(Line line = {}) : line_(std::move(line)) {}

  // "+12.345 node1 commit 3 7": when, who, what, and up to two numbers that belong to it.
  void note(Instant now, std::string_view who, std::string_view what, std::uint64_t first = 0,
            std::uint64_t second = 0);

  // Text only, not part of the hash.
  void remark(const std::string& text) const {
    if (line_) line_(text);
  }

  std::uint64_t hash() const { return hash_; }
  std::int64_t events() const { return events_; }
  bool is_read() const { return static_cast<bool>(line_); }

 private:
  void mix(std::uint64_t number);
  void mix(std::string_view text);

  const Line line_;
  std::uint64_t hash_ = 0x9E3779B97F4A7C15ULL;
  std::int64_t events_ = 0;
};

}  // namespace longshore::sim
