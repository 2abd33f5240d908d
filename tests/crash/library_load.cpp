#include "crash/library_load.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <semaphore>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "checker/calls.h"
#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "core/text/hash.h"
#include "core/time/clock.h"
#include "crash/recorded_leases.h"
#include "longshore/open.h"
#include "runtime/new_job.h"

namespace longshore::crash {
namespace {

const OpenOptions& open_options() {
  static const OpenOptions options = {.rules = Rules(), .ns = "main", .node_name = "harbour"};
  return options;
}

// On a healthy disk no error is expected: one ends the process, and the test.
template <class T>
T must(const std::string& who, Result<T> result) {
  if (!result) {
    fmt::print(stderr, "{}: {}\n", who, result.error().message);
    std::_Exit(1);
  }
  return std::move(*result);
}

// The client of one thread; records its requests and answers.
class Producer {
 public:
  Producer(Client client, checker::HistoryWriter& history, std::string name, std::uint64_t seed)
      : client_(std::move(client)), history_(history), name_(std::move(name)), random_(seed) {}
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  void produce_until(const std::atomic<bool>& over) {
    while (!over) {
      std::vector<JobRequest> requests;
      const std::uint64_t count = random_.chance(0.2) ? 2 + random_.below(6) : 1;
      for (std::uint64_t n = 0; n < count; ++n) requests.push_back(next_request());
      const std::vector<EnqueuedJob> jobs = enqueue(requests);
      // Repeats the request, like a client whose answer was lost.
      if (random_.chance(0.05)) enqueue(requests);
      if (random_.chance(0.1)) cancel(jobs.back().id);
      if (random_.chance(0.3)) wait_for(jobs.front().id);
    }
  }

  JobId enqueue(const char* type, EnqueueOptions options) {
    options.id = ids_.next(clock_.now());
    return enqueue({JobRequest{.type = type, .options = std::move(options)}}).front().id;
  }

  JobRecord wait_for(const JobId& id) {
    checker::Call call{.verb = checker::Verb::get, .ns = open_options().ns, .job = id};
    const std::int64_t op = history_.invoke(name_, std::move(call));
    JobRecord record = must(name_, client_.wait(id, Duration::millis(20)));
    history_.ok(op, {.view = checker::view_of(record)});
    return record;
  }

 private:
  JobRequest next_request() {
    serial_ += 1;
    JobRequest request{.type = random_.chance(0.5) ? "mail" : "bill",
                       .payload = fmt::format(R"("{}/{}")", name_, serial_)};
    request.options.id = ids_.next(clock_.now());
    request.options.priority = static_cast<int>(random_.below(10));
    request.options.policy.max_retries = 2;
    if (random_.chance(0.2)) request.options.delay = Duration::millis(50);
    if (random_.chance(0.3)) {
      request.options.idempotency_key = fmt::format("{}/{}", name_, serial_);
    }
    return request;
  }

  // Recorded as the command that the client creates from them.
  std::vector<EnqueuedJob> enqueue(const std::vector<JobRequest>& requests) {
    Enqueue command{.ns = open_options().ns};
    for (const JobRequest& request : requests) {
      command.jobs.push_back(must(
          name_, new_job(request, *request.options.id, open_options(), *open_options().rules)));
    }
    const std::int64_t op = history_.invoke(name_, checker::call_of(command));
    std::vector<EnqueuedJob> jobs = must(name_, client_.enqueue_all(requests));
    history_.ok(op, checker::answer_of(Enqueued{jobs}));
    return jobs;
  }

  void cancel(const JobId& id) {
    const Cancel command{.ns = open_options().ns, .job = id};
    const std::int64_t op = history_.invoke(name_, checker::call_of(command));
    Result<Settled> settled = client_.cancel(id);
    if (settled) {
      history_.ok(op, checker::answer_of(*settled));
    } else if (settled.error().refusal) {
      history_.fail(op, to_text(*settled.error().refusal));
    } else {
      must(name_, std::move(settled));
    }
  }

