// Rules are the options under which a store judges: one value per row of the profile table in
// docs/profiles.md. A store records them and every node obeys the store's. Those that a profile
// stands for never change; the others change with the command SetRules.
#pragma once

#include <cstdint>
#include <map>
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
  // Whether operations that the profile's document does not know are carried out: hand-off,
  // replacing an accepted job, finishing a running job from outside, forced cancel.
  enum class OtherMoves : std::uint8_t { allowed, refused };

  std::string profile = "native";
  Policy policy;  // the layer below a queue's own
  Duration lease = Duration::seconds(30);
  bool lease_is_timeout = false;  // a lease lasts as long as the job's timeout
  bool lease_in_thirds = false;   // a default lease is at most a third of the job's timeout
  DelayOnTimeout delay_on_timeout = DelayOnTimeout::none;
  OnLeaseLost on_lease_lost = OnLeaseLost::requeue;
  std::optional<int> max_crashes = 5;  // none: lost leases never kill a job
  RecoverOnStart recover_on_start = RecoverOnStart::own_workers;
  bool checkpoint_survives = true;  // given to the next attempt
  CancelPath cancel_path = CancelPath::direct;
  Terminal terminal = Terminal::fixed;
  Accept accept = Accept::one_phase;
  OtherMoves other_moves = OtherMoves::allowed;
  bool count_no_handler = false;  // NO_HANDLER is a counted failure
  Retention retention;
  int claim_limit = 1000;  // most jobs per claim
  Duration sweep_every = Duration::seconds(1);
  Duration stuck_after = Duration::seconds(60);
  Duration accept_after = Duration::seconds(5);
  Duration key_outlives_job = Duration::days(30);
  friend bool operator==(const Rules&, const Rules&) = default;
};

// The rules that a store judges by, and the latest revision that each source has applied.
struct StoredRules {
  Rules rules;
  std::map<std::string, std::int64_t> revisions = {};

  // 0 for a source that has applied none.
  std::int64_t revision(const std::string& source) const {
    const auto known = revisions.find(source);
    return known == revisions.end() ? 0 : known->second;
  }
  friend bool operator==(const StoredRules&, const StoredRules&) = default;
};

}  // namespace longshore
