#include "worker/handlers.h"

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <typeinfo>
#include <utility>

#include "core/rules/settle.h"
#include "core/text/names.h"
#include "worker/isolated/isolated.h"
#include "worker/isolated/zygote.h"

namespace longshore {
namespace {

Error unusable(std::string message) { return {Errc::invalid, std::move(message)}; }

// "std::runtime_error" instead of the mangled "St13runtime_error".
std::string type_name(const std::exception& thrown) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(typeid(thrown).name(), nullptr, nullptr, &status), &std::free);
  return name ? name.get() : typeid(thrown).name();
}

using Function = Ending (*)(Context&);

PlainHandler plain_of(const Handler& handler) {
  const Function* const function = handler.target<Function>();
  if (function == nullptr) return {};
  return {[](Context& context, PlainHandler::Any any) {
            return reinterpret_cast<Function>(any)(context);
          },
          reinterpret_cast<PlainHandler::Any>(*function)};
}

std::optional<Error> isolation_fault(const std::string& type, const PlainHandler& plain) {
  if (plain.call != nullptr) return zygote_fault();
  return unusable("the isolated handler for " + type +
                  " must be a function or a lambda that captures nothing");
}

}  // namespace

Ending guarded(const Handler& handler, Context& context) {
  try {
    return handler(context);
  } catch (const std::exception& thrown) {
    return fail(thrown.what(), type_name(thrown));
  } catch (...) {
    return fail("the handler threw an exception that is not a std::exception", "EXCEPTION");
  }
}

void Handlers::add(std::string type, Handler handler, HandlerOptions options, PlainHandler plain) {
  if (fault_) return;
  if (auto wrong = job_type_fault(type)) {
    fault_ = unusable("invalid job type \"" + type + "\" for a handler: " + *wrong);
    return;
  }
  if (options.isolated) {
    if (plain.call == nullptr) plain = plain_of(handler);
    fault_ = isolation_fault(type, plain);
    if (fault_) return;
    handler = isolated_handler(plain, options);
  }
  add_own(std::move(type), std::move(handler), options);
}

void Handlers::add_own(std::string type, Handler handler, HandlerOptions options) {
  if (fault_) return;
  if (!handler) {
    fault_ = unusable("the handler for " + type + " is empty");
  } else if (options.concurrency < 0) {
    fault_ = unusable("the concurrency of " + type + " must not be negative");
  } else if (entries_.contains(type)) {
    fault_ = unusable("two handlers were registered for " + type + "; a job type has one");
  } else {
    entries_.emplace(std::move(type), Entry{std::move(handler), options});
  }
}

std::optional<Error> Handlers::fault() const {
  if (fault_) return fault_;
  if (entries_.empty()) return unusable("a worker needs at least one handler");
  return std::nullopt;
}

std::vector<ConcurrencyLimits::Limit> Handlers::limits() const {
  std::vector<ConcurrencyLimits::Limit> limits;
  for (const auto& [type, entry] : entries_) limits.push_back({type, entry.options.concurrency});
  return limits;
}

Ending Handlers::run(Context& context) const {
  const auto found = entries_.find(context.lease().type);
  if (found == entries_.end()) {
    return fail("no handler for " + context.lease().type, std::string(platform::no_handler));
  }
  return guarded(found->second.handler, context);
}

}  // namespace longshore
