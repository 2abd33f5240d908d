#include "longshore/context.h"

#include <utility>

#include "worker/attempt.h"

namespace longshore {

const Lease& Context::lease() const { return attempt_.lease; }
Duration Context::time_left() const { return attempt_.time_left(); }
std::stop_token Context::stop_token() const { return attempt_.stop_token(); }
StopReason Context::stop_reason() const { return attempt_.stop_reason(); }
bool Context::worker_stopping() const { return attempt_.worker_stopping(); }
void Context::progress(double percent) { attempt_.progress(percent); }
void Context::log(std::string_view line) { attempt_.log(line); }
std::optional<std::string> Context::checkpoint() const { return attempt_.checkpoint(); }
Result<Nothing> Context::save_checkpoint(RawJson checkpoint) {
  return attempt_.save_checkpoint(std::move(checkpoint.text));
}

}  // namespace longshore
