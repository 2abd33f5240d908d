#include "worker/isolated/message.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/assert.h"
#include "core/ids/lease_token.h"

namespace longshore {
namespace {

template <class Number>
void append(std::string& out, Number number) {
  char bytes[sizeof(Number)];
  std::memcpy(bytes, &number, sizeof(Number));
  out.append(bytes, sizeof(Number));
}

template <class Number>
Number taken(std::string_view& from) {
  LONGSHORE_ASSERT(from.size() >= sizeof(Number), "the message is complete");
  Number number;
  std::memcpy(&number, from.data(), sizeof(Number));
  from.remove_prefix(sizeof(Number));
  return number;
}

void pack_error(Packer& to, const JobError& error) {
  to.text(error.code);
  to.text(error.message);
  to.text(error.details);
}

JobError unpack_error(Unpacker& from) {
  JobError error;
  error.code = from.text();
  error.message = from.text();
  error.details = from.text();
  return error;
}

}  // namespace

void Packer::number(std::int64_t number) { append(out_, number); }
void Packer::real(double number) { append(out_, number); }
void Packer::text(std::string_view text) {
  append(out_, static_cast<std::uint64_t>(text.size()));
  out_ += text;
}
void Packer::maybe_text(const std::optional<std::string>& maybe) {
  number(maybe ? 1 : 0);
  if (maybe) text(*maybe);
}
void Packer::maybe_length(const std::optional<Duration>& maybe) {
  number(maybe ? 1 : 0);
  if (maybe) number(maybe->count());
}

std::string Packer::take() const {
  std::string whole;
  append(whole, static_cast<std::uint32_t>(out_.size()));
  return whole + out_;
}

std::int64_t Unpacker::number() { return taken<std::int64_t>(rest_); }
double Unpacker::real() { return taken<double>(rest_); }
std::string Unpacker::text() {
  const auto size = static_cast<std::size_t>(taken<std::uint64_t>(rest_));
  LONGSHORE_ASSERT(size <= rest_.size(), "the message is complete");
  std::string text(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return text;
}
std::optional<std::string> Unpacker::maybe_text() {
  if (number() == 0) return std::nullopt;
  return text();
}
std::optional<Duration> Unpacker::maybe_length() {
  if (number() == 0) return std::nullopt;
  return Duration::millis(number());
}

void pack(Packer& to, const Lease& lease) {
  to.text(to_text(lease.job));
  to.text(to_text(lease.token));
  to.text(lease.type);
  to.text(lease.job_key);
  to.text(lease.queue);
  to.number(lease.attempt);
  to.number(lease.failures);
  to.number(lease.max_retries);
  to.number(lease.lease_expires_at.count());
  to.number(lease.deadline_at.count());
  to.number(lease.created_at.count());
  to.text(lease.body.payload);
  to.text(lease.body.metadata);
  to.text(lease.body.request);
  to.text(lease.body.traceparent);
  to.maybe_text(lease.checkpoint);
  to.number(lease.last_error ? 1 : 0);
  if (lease.last_error) pack_error(to, *lease.last_error);
}

Lease unpack_lease(Unpacker& from) {
  Lease lease;
  lease.job = parse_job_id(from.text()).value_or(JobId());
  lease.token = parse_lease_token(from.text()).value_or(LeaseToken());
  lease.type = from.text();
  lease.job_key = from.text();
  lease.queue = from.text();
  lease.attempt = static_cast<int>(from.number());
  lease.failures = static_cast<int>(from.number());
  lease.max_retries = static_cast<int>(from.number());
  lease.lease_expires_at = Instant::millis(from.number());
  lease.deadline_at = Instant::millis(from.number());
  lease.created_at = Instant::millis(from.number());
  lease.body.payload = from.text();
  lease.body.metadata = from.text();
  lease.body.request = from.text();
  lease.body.traceparent = from.text();
  lease.checkpoint = from.maybe_text();
  if (from.number() != 0) lease.last_error = unpack_error(from);
  return lease;
}

void pack(Packer& to, const Ending& ending) {
  to.number(static_cast<int>(ending.kind));
  to.text(ending.result);
  pack_error(to, ending.error);
  to.maybe_length(ending.delay);
  to.maybe_length(ending.timeout);
}

Ending unpack_ending(Unpacker& from) {
  Ending ending;
  ending.kind = static_cast<Ending::Kind>(from.number());
  ending.result = from.text();
  ending.error = unpack_error(from);
  ending.delay = from.maybe_length();
  ending.timeout = from.maybe_length();
  return ending;
}

std::optional<std::string> MessageStream::next() {
  std::uint32_t size = 0;
  if (bytes_.size() < sizeof(size)) return std::nullopt;
  std::memcpy(&size, bytes_.data(), sizeof(size));
  if (bytes_.size() < sizeof(size) + size) return std::nullopt;
  std::string message = bytes_.substr(sizeof(size), size);
  bytes_.erase(0, sizeof(size) + size);
  return message;
}

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace longshore
