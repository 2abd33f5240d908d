#include "client/server/server_leases.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "client/wire/wire.h"
#include "core/ids/uuid.h"
#include "core/time/clock.h"

namespace longshore {
namespace {

constexpr Duration wait_max = Duration::seconds(60);  // limit of the API
constexpr int tries = 4;
constexpr Duration pause = Duration::millis(200);
constexpr Duration last_try = Duration::seconds(3);

Instant wall() {
  SystemClock clock;
  return clock.now();
}

}  // namespace

ServerLeases::ServerLeases(std::shared_ptr<HttpClient> client, std::string name,
                           std::unique_ptr<Random> random)
    : client_(std::move(client)), name_(std::move(name)), random_(std::move(random)) {}

Instant ServerLeases::now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return Instant::millis(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
}

void ServerLeases::wait_until(Instant at, std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  if (at == Instant::never()) {
    changed.wait(lock, stop, [] { return false; });
    return;
  }
  const auto longest = std::chrono::milliseconds((at - now()).count());
  changed.wait_for(lock, stop, longest, [] { return false; });
}

RequestId ServerLeases::new_id() {
  MutexLock lock(mutex_);
  return random_id<RequestId>(*random_);
}

void ServerLeases::remember_workers(const SeeWorkers& workers) {
  if (workers.workers.empty()) return;
  MutexLock lock(mutex_);
  info_ = workers.workers.back();
}

Result<HttpReply> ServerLeases::send(const HttpCall& call, const std::stop_token& stop) {
  const Instant sent = wall();
  Result<HttpReply> reply = client_->send(call, stop);
  if (!reply) return reply;
  // A long poll says little about the time at which it was answered.
  const Instant received = wall();
  if (const auto date = parse_http_date(reply->header("Date"))) {
    clock_.observe(*date, sent, received);
  }
  return reply;
}

std::optional<Error> ServerLeases::send_one(const Command& command, Verdict& verdict) {
  if (const auto* workers = std::get_if<SeeWorkers>(&command)) {
    remember_workers(*workers);
    verdict = Done();
    return std::nullopt;
  }
  if (!is_worker_command(command))
    return Error{Errc::invalid, "a turn can contain heartbeats, outcomes and SeeWorkers only"};
  Result<HttpReply> reply = send(call_for(command), {});
  if (!reply) return reply.error();
  Result<Verdict> read = read_verdict(command, *reply);
  if (!read) return read.error();
  verdict = std::move(*read);
  return std::nullopt;
}

Result<std::vector<Verdict>> ServerLeases::send_batch(const std::vector<const Command*>& commands) {
  Result<HttpReply> reply = send(call_for_batch(commands), {});
  if (!reply) return reply.error();
  return read_verdicts(*reply, commands.size());
}

// Settlements that the batch route accepts are sent together; the rest one by one.
Result<std::vector<Verdict>> ServerLeases::send_all(const std::vector<Command>& commands) {
  std::vector<Verdict> verdicts(commands.size());
  std::vector<const Command*> batch;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (!fits_batch(commands[i])) continue;
    batch.push_back(&commands[i]);
    positions.push_back(i);
  }
  if (batch.size() > 1) {
    Result<std::vector<Verdict>> read = send_batch(batch);
    if (!read) return read.error();
    for (std::size_t i = 0; i < positions.size(); ++i)
      verdicts[positions[i]] = std::move((*read)[i]);
  }
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (batch.size() > 1 && fits_batch(commands[i])) continue;
    if (auto error = send_one(commands[i], verdicts[i])) return *error;
  }
  return verdicts;
}

Result<std::vector<Lease>> ServerLeases::poll_leases(Claim claim, Duration wait,
                                                     const std::stop_token& stop) {
  std::optional<WorkerInfo> info;
  {
    MutexLock lock(mutex_);
    info = info_;
  }
  const Instant until = now() + std::min(wait, wait_max);
  for (int i = 1;; ++i) {
    const Duration rest = std::clamp(until - now(), Duration(), wait_max);
    HttpCall call =
        call_for(claim, stop.stop_requested() ? Duration() : rest, info ? &*info : nullptr);
    const bool last = stop.stop_requested();
    if (last) call.timeout = last_try;
    // Once stopped, ask one last time for the leases that the poll may have been granted.
    Result<HttpReply> reply = send(call, last ? std::stop_token() : stop);
    if (reply) return read_leases(*reply);
    if (last || i == tries) return reply.error();
    if (!stop.stop_requested()) wait_until(now() + pause, stop);
  }
}

Result<Turned> ServerLeases::turn(Turn turn, std::stop_token stop) {
  Turned turned;
  Result<std::vector<Verdict>> read = send_all(turn.words);
  if (!read) return read.error();
  turned.verdicts = std::move(*read);
  if (turn.claim) {
    if (turn.claim->id == RequestId{}) turn.claim->id = new_id();
    if (turn.claim->worker.empty()) turn.claim->worker = name_;
    turned.leases = poll_leases(std::move(*turn.claim), turn.wait, stop);
  }
  turned.at = clock_.at(wall());
  return turned;
}

}  // namespace longshore
