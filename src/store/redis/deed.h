// What one run of the apply script is to check and to write.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/redis/pack.h"

namespace longshore::redis {

// A command in the making. Numbers are those that the script gives out, counted from 1.
class Line {
 public:
  explicit Line(std::string_view command) { text(command); }

  Line& text(std::string_view text) {
    items_.text(text);
    ++count_;
    return *this;
  }
  Line& number(std::int64_t n) {
    items_.number(n);
    ++count_;
    return *this;
  }
  // One argument of several parts.
  struct Part {
    std::string text = {};
    std::int64_t number = 0;  // 0: the text
  };
  Line& parts(std::initializer_list<Part> parts);

  std::size_t count() const { return count_; }
  const Pack& items() const { return items_; }

 private:
  Pack items_;
  std::size_t count_ = 0;
};

class Deed {
 public:
  // The command must answer this text, or nothing.
  void expect(const std::optional<std::string>& answer, const Line& command);
  // The command must answer this list.
  void expect_list(std::span<const std::string> answer, const Line& command);
  // There must be no such key.
  void expect_absent(const std::string& key);
  // The job under this key must have been written so often; 0: there is none.
  void expect_version(const std::string& key, std::int64_t v);
  void write(const Line& command);

  bool writes() const { return write_count_ > 0; }
  // The script's argument, but for the times.
  void pack_into(Pack& pack, std::int64_t numbers, std::span<const std::string> bodies) const;

 private:
  Pack guards_;
  std::size_t guard_count_ = 0;
  Pack absent_;
  std::size_t absent_count_ = 0;
  Pack versions_;
  std::size_t version_count_ = 0;  // of items: two for each job
  Pack writes_;
  std::size_t write_count_ = 0;
};

}  // namespace longshore::redis
