// Arguments of a script in MessagePack, which Redis's Lua unpacks at once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "longshore/id.h"

namespace longshore::redis {

// Lists are begun with the number of their items, which then follow.
class Pack {
 public:
  Pack& list(std::size_t items);
  Pack& text(std::string_view text);
  Pack& id(const JobId& id);  // the same as its text
  Pack& number(std::int64_t number);
  Pack& boolean(bool value);
  // Items that were packed apart.
  Pack& append(const Pack& other) {
    bytes_ += other.bytes_;
    return *this;
  }

  void clear() { bytes_.clear(); }
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  const std::string& bytes() const { return bytes_; }
  std::string take() && { return std::move(bytes_); }
  friend bool operator==(const Pack&, const Pack&) = default;

 private:
  void word(std::uint64_t value, int bytes);
  std::string bytes_;
};

}  // namespace longshore::redis