  Client client_;
  checker::HistoryWriter& history_;
  const std::string name_;
  SystemClock clock_;
  SeededRandom random_;
  JobIds ids_{random_};
  std::int64_t serial_ = 0;
};

// Ends in every way a handler can, depending on the job and its fence.
Ending handle(Context& context) {
  SeededRandom random(hash64(context.payload()) + static_cast<std::uint64_t>(context.fence()));
  if (random.chance(0.2)) context.log("began");
  if (random.chance(0.2) && !context.save_checkpoint(RawJson{"1"})) return release();
  if (context.stop_reason() == StopReason::canceled) return canceled();
  const double fate = random.fraction();
  if (fate < 0.8) return ok(to_text(context.job()));
  if (fate < 0.86) return retry_in(Duration::millis(20), "no way", "E_NET");
  if (fate < 0.91) throw std::runtime_error("thrown");
  if (fate < 0.96) return release();
  return fail_for_good("never", "E_BAD");
}

// Waits until it is asked to stop; its outcome is discarded then.
Ending wait_for_stop(Context& context) {
  std::binary_semaphore stopped(0);
  const std::stop_callback tell(context.stop_token(), [&] { stopped.release(); });
  stopped.acquire();
  return ok();
}

Ending ignore_stop(Context&) {
  static std::binary_semaphore never(0);
  never.acquire();
  return ok();
}

Longshore open_recorded(const std::string& path, checker::HistoryWriter& history,
                        const std::string& name) {
  const std::int64_t op = history.invoke(name, checker::call_of(StartNode{.name = "harbour"}));
  Longshore longshore = must(name, open("sqlite:" + path, open_options()));
  history.ok(op, {});
  return longshore;
}

// One job for each of the stubborn handlers; the job of the one that ignores stop is dead on
// return.
void run_stubborn_jobs(Producer& producer) {
  producer.enqueue(cooperative_type, {.policy = {.timeout = Duration::minutes(10)}});
  const JobId uncooperative = producer.enqueue(
      uncooperative_type, {.policy = {.max_retries = 0, .timeout = Duration::seconds(1)}});
  while (producer.wait_for(uncooperative).job.state != State::dead) {
  }
}

}  // namespace

StopReport use_library(const std::string& path, checker::HistoryWriter& history,
                       const LibraryLoad& wanted, const std::function<void()>& ready) {
  SeededRandom seeds(wanted.load.seed);
  const auto name = [&](const char* what, int number) {
    return fmt::format("{}{}.{}", what, number, wanted.load.life);
  };
  Longshore longshore = open_recorded(path, history, name("node", 1));
  const RecordedLeases::Who who{
      .name = name("worker", 1), .ns = open_options().ns, .seed = seeds.next()};
  Worker worker(std::make_shared<RecordedLeases>(longshore.leases(), history, who),
                {.name = who.name, .concurrency = wanted.load.workers, .grace = wanted.grace});
  worker.handle("mail", handle).handle("bill", handle);
  worker.handle(cooperative_type, wait_for_stop).handle(uncooperative_type, ignore_stop);
  std::atomic<bool> over = false;
  std::vector<std::jthread> producers;
  for (int n = 1; n <= wanted.load.producers; ++n) {
    producers.emplace_back([&, me = name("producer", n), seed = seeds.next()] {
      Producer(longshore.client(), history, me, seed).produce_until(over);
    });
  }
  producers.emplace_back([&, me = name("starter", 1), seed = seeds.next()] {
    Producer starter(longshore.client(), history, me, seed);
    if (wanted.stubborn) run_stubborn_jobs(starter);
    ready();
  });
  const StopReport report = must(who.name, worker.run_until_signal());
  over = true;
  producers.clear();
  longshore.stop();
  return report;
}

}  // namespace longshore::crash
