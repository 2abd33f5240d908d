// Generates 128-bit ids and reads their hexadecimal form. See longshore/id.h for the ids and the
// text of a JobId.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/ids/random.h"
#include "longshore/id.h"
#include "longshore/time.h"

namespace longshore {

// Reads exactly 32 hexadecimal digits of either case: the high and the low half.
std::optional<std::pair<std::uint64_t, std::uint64_t>> parse_hex(std::string_view text);

// The same as an id: parse_hex_id<RequestId>("00ff...").
template <class AnyId>
std::optional<AnyId> parse_hex_id(std::string_view text) {
  const auto halves = parse_hex(text);
  if (!halves) return std::nullopt;
  return AnyId{.high = halves->first, .low = halves->second};
}

// 128 random bits, for RequestId and NodeId.
template <class AnyId>
AnyId random_id(Random& random) {
  const std::uint64_t high = random.next();
  return AnyId{.high = high, .low = random.next()};
}

// Generates UUIDv7 ids (RFC 9562), each greater than all before it from the same JobIds, also
// within one millisecond and when the clock goes back. Not safe to share between threads.
//
// The method is RFC 9562's "monotonic random": a new millisecond draws 74 random bits (rand_a
// and rand_b as one number); a further id of that millisecond adds a random number from 1 to 2^32,
// so that ids are not predictable. When the bits overflow, or the clock goes back, the ids run
// ahead of the clock until it catches up.
class JobIds {
 public:
  // `random` must outlive this object.
  explicit JobIds(Random& random) : random_(random) {}

  // Times before 1970, or past what 48 bits hold (the year 10889), count as the nearest that fits.
  JobId next(Instant now);

 private:
  void draw();
  void step();

  Random& random_;
  std::uint64_t millis_ = 0;
  std::uint64_t rand_a_ = 0;  // 12 bits
  std::uint64_t rand_b_ = 0;  // 62 bits
  bool drawn_ = false;
};

// The id of a job that another job creates. The same parent, purpose and time always give the same
// id, so that repeating the creation makes one job.
JobId derive_job_id(const JobId& parent, std::string_view purpose, Instant now);

// The time in a UUIDv7.
Instant time_of(const JobId& id);

// Why a caller may not use this id for a new job, as a message; none if it may. Lists are sorted by
// id, so the time in an id must be near the store's.
std::optional<std::string> chosen_id_fault(const JobId& id, Instant now);

}  // namespace longshore
