// The life cycle of one job at the store level: enqueue, claim, complete, and read its history.
#include <iostream>

#include "core/ids/uuid.h"
#include "core/text/time_text.h"
#include "core/time/clock.h"
#include "store/memory/store.h"

using namespace longshore;

int main() {
  MemoryDisk disk;
  SystemClock clock;
  SeededRandom random(static_cast<std::uint64_t>(clock.now().count()));
  auto opened = open_memory(disk, clock, Rules());
  if (!opened) return std::cerr << opened.error().message << "\n", 1;
  Store& store = opened.value()->store();
  const auto send = [&](const Command& command) {
    return store.commit({&command, 1}).value().verdicts.front();
  };

  NewJob email{.id = JobIds(random).next(clock.now()), .type = "email.send"};
  email.body.payload = R"({"to":"ada@example.org"})";
  send(Enqueue{.ns = "default", .jobs = {email}});

  const Verdict claimed =
      send(Claim{.id = random_id<RequestId>(random), .ns = "default", .worker = "first-worker"});
  for (const Lease& lease : std::get<Leased>(claimed).leases) {
    std::cout << lease.type << " " << lease.body.payload << "\n";
    send(Complete{.ns = "default", .job = lease.job, .token = lease.token, .result = R"("sent")"});
  }

  const JobRecord record = opened.value()->catalog().get("default", email.id).value();
  for (const Transition& step : record.history) {
    std::cout << "  " << to_text(step.at) << "  " << to_text(step.to) << " by "
              << to_text(step.cause) << " " << step.worker << "\n";
  }
  std::cout << "result: " << record.result.value_or("none") << "\n";
  return record.job.state == State::success ? 0 : 1;
}
