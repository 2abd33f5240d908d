#include "store/postgres/write/run_state.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace longshore::postgres {
namespace {

// Each part is its number and kind in one byte, then the value. Numbers are never given anew.
enum class Part : std::uint8_t {
  unrecorded = 1,  // how far the version is ahead of the history
  first_started_at,
  started_at,
  completed_at,
  execution,
  flags,
  progress,
  attempt,
  failures,
  crashes,
  retry_count,
  epoch,
  lease,
  deadline_at,
  settled,
  heartbeat_due_at,
};
constexpr unsigned is_text = 0x80;  // its length follows, then its bytes; otherwise a number

constexpr std::int64_t cancel_requested_flag = 1;
constexpr std::int64_t withdrawn_flag = 2;

// The parts as they are written. All of them, each at its longest, have room.
class Bytes {
 public:
  void add(std::uint8_t byte) { bytes_[size_++] = static_cast<char>(byte); }
  // Seven bits to a byte, the lowest first; the highest bit says that there is more.
  void add_number(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) add(static_cast<std::uint8_t>(number | 0x80));
    add(static_cast<std::uint8_t>(number));
  }
  void add_word(std::uint64_t word) {
    for (int shift = 56; shift >= 0; shift -= 8) add(static_cast<std::uint8_t>(word >> shift));
  }
  std::string text() const { return std::string(bytes_.data(), size_); }

 private:
  std::array<char, 256> bytes_;
  std::size_t size_ = 0;
};

// Small numbers stay short whatever their sign.
std::uint64_t folded(std::int64_t number) {
  return static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63);
}
std::int64_t unfolded(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1 ^ (~(number & 1) + 1));
}

void add(Bytes& bytes, Part part, std::int64_t number) {
  if (number == 0) return;
  bytes.add(static_cast<std::uint8_t>(part));
  bytes.add_number(folded(number));
}

void add(Bytes& bytes, Part part, const std::optional<Instant>& at, Instant since) {
  if (!at) return;
  bytes.add(static_cast<std::uint8_t>(part));
  bytes.add_number(folded((*at - since).count()));
}

void begin_text(Bytes& bytes, Part part, std::size_t size) {
  bytes.add(static_cast<std::uint8_t>(static_cast<unsigned>(part) | is_text));
  bytes.add_number(size);
}

void add(Bytes& bytes, double progress) {
  begin_text(bytes, Part::progress, sizeof(progress));
  bytes.add_word(std::bit_cast<std::uint64_t>(progress));
}

constexpr std::size_t settled_size = 34;

// Epoch, outcome, claim, kind, status.
void add(Bytes& bytes, const Settlement& settled) {
  begin_text(bytes, Part::settled, settled_size);
  bytes.add_word(static_cast<std::uint64_t>(settled.by.epoch));
  bytes.add_word(settled.outcome);
  bytes.add_word(settled.by.claim.high);
  bytes.add_word(settled.by.claim.low);
  bytes.add(static_cast<std::uint8_t>(settled.kind));
  bytes.add(static_cast<std::uint8_t>(settled.status));
}

std::uint64_t word(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes.substr(0, 8)) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

std::optional<Settlement> parse_settled(std::string_view bytes) {
  if (bytes.size() != settled_size) return std::nullopt;
  return Settlement{
      .by = {.epoch = static_cast<std::int64_t>(word(bytes)),
             .claim = {.high = word(bytes.substr(16)), .low = word(bytes.substr(24))}},
      .kind = static_cast<Settlement::Kind>(bytes[32]),
      .outcome = word(bytes.substr(8)),
      .status = static_cast<Status>(bytes[33])};
}

class Parser {
 public:
  explicit Parser(std::string_view bytes) : rest_(bytes) {}

  // False at the end, and where nothing more can be read.
  bool next() {
    if (rest_.empty()) return false;
    const auto head = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    part = static_cast<Part>(head & ~is_text);
    const std::optional<std::uint64_t> value = read_number();
    if (!value) return false;
    number = unfolded(*value);
    text = {};
    if ((head & is_text) == 0) return true;
    if (*value > rest_.size()) return false;
    text = rest_.substr(0, *value);
    rest_.remove_prefix(*value);
    return true;
  }

  Part part = Part::unrecorded;
  std::int64_t number = 0;
  std::string_view text;

 private:
  std::optional<std::uint64_t> read_number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }

  std::string_view rest_;
};

void read_part(const Parser& parser, Job& job) {
  const std::int64_t number = parser.number;
  const Instant at = job.updated_at + Duration::millis(number);
  switch (parser.part) {
    case Part::unrecorded:
      job.history_count = job.version - number;
      return;
    case Part::first_started_at:
      job.first_started_at = at;
      return;
    case Part::started_at:
      job.started_at = at;
      return;
    case Part::completed_at:
      job.completed_at = at;
      return;
    case Part::execution:
      job.execution = Duration::millis(number);
      return;
    case Part::flags:
      job.cancel_requested = (number & cancel_requested_flag) != 0;
      job.withdrawn = (number & withdrawn_flag) != 0;
      return;
    case Part::progress:
      if (parser.text.size() == 8) job.progress = std::bit_cast<double>(word(parser.text));
      return;
    case Part::attempt:
      job.attempt = static_cast<int>(number);
      return;
    case Part::failures:
      job.failures = static_cast<int>(number);
      return;
    case Part::crashes:
      job.crashes = static_cast<int>(number);
      return;
    case Part::retry_count:
      job.retry_count = static_cast<int>(number);
      return;
    case Part::epoch:
      job.epoch = number;
      return;
    case Part::lease:
      job.lease = Duration::millis(number);
      return;
    case Part::deadline_at:
      job.deadline_at = at;
      return;
    case Part::settled:
      job.settled = parse_settled(parser.text);
      return;
    case Part::heartbeat_due_at:
      job.heartbeat_due_at = at;
      return;
  }
}

}  // namespace

std::string course_bytes(const Job& job) {
  Bytes bytes;
  const Instant since = job.updated_at;
  add(bytes, Part::unrecorded, job.version - job.history_count);
  add(bytes, Part::first_started_at, job.first_started_at, since);
  add(bytes, Part::started_at, job.started_at, since);
  add(bytes, Part::completed_at, job.completed_at, since);
  add(bytes, Part::execution, job.execution.count());
  add(bytes, Part::flags,
      (job.cancel_requested ? cancel_requested_flag : 0) | (job.withdrawn ? withdrawn_flag : 0));
  if (job.progress) add(bytes, *job.progress);
  add(bytes, Part::attempt, job.attempt);
  add(bytes, Part::failures, job.failures);
  add(bytes, Part::crashes, job.crashes);
  add(bytes, Part::retry_count, job.retry_count);
  add(bytes, Part::epoch, job.epoch);
  add(bytes, Part::lease, job.lease.count());
  add(bytes, Part::deadline_at, job.deadline_at, since);
  if (job.settled) add(bytes, *job.settled);
  add(bytes, Part::heartbeat_due_at, job.heartbeat_due_at, since);
  return bytes.text();
}

void read_course(std::string_view bytes, Job& job) {
  job.history_count = job.version;
  Parser parser(bytes);
  while (parser.next()) read_part(parser, job);
}

}  // namespace longshore::postgres
