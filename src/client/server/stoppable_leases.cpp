#include "client/server/stoppable_leases.h"

#include "client/server/either_stop.h"

namespace longshore {

Result<Turned> StoppableLeases::turn(Turn turn, std::stop_token stop) {
  if (auto error = caller_->stopped_error()) return *error;
  const EitherStop either(stop, caller_->stopped());
  Result<Turned> turned = leases_.turn(std::move(turn), either.token());
  if (turned) return turned;
  return caller_->stopped_error().value_or(turned.error());
}

}  // namespace longshore
