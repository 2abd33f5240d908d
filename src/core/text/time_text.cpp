#include "core/text/time_text.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

#include "core/text/bytes.h"

namespace longshore {
namespace {

namespace calendar = std::chrono;

constexpr std::int64_t day_millis = 86'400'000;

constexpr std::int64_t midnight(calendar::year_month_day date) {
  return calendar::sys_days(date).time_since_epoch().count() * day_millis;
}

constexpr std::int64_t first_millis =
    midnight(calendar::year(0) / calendar::January / calendar::day(1));
constexpr std::int64_t last_millis =
    midnight(calendar::year(10'000) / calendar::January / calendar::day(1)) - 1;

void append_digits(std::string& out, std::int64_t value, int width) {
  std::int64_t unit = 1;
  for (int i = 1; i < width; ++i) unit *= 10;
  for (; unit > 0; unit /= 10) out.push_back(static_cast<char>('0' + value / unit % 10));
}

// Reads a text from front to back. After the first mismatch ok() stays false, and the values read
// are meaningless.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }

  char take() {
    const char c = peek();
    if (rest_.empty()) {
      ok_ = false;
    } else {
      rest_.remove_prefix(1);
    }
    return c;
  }

  void expect(char wanted) {
    if (take() != wanted) ok_ = false;
  }

  int number(int width, int most) {
    int value = 0;
    for (int i = 0; i < width; ++i) {
      const char c = take();
      if (!is_digit(c)) ok_ = false;
      value = value * 10 + (c - '0');
    }
    if (value > most) ok_ = false;
    return ok_ ? value : 0;
  }

  // A point and at least one digit, or nothing at all.
  int fraction_millis() {
    if (peek() != '.') return 0;
    take();
    if (!is_digit(peek())) ok_ = false;
    int millis = 0;
    for (int unit = 100; is_digit(peek()); unit /= 10) millis += (take() - '0') * unit;
    return millis;
  }

  // Milliseconds east of Greenwich.
  std::int64_t offset() {
    const char sign = take();
    if (sign == 'Z' || sign == 'z') return 0;
    if (sign != '+' && sign != '-') ok_ = false;
    const int hours = number(2, 23);
    expect(':');
    const int minutes = number(2, 59);
    return (hours * 60 + minutes) * std::int64_t{sign == '-' ? -60'000 : 60'000};
  }

  calendar::year_month_day date() {
    const int year = number(4, 9999);
    expect('-');
    const int month = number(2, 12);
    expect('-');
    const int day = number(2, 31);
    const calendar::year_month_day date{calendar::year(year),
                                        calendar::month(static_cast<unsigned>(month)),
                                        calendar::day(static_cast<unsigned>(day))};
    if (!date.ok()) ok_ = false;
    return date;
  }

  // Seconds since midnight; 86,400 during a leap second written in UTC.
  std::int64_t time_of_day(bool& is_leap_second) {
    const int hours = number(2, 23);
    expect(':');
    const int minutes = number(2, 59);
    expect(':');
    const int seconds = number(2, 60);
    is_leap_second = seconds == 60;
    return hours * 3600 + minutes * 60 + seconds;
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace

std::string to_text(Instant at) {
  const std::int64_t millis = std::clamp(at.count(), first_millis, last_millis);
  const auto days = calendar::floor<calendar::days>(calendar::milliseconds(millis));
  const calendar::year_month_day date{calendar::sys_days(days)};
  const std::int64_t in_day = millis - days.count() * day_millis;

  std::string text;
  text.reserve(24);
  append_digits(text, static_cast<int>(date.year()), 4);
  text.push_back('-');
  append_digits(text, static_cast<unsigned>(date.month()), 2);
  text.push_back('-');
  append_digits(text, static_cast<unsigned>(date.day()), 2);
  text.push_back('T');
  append_digits(text, in_day / 3'600'000, 2);
  text.push_back(':');
  append_digits(text, in_day / 60'000 % 60, 2);
  text.push_back(':');
  append_digits(text, in_day / 1000 % 60, 2);
  text.push_back('.');
  append_digits(text, in_day % 1000, 3);
  text.push_back('Z');
  return text;
}

std::optional<Instant> parse_time(std::string_view text) {
  Reader reader(text);
  const calendar::year_month_day date = reader.date();
  const char separator = reader.take();
  bool is_leap_second = false;
  const std::int64_t seconds = reader.time_of_day(is_leap_second);
  const int fraction = reader.fraction_millis();
  const std::int64_t offset = reader.offset();
  if (!reader.ok() || !reader.at_end()) return std::nullopt;
  if (separator != 'T' && separator != 't') return std::nullopt;

  const std::int64_t whole = midnight(date) + seconds * 1000 - offset;
  if (is_leap_second && whole % day_millis != 0) return std::nullopt;
  const std::int64_t millis = whole + fraction;
  if (millis < first_millis || millis > last_millis) return std::nullopt;
  return Instant::millis(millis);
}

std::optional<Duration> duration_from_seconds(double seconds) {
  // Also rejects NaN.
  if (!(seconds >= 0) || seconds > duration_max.in_seconds()) return std::nullopt;
  return Duration::millis(static_cast<std::int64_t>(std::round(seconds * 1000)));
}

}  // namespace longshore
