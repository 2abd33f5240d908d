#include "sim/poll.h"

#include <utility>

namespace longshore::sim {

void Poll::deliver(Result<Answered> answered) {
  if (dead_) return;
  answer_ = std::move(answered);
  if (hung_up_) {
    // The kernel may take what nobody will read; then the node believes that it was read. Gentle
    // worlds have no such lines: the lease would have to run out.
    finish(!world_.setup.gentle && !world_.healing && world_.chance(0.3));
    return;
  }
  world_.scheduler.ring(signal_);
}

void Poll::hear() {
  if (dead_) return;
  heard_ = true;
  finish(true);
  const Leased* leased = *answer_ ? std::get_if<Leased>(&(*answer_)->verdict) : nullptr;
  if (leased == nullptr) return;
  for (const Lease& lease : leased->leases) {
    world_.note_brought(lease.job, lease.token);
    if (lease.heard != Instant()) world_.polls_sent_again += 1;
  }
}

void Poll::hang_up() {
  if (dead_ || hung_up_ || heard_) return;
  hung_up_ = true;
  world_.polls_cut += 1;
  if (world_.setup.planted == Planted::keeps_the_job_of_one_who_left) return;
  if (answer_) return finish(!world_.setup.gentle && !world_.healing && world_.chance(0.3));
  // Not every node notices before it writes.
  if (world_.setup.gentle || world_.healing || world_.chance(0.7)) disconnect();
}

void Poll::die() {
  dead_ = true;
  abandon();
  world_.scheduler.ring(signal_);
}

void Poll::finish(bool written) {
  const Leased* leased = *answer_ ? std::get_if<Leased>(&(*answer_)->verdict) : nullptr;
  end(leased != nullptr ? leased->leases : std::vector<Lease>(), written);
}

}  // namespace longshore::sim
