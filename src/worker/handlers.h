// The handlers of a worker, by job type.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "longshore/worker.h"
#include "worker/concurrency_limits.h"

namespace longshore {

// Runs the handler. An exception becomes a failure.
Ending guarded(const Handler& handler, Context& context);

class Handlers {
 public:
  // An isolated handler is called through `plain`, or as the function that it is.
  void add(std::string type, Handler handler, HandlerOptions options, PlainHandler plain);
  // The same, for a reserved type.
  void add_own(std::string type, Handler handler, HandlerOptions options);

  // The first invalid registration, if any.
  std::optional<Error> fault() const;
  std::vector<ConcurrencyLimits::Limit> limits() const;

  // Runs the handler of the context's job. An exception becomes a failure.
  Ending run(Context& context) const;

 private:
  struct Entry {
    Handler handler;
    HandlerOptions options;
  };
  std::map<std::string, Entry, std::less<>> entries_;
  std::optional<Error> fault_;
};

}  // namespace longshore
