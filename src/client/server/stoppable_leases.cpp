#include "client/server/stoppable_leases.h"

#include "client/server/either_stop.h"

namespace longshore {

Result<Turned> StoppableLeases::turn(Turn turn, std::stop_token stop) {
  if (auto error = caller_->out_of_service()) return *error;
  const EitherStop either(stop, caller_->stopped());
  Result<Turned> turned = leases_.turn(std::move(turn), either.token());
  if (turned) return turned;
  return caller_->out_of_service().value_or(turned.error());
}

}  // namespace longshore
