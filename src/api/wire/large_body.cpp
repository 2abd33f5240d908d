#include "api/wire/large_body.h"

#include <utility>

#include "api/api.h"

namespace longshore {
namespace {

// Read in about a millisecond.
constexpr std::size_t small_body = 256 * 1024;

}  // namespace

void handle_body(Api& api, CallRef call, Handle handle) {
  if (call->request().body.size() <= small_body) return handle(api, std::move(call));
  ReadPool::Read read = [&api, call, handle](Catalog&) { handle(api, call); };
  if (!api.read_pool().push(ReadKind::scan, read, call->caller.ns + "/bodies"))
    handle(api, std::move(call));
}

}  // namespace longshore
