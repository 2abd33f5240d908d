// A Worker runs handlers for jobs, in threads of its own.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "longshore/args.h"
#include "longshore/context.h"
#include "longshore/error.h"
#include "longshore/leases.h"
#include "longshore/open.h"
#include "longshore/time.h"

namespace longshore {

class WorkerPool;  // the worker's threads

struct QueueOptions {
  std::string name = "default";
  int concurrency = 0;  // at most so many of its jobs at once; 0: as many as the worker can
  // How often it is visited first, beside the others' weights. 0 everywhere: always in the order
  // given; beside a weight it counts as 1.
  int weight = 0;
};

struct HandlerOptions {
  int concurrency = 0;  // at most so many of this type at once; 0: as many as the worker can
  // In a process of its own, so that whatever happens there happens to one job: see isolate.h. Such
  // a handler is a function, or a lambda that captures nothing.
  bool isolated = false;
  std::int64_t memory_bytes = 0;  // what such a process may have; 0: any
};

// A handler without anything of its own, which can be called in another process of the program.
struct PlainHandler {
  using Any = void (*)();
  using Call = Ending (*)(Context& context, Any function);
  Call call = nullptr;
  Any function = nullptr;  // for `call` to know the type of
};

struct WorkerOptions {
  std::string name = {};                     // shown to operators; empty: the node's own
  int concurrency = 0;                       // jobs at once; 0: the number of processors
  std::vector<QueueOptions> queues = {{}};   // visited in this order, or by their weights
  std::optional<Duration> lease = {};        // 1 s to 1 day; none: by the store's rules
  Duration grace = Duration::seconds(25);    // what handlers get to finish in when stopping
  Duration patience = Duration::seconds(3);  // what one gets that was told to stop, then
  // Hears of what goes wrong outside handlers: a store that is away, an outcome refused. Called
  // from any thread.
  std::function<void(const Error&)> on_trouble = {};
};

struct StopReport {
  int released = 0;   // jobs given back, since their handlers did not finish in time
  int abandoned = 0;  // handlers that go on all the same; what they use must live on
};

using Handler = std::function<Ending(Context&)>;

// Register handlers, then start. Not safe to share between threads, except for stop() and hurry().
//
// A handler may throw: that is a failure, with the exception's text. Heartbeats are sent for it;
// when they tell that the job was canceled or its lease lost, its context asks it to stop, and
// what it answers after a lost lease is dropped. One that does not return even so keeps its
// thread; another takes its place.
class Worker {
 public:
  explicit Worker(std::shared_ptr<Leases> leases, WorkerOptions options = {});
  explicit Worker(const Longshore& longshore, WorkerOptions options = {})
      : Worker(longshore.leases(), std::move(options)) {}
  ~Worker();  // stops
  Worker(Worker&&) noexcept;
  Worker& operator=(Worker&&) = delete;

  // Arguments that do not fit the payload fail the job for good. `handler` takes (Context&, const
  // Args&) or (const Args&) and returns an Ending, or nothing for ok().
  template <JobArgs Args, class Function>
  Worker& handle(Function handler, HandlerOptions options = {}) {
    const PlainHandler plain = plain_of<Args>(handler);
    return handle(std::string(Args::job_type), typed<Args>(std::move(handler)), options, plain);
  }
  // The payload as it came: `handler` reads it from its context. A second handler for one type
  // is an error that start() tells; one that comes after start() is told to on_trouble.
  Worker& handle(std::string type, Handler handler, HandlerOptions options = {},
                 PlainHandler plain = {});

  // Errc::invalid for bad options, for a type with two handlers and for no handler at all.
  // Errc::refused once stopped. Starting twice is fine.
  Result<Nothing> start();

  // Takes no more jobs, waits as long as `grace` for handlers to finish, then tells the rest to
  // stop and gives their jobs back, uncounted, with their checkpoints. Idempotent; may come
  // before start.
  StopReport stop();

  // The grace of a stop() is over, of one that waits now or of one to come; what handlers run in
  // processes is killed.
  void hurry();

  // Starts, waits for SIGINT or SIGTERM, and stops; a second signal hurries. Once in a program.
  Result<StopReport> run_until_signal();

  // Runs what can be had now in the calling thread, one after another, until there is nothing
  // more; says how many. Without start().
  Result<int> run_pending();

 private:
  template <class Args, class Function>
  static Handler typed(Function handler) {
    return [handler = std::move(handler)](Context& context) -> Ending {
      Result<Args> args = from_json<Args>(context.payload());
      if (!args) return fail_for_good(args.error().message, "BAD_ARGUMENTS");
      return call(handler, context, std::as_const(*args));
    };
  }

  template <class Args, class Function>
  static PlainHandler plain_of(const Function& handler) {
    if constexpr (std::is_pointer_v<Function>) {
      return {[](Context& context, PlainHandler::Any function) {
                return typed<Args>(reinterpret_cast<Function>(function))(context);
              },
              reinterpret_cast<PlainHandler::Any>(handler)};
    } else if constexpr (std::is_empty_v<Function> && std::is_default_constructible_v<Function>) {
      return {[](Context& context, PlainHandler::Any) { return typed<Args>(Function())(context); },
              nullptr};
    } else {
      return {};
    }
  }

  template <class Function, class Args>
  static Ending call(const Function& handler, Context& context, const Args& args) {
    if constexpr (std::invocable<const Function&, Context&, const Args&>) {
      return ending_of([&] { return handler(context, args); });
    } else {
      static_assert(std::invocable<const Function&, const Args&>,
                    "a handler takes (Context&, const Args&) or (const Args&)");
      return ending_of([&] { return handler(args); });
    }
  }

  template <class Call>
  static Ending ending_of(const Call& call) {
    if constexpr (std::is_void_v<std::invoke_result_t<const Call&>>) {
      call();
      return ok();
    } else {
      return call();
    }
  }

  // Shared with handlers that did not return when asked to.
  std::shared_ptr<WorkerPool> crew_;
};

}  // namespace longshore
