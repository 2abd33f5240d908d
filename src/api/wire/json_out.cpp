#include "api/wire/json_out.h"

#include <array>
#include <charconv>
#include <cmath>

#include "core/json/json_value.h"
#include "core/text/time_text.h"
#include "core/text/utf8.h"

namespace longshore {

// A value never ends with one of these three, so the last character decides.
void JsonOut::comma() {
  if (out_.empty()) return;
  const char last = out_.back();
  if (last != '{' && last != '[' && last != ':') out_ += ',';
}

void JsonOut::open(char bracket) {
  comma();
  out_ += bracket;
}

void JsonOut::key(std::string_view name) {
  comma();
  append_json_string(out_, name);
  out_ += ':';
}

void JsonOut::value(std::string_view text) {
  comma();
  if (utf8_length(text)) {
    append_json_string(out_, text);
  } else {
    append_json_string(out_, repaired_utf8(text));
  }
}

void JsonOut::value(bool flag) {
  comma();
  out_ += flag ? "true" : "false";
}

void JsonOut::value(std::int64_t number) {
  comma();
  out_ += std::to_string(number);
}

void JsonOut::value(double number) {
  if (!std::isfinite(number)) return value(nullptr);
  comma();
  std::array<char, 40> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), number);
  out_.append(text.data(), written.ptr);
}

void JsonOut::value(Verbatim verbatim) {
  comma();
  out_ += verbatim.json;
}

void JsonOut::value(Instant at) { value(to_text(at)); }

void JsonOut::value(Duration length) {
  if (length.count() % 1000 == 0) return value(length.count() / 1000);
  value(length.in_seconds());
}

void JsonOut::value(const JobId& id) { value(to_text(id)); }

void JsonOut::value(std::nullptr_t) {
  comma();
  out_ += "null";
}

void JsonOut::text_or_null(std::string_view name, std::string_view text) {
  key(name);
  if (text.empty()) return value(nullptr);
  value(text);
}

std::string repaired_utf8(std::string_view text) {
  std::string repaired;
  while (!text.empty()) {
    const std::size_t length = utf8_front(text);
    if (length == 0) {
      append_utf8(repaired, 0xFFFD);
      text.remove_prefix(1);
    } else {
      repaired += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return repaired;
}

}  // namespace longshore
