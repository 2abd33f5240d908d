#include "client/server/server_clock.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <string>

#include "core/text/time_text.h"

namespace longshore {
namespace {

constexpr Duration one_second = Duration::seconds(1);
constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

}  // namespace

std::optional<Instant> parse_http_date(std::string_view text) {
  // Parsed by fixed positions: "Sun, 06 Nov 1994 08:49:37 GMT".
  if (text.size() != 29 || !text.ends_with(" GMT") || text.substr(3, 2) != ", ") {
    return std::nullopt;
  }
  const auto month = std::ranges::find(months, text.substr(8, 3));
  if (month == months.end()) return std::nullopt;
  const std::string number = std::to_string(month - months.begin() + 1);
  return parse_time(std::string(text.substr(12, 4)) + (number.size() == 1 ? "-0" : "-") + number +
                    "-" + std::string(text.substr(5, 2)) + "T" + std::string(text.substr(17, 8)) +
                    "Z");
}

void ServerClock::observe(Instant date, Instant sent, Instant received) {
  const Range seen{.least = date - received, .most = date + one_second - sent};
  MutexLock lock(mutex_);
  if (!apart_) {
    apart_ = seen;
    return;
  }
  const Range both{.least = std::max(apart_->least, seen.least),
                   .most = std::min(apart_->most, seen.most)};
  apart_ = both.least <= both.most ? both : seen;
}

Instant ServerClock::at(Instant ours) const {
  MutexLock lock(mutex_);
  if (!apart_ || (apart_->least <= Duration() && apart_->most >= Duration())) return ours;
  return ours + Duration::millis((apart_->least.count() + apart_->most.count()) / 2);
}

}  // namespace longshore
