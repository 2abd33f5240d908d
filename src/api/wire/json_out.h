// Writes JSON, commas included. Invalid UTF-8 is replaced by U+FFFD; infinities and NaN are written
// as null.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "longshore/id.h"
#include "longshore/time.h"

namespace longshore {

// JSON that was validated when it was received, written as it is.
struct Verbatim {
  std::string_view json;
};

class JsonOut {
 public:
  void open(char bracket);  // { or [
  void close(char bracket) { out_ += bracket; }
  void key(std::string_view name);

  void value(std::string_view text);
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(const char* text) { value(std::string_view(text)); }
  void value(bool flag);
  void value(int number) { value(static_cast<std::int64_t>(number)); }
  void value(std::int64_t number);
  void value(double number);
  void value(Verbatim verbatim);
  void value(Instant at);       // RFC 3339
  void value(Duration length);  // in seconds
  void value(const JobId& id);
  void value(std::nullptr_t);
  template <class T>
  void value(const std::optional<T>& maybe) {
    if (maybe) {
      value(*maybe);
    } else {
      value(nullptr);
    }
  }

  template <class T>
  void member(std::string_view name, const T& content) {
    key(name);
    value(content);
  }
  // Omits the member if there is no value.
  template <class T>
  void member_if(std::string_view name, const std::optional<T>& maybe) {
    if (maybe) member(name, *maybe);
  }
  // Empty text is null.
  void text_or_null(std::string_view name, std::string_view text);

  std::string take() { return std::move(out_); }

 private:
  void comma();

  std::string out_;
};

// The text with every byte that is not UTF-8 replaced by U+FFFD.
std::string repaired_utf8(std::string_view text);

}  // namespace longshore
