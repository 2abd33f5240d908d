#include "core/ids/uuid.h"

#include <algorithm>
#include <string>

#include "core/text/hash.h"

namespace longshore {
namespace {

constexpr std::uint64_t millis_max = (std::uint64_t{1} << 48) - 1;
constexpr std::uint64_t rand_a_max = (std::uint64_t{1} << 12) - 1;
constexpr std::uint64_t rand_b_max = (std::uint64_t{1} << 62) - 1;

std::uint64_t uuid_millis(Instant now) {
  const std::int64_t known = std::max<std::int64_t>(now.count(), 0);
  return std::min(static_cast<std::uint64_t>(known), millis_max);
}

JobId uuid_v7(std::uint64_t millis, std::uint64_t rand_a, std::uint64_t rand_b) {
  constexpr std::uint64_t version = 7;
  constexpr std::uint64_t variant = 2;
  return {.high = millis << 16 | version << 12 | rand_a, .low = variant << 62 | rand_b};
}

// The digit's value, or 16 for anything else.
std::uint64_t digit_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<std::uint64_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint64_t>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<std::uint64_t>(c - 'A' + 10);
  return 16;
}

std::optional<std::uint64_t> parse_half(std::string_view text) {
  std::uint64_t value = 0;
  for (const char c : text) {
    const std::uint64_t digit = digit_value(c);
    if (digit > 15) return std::nullopt;
    value = value << 4 | digit;
  }
  return value;
}

void append_bytes(std::string& out, std::uint64_t word) {
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(word >> shift));
}

}  // namespace

std::optional<std::pair<std::uint64_t, std::uint64_t>> parse_hex(std::string_view text) {
  if (text.size() != 32) return std::nullopt;
  const auto high = parse_half(text.substr(0, 16));
  const auto low = parse_half(text.substr(16));
  if (!high || !low) return std::nullopt;
  return std::pair(*high, *low);
}

void JobIds::draw() {
  rand_a_ = random_.next() & rand_a_max;
  rand_b_ = random_.next() & rand_b_max;
}

void JobIds::step() {
  rand_b_ += 1 + (random_.next() >> 32);
  if (rand_b_ <= rand_b_max) return;
  rand_b_ &= rand_b_max;
  if (++rand_a_ <= rand_a_max) return;
  ++millis_;
  draw();
}

JobId JobIds::next(Instant now) {
  const std::uint64_t millis = uuid_millis(now);
  if (!drawn_ || millis > millis_) {
    millis_ = millis;
    draw();
    drawn_ = true;
  } else {
    step();
  }
  return uuid_v7(millis_, rand_a_, rand_b_);
}

JobId derive_job_id(const JobId& parent, std::string_view purpose, Instant now) {
  std::string text;
  append_bytes(text, parent.high);
  append_bytes(text, parent.low);
  text += purpose;
  const Hash128 hash = hash128(text);
  return uuid_v7(uuid_millis(now), hash.high & rand_a_max, hash.low & rand_b_max);
}

Instant time_of(const JobId& id) {
  return Instant::millis(static_cast<std::int64_t>(id.high >> 16));
}

std::optional<std::string> chosen_id_fault(const JobId& id, Instant now) {
  constexpr Duration apart_max = Duration::hours(24);
  if (!parse_job_id(to_text(id))) return "must be a UUID of version 7";
  const Duration apart = time_of(id) - now;
  if (apart <= apart_max && now - time_of(id) <= apart_max) return std::nullopt;
  return "must have a time within 24 hours of the store's";
}

}  // namespace longshore
