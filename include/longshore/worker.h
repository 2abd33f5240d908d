// A Worker claims jobs and runs their handlers in its own threads.
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
  int concurrency = 0;  // most jobs of this queue at once; 0: the worker's limit
  // How often the queue is searched first, relative to the others. 0 for all: always in the order
  // given; 0 beside a weight counts as 1.
  int weight = 0;
};

struct HandlerOptions {
  int concurrency = 0;  // most jobs of this type at once; 0: the worker's limit
  // Runs each job in a separate process, so that a crash affects one job: see isolate.h. The
  // handler must be a function, or a lambda without captures.
  bool isolated = false;
  std::int64_t memory_bytes = 0;  // memory limit of such a process; 0: none
};

// A stateless handler, which can be called in another process of the program.
struct PlainHandler {
  using Any = void (*)();
  using Call = Ending (*)(Context& context, Any function);
  Call call = nullptr;
  Any function = nullptr;  // `call` knows its type
};

struct WorkerOptions {
  std::string name = {};                     // shown to operators; empty: the node's own
  int concurrency = 0;                       // jobs at once; 0: the number of processors
  std::vector<QueueOptions> queues = {{}};   // searched in this order, or by weight
  std::optional<Duration> lease = {};        // 1 s to 1 day; none: by the store's rules
  Duration grace = Duration::seconds(25);    // how long stop() waits for handlers
  Duration patience = Duration::seconds(3);  // how long it then waits for handlers asked to stop
  // Called with errors outside handlers, such as an unavailable store or a refused outcome, on any
  // thread.
  std::function<void(const Error&)> on_trouble = {};
};

struct StopReport {
  int released = 0;   // jobs whose handlers did not finish in time
  int abandoned = 0;  // handlers that still run; what they use must stay valid
};

using Handler = std::function<Ending(Context&)>;

// Register handlers, then start. Not safe to share between threads, except for stop() and hurry().
//
// An exception of a handler is a failure with the exception's text. The worker sends heartbeats; if
// the job was canceled or its lease lost, the context asks the handler to stop, and its outcome
// after a lost lease is ignored. A handler that does not return keeps its thread, and the worker
// starts another.
class Worker {
 public:
  explicit Worker(std::shared_ptr<Leases> leases, WorkerOptions options = {});
  explicit Worker(const Longshore& longshore, WorkerOptions options = {})
      : Worker(longshore.leases(), std::move(options)) {}
  ~Worker();  // stops
  Worker(Worker&&) noexcept;
  Worker& operator=(Worker&&) = delete;

  // A payload that does not match Args fails the job permanently. `handler` takes (Context&, const
  // Args&) or (const Args&) and returns an Ending, or void for ok().
  template <JobArgs Args, class Function>
  Worker& handle(Function handler, HandlerOptions options = {}) {
    const PlainHandler plain = plain_of<Args>(handler);
    return handle(std::string(Args::job_type), typed<Args>(std::move(handler)), options, plain);
  }
  // Without typed arguments: `handler` reads the payload from its context. A second handler for a
  // type is an error of start(); after start() it is reported to on_trouble.
  Worker& handle(std::string type, Handler handler, HandlerOptions options = {},
                 PlainHandler plain = {});

  // Errc::invalid for invalid options, for a type with two handlers and without handlers.
  // Errc::refused once stopped. Idempotent.
  Result<Nothing> start();

  // Claims no more jobs, waits up to `grace` for handlers to finish, then asks the others to stop
  // and releases their jobs, uncounted, with their checkpoints. Idempotent; may come before start.
  StopReport stop();

  // Ends the grace period of a current or later stop(), and kills isolated handlers.
  void hurry();

  // Starts, waits for SIGINT or SIGTERM, and stops; a second signal calls hurry(). Once per
  // program.
  Result<StopReport> run_until_signal();

  // Runs all jobs that can be claimed now, one after another on the calling thread, and returns
  // their number. Without start().
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

  // Shared with handlers that did not return.
  std::shared_ptr<WorkerPool> crew_;
};

}  // namespace longshore
