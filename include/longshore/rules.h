// Rules are the options under which a store judges: one value per row of the profile table in
// docs/profiles.md. A store records the rules it was made with; a node with others is refused.
#pragma once

#include <optional>
#include <string>

#include "longshore/job.h"
#include "longshore/time.h"

namespace longshore {

// How long finished jobs are kept. Duration::forever() means never pruned.
struct Retention {
  Duration success = Duration::days(7);
  Duration canceled = Duration::days(7);
  Duration dead = Duration::forever();
  friend bool operator==(const Retention&, const Retention&) = default;
};

struct Rules {
  // A lost lease is requeued uncounted, is a counted failure, or waits for the job's deadline.
  enum class OnLeaseLost : std::uint8_t { requeue, count_failure, wait_timeout };
  enum class DelayOnTimeout : std::uint8_t { none, backoff };
  // What a starting node takes back: what its own in-process workers held, everything that
  // runs, or nothing.
  enum class RecoverOnStart : std::uint8_t { own_workers, every_running, nothing };
  // How a job that must not run leaves: straight to canceled, or through a claim by "system"
  // into the dead letters, for vocabularies that know no canceled state.
  enum class CancelPath : std::uint8_t { direct, system_claim };
  // Whether finished jobs stay as they are, or may be reopened in place.
  enum class Terminal : std::uint8_t { fixed, reopen };
  // Whether a job is accepted in the commit that records it, or by a second one.
  enum class Accept : std::uint8_t { one_phase, two_phase };

  std::string profile = "native";
  Policy policy;  // the layer below a queue's own
  Duration lease = Duration::seconds(30);
  bool lease_is_timeout = false;  // a lease lasts as long as the job's timeout
  DelayOnTimeout delay_on_timeout = DelayOnTimeout::none;
  OnLeaseLost on_lease_lost = OnLeaseLost::requeue;
  std::optional<int> max_crashes = 5;  // none: lost leases never kill a job
  RecoverOnStart recover_on_start = RecoverOnStart::own_workers;
  bool checkpoint_survives = true;  // given to the next attempt
  CancelPath cancel_path = CancelPath::direct;
  Terminal terminal = Terminal::fixed;
  Accept accept = Accept::one_phase;
  bool count_no_handler = false;  // NO_HANDLER is a counted failure
  Retention retention;
  int claim_limit = 1000;  // most jobs per claim
  Duration sweep_every = Duration::seconds(1);
  Duration stuck_after = Duration::seconds(60);
  Duration accept_after = Duration::seconds(5);
  Duration key_outlives_job = Duration::days(30);
  friend bool operator==(const Rules&, const Rules&) = default;
};

}  // namespace longshore
