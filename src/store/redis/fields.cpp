#include "store/redis/fields.h"

#include <array>
#include <charconv>

#include "core/record/history_text.h"

namespace longshore::redis {

FieldWriter& FieldWriter::plain(std::string_view field) {
  if (!text_.empty()) text_ += ' ';
  text_ += field;
  return *this;
}

FieldWriter& FieldWriter::text(std::string_view text) { return plain(encode_field(text)); }

FieldWriter& FieldWriter::number(std::int64_t number) {
  std::array<char, 24> bytes;
  const auto end = std::to_chars(bytes.begin(), bytes.end(), number).ptr;
  return plain({bytes.begin(), end});
}

FieldWriter& FieldWriter::number(std::optional<std::int64_t> number) {
  return number ? this->number(*number) : plain("-");
}

FieldWriter& FieldWriter::real(std::optional<double> number) {
  if (!number) return plain("-");
  std::array<char, 40> bytes;
  const auto end = std::to_chars(bytes.begin(), bytes.end(), *number).ptr;
  return plain({bytes.begin(), end});
}

FieldWriter& FieldWriter::instant(std::optional<Instant> at) {
  return at ? number(at->count()) : plain("-");
}

FieldWriter& FieldWriter::duration(std::optional<Duration> length) {
  return length ? number(length->count()) : plain("-");
}

std::string_view FieldReader::next() {
  if (rest_.empty()) good_ = false;
  const std::size_t end = std::min(rest_.find(' '), rest_.size());
  const std::string_view field = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  return field;
}

std::string FieldReader::text() {
  auto text = decode_field(next());
  if (!text) good_ = false;
  return text ? std::move(*text) : std::string();
}

std::optional<std::int64_t> FieldReader::optional_number() {
  const std::string_view field = next();
  if (field == "-") return std::nullopt;
  const auto number = parse_integer(field);
  if (!number) good_ = false;
  return number;
}

std::optional<double> FieldReader::optional_real() {
  const std::string_view field = next();
  if (field == "-") return std::nullopt;
  double number = 0;
  const auto [end, fault] = std::from_chars(field.data(), field.data() + field.size(), number);
  if (fault != std::errc() || end != field.data() + field.size()) good_ = false;
  return number;
}

std::optional<Instant> FieldReader::optional_instant() {
  const auto number = optional_number();
  return number ? std::optional(Instant::millis(*number)) : std::nullopt;
}

std::optional<Duration> FieldReader::optional_duration() {
  const auto number = optional_number();
  return number ? std::optional(Duration::millis(*number)) : std::nullopt;
}

std::string list_text(const std::vector<std::string>& names) {
  FieldWriter writer;
  for (const std::string& name : names) writer.text(name);
  return std::move(writer).take();
}

std::vector<std::string> parse_list(std::string_view text) {
  std::vector<std::string> names;
  FieldReader reader(text);
  while (!reader.at_end()) names.push_back(reader.text());
  return names;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace longshore::redis
