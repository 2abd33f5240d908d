// Values in one line of text, apart by spaces: what redis-cli shows is what people can read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids/uuid.h"
#include "longshore/id.h"
#include "longshore/time.h"

namespace longshore::redis {

// Absent values are "-".
class FieldWriter {
 public:
  FieldWriter() { text_.reserve(usual_bytes); }

  FieldWriter& text(std::string_view text);  // empty is "-"
  FieldWriter& number(std::int64_t number);
  FieldWriter& number(std::optional<std::int64_t> number);
  FieldWriter& real(std::optional<double> number);
  FieldWriter& instant(Instant at) { return number(at.count()); }
  FieldWriter& instant(std::optional<Instant> at);
  FieldWriter& duration(Duration length) { return number(length.count()); }
  FieldWriter& duration(std::optional<Duration> length);
  template <class Tag>
  FieldWriter& id(const Id<Tag>& id) {
    return id == Id<Tag>{} ? plain("-") : plain(to_hex(id));
  }
  template <class Tag>
  FieldWriter& id(const std::optional<Id<Tag>>& id) {
    return this->id(id.value_or(Id<Tag>{}));
  }

  std::string take() && { return std::move(text_); }

 private:
  static constexpr std::size_t usual_bytes = 240;

  FieldWriter& plain(std::string_view field);
  std::string text_;
};

// Reads them back in the same order. What is not there, or not what was asked for, is empty or 0
// and makes good() false.
class FieldReader {
 public:
  explicit FieldReader(std::string_view line) : rest_(line) {}

  std::string text();
  std::int64_t number() { return optional_number().value_or(0); }
  int small() { return static_cast<int>(number()); }
  std::optional<std::int64_t> optional_number();
  std::optional<double> optional_real();
  Instant instant() { return Instant::millis(number()); }
  std::optional<Instant> optional_instant();
  Duration duration() { return Duration::millis(number()); }
  std::optional<Duration> optional_duration();
  template <class AnyId>
  std::optional<AnyId> optional_id() {
    const std::string_view field = next();
    if (field == "-") return std::nullopt;
    const auto id = parse_hex_id<AnyId>(field);
    if (!id) good_ = false;
    return id;
  }
  template <class AnyId>
  AnyId id() {
    return optional_id<AnyId>().value_or(AnyId{});
  }

  bool at_end() const { return rest_.empty(); }
  bool good() const { return good_; }

 private:
  std::string_view next();
  std::string_view rest_;
  bool good_ = true;
};

// Lists of names as one text: "a b", and "" for none.
std::string list_text(const std::vector<std::string>& names);
std::vector<std::string> parse_list(std::string_view text);

std::optional<std::int64_t> parse_integer(std::string_view text);

}  // namespace longshore::redis
