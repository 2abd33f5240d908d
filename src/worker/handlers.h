// The handlers of a worker, by job type.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "longshore/worker.h"
#include "worker/concurrency_limits.h"

namespace longshore {

// How an attempt ends: as the handler says, or with what it threw.
Ending guarded(const Handler& handler, Context& context);

class Handlers {
 public:
  // An isolated handler is called as `plain`, or as the function that it is.
  void add(std::string type, Handler handler, HandlerOptions options, PlainHandler plain);
  // The same, for a type that is reserved.
  void add_own(std::string type, Handler handler, HandlerOptions options);

  // What was wrong with the registrations, if anything.
  std::optional<Error> fault() const;
  std::vector<ConcurrencyLimits::Limit> limits() const;

  // How an attempt at the context's job ends: as its handler says, or with what it threw.
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
