#include <array>
#include <charconv>
#include <cmath>

#include "core/json/json_scan.h"
#include "core/json/json_value.h"
#include "core/text/utf8.h"
#include "longshore/json.h"

namespace longshore {
namespace {

// The shortest text that reads back as the same number.
template <class Number>
void append_number(std::string& out, Number value) {
  std::array<char, 40> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
  out.append(text.data(), written.ptr);
}

}  // namespace

void JsonWriter::string(std::string_view text) {
  if (!utf8_length(text)) return complain("is not UTF-8");
  append_json_string(out_, text);
}

void JsonWriter::number(double value) {
  if (!std::isfinite(value)) return complain("is not a finite number");
  append_number(out_, value);
}

void JsonWriter::number(float value) {
  if (!std::isfinite(value)) return complain("is not a finite number");
  append_number(out_, value);
}

void JsonWriter::raw(std::string_view json) {
  if (const auto scanned = scan_json(json)) {
    out_ += scanned->text;
  } else {
    complain("is not JSON: " + scanned.fault().what);
  }
}

void JsonWriter::name(std::string_view name) {
  name_ = name;
  if (!out_.ends_with('{')) out_ += ',';
  string(name);
  out_ += ':';
}

void JsonWriter::element() {
  if (!out_.ends_with('[')) out_ += ',';
}

void JsonWriter::complain(std::string_view what) {
  if (fault_) return;
  fault_ = name_.empty() ? "the value" : name_;
  *fault_ += ' ';
  *fault_ += what;
}

}  // namespace longshore
