#include "bench/redis_caller.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "bench/redis_hand.h"

namespace longshore::bench {

void give_up(const std::string& why) {
  fmt::print(stderr, "{}\n", why);
  std::exit(1);
}

void RedisCaller::enqueue(int jobs) {
  std::vector<Command> commands;
  commands.reserve(static_cast<std::size_t>(jobs));
  for (int i = 0; i < jobs; ++i) {
    NewJob job{.id = ids_.next(clock_.now()), .type = "work"};
    job.body.payload = std::string(payload_bytes, 'x');
    commands.emplace_back(Enqueue{.ns = "default", .jobs = {std::move(job)}});
  }
  commit(commands);
}

int RedisCaller::claim(int jobs) {
  std::vector<Command> commands;
  commands.reserve(static_cast<std::size_t>(jobs));
  for (int i = 0; i < jobs; ++i) {
    commands.emplace_back(
        Claim{.id = random_id<RequestId>(random_), .ns = "default", .worker = "w"});
  }
  const std::size_t before = held_.size();
  for (Verdict& verdict : commit(commands)) {
    auto* leased = std::get_if<Leased>(&verdict);
    if (leased == nullptr) give_up("a claim was refused");
    for (Lease& lease : leased->leases) held_.push_back(std::move(lease));
  }
  return static_cast<int>(held_.size() - before);
}

void RedisCaller::complete() {
  std::vector<Command> commands;
  for (const Lease& lease : std::exchange(held_, {})) {
    commands.emplace_back(Complete{.ns = "default", .job = lease.job, .token = lease.token});
  }
  if (!commands.empty()) commit(commands);
}

std::vector<Verdict> RedisCaller::commit(const std::vector<Command>& commands) {
  auto committed = store_.commit(commands);
  if (!committed) give_up(committed.error().message);
  for (const Verdict& verdict : committed->verdicts) {
    if (const auto* refusal = std::get_if<Refusal>(&verdict)) give_up(refusal->detail);
  }
  return std::move(committed->verdicts);
}

}  // namespace longshore::bench
