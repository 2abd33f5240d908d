// Rules are the options that determine a store's decisions: one value per row of the profile table
// in docs/profiles.md. A store records them, and every node uses the store's. Rules that the
// profile fixes never change; the others can be changed with the command SetRules.
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
  // A job with a lost lease is requeued uncounted, fails, or waits for its deadline.
  enum class OnLeaseLost : std::uint8_t { requeue, count_failure, wait_timeout };
  enum class DelayOnTimeout : std::uint8_t { none, backoff };
  // What a starting node recovers: the jobs of its own in-process workers, every running job, or
  // nothing.
  enum class RecoverOnStart : std::uint8_t { own_workers, every_running, nothing };
  // How a job that must not run ends: as canceled, or through a claim by "system" as dead, for
  // profiles without a canceled state.
  enum class CancelPath : std::uint8_t { direct, system_claim };
  // Whether ended jobs are final or can be reopened in place.
  enum class Terminal : std::uint8_t { fixed, reopen };
  // Whether a job is accepted in the commit that records it, or by a second one.
  enum class Accept : std::uint8_t { one_phase, two_phase };
  // Whether operations outside the profile's specification are allowed: hand-off, replacing an
  // accepted job, finishing a running job by key, forced cancel.
  enum class OtherMoves : std::uint8_t { allowed, refused };

  std::string profile = "native";
  Policy policy;  // the weakest layer
  Duration lease = Duration::seconds(30);
  bool lease_is_timeout = false;  // a lease lasts as long as the job's timeout
  bool lease_in_thirds = false;   // a default lease is at most a third of the job's timeout
  DelayOnTimeout delay_on_timeout = DelayOnTimeout::none;
  OnLeaseLost on_lease_lost = OnLeaseLost::requeue;
  std::optional<int> max_crashes = 5;  // none: unlimited
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

// The rules of a store, and the latest revision of each source.
struct StoredRules {
  Rules rules;
  std::map<std::string, std::int64_t> revisions = {};

  // 0 for an unknown source.
  std::int64_t revision(const std::string& source) const {
    const auto known = revisions.find(source);
    return known == revisions.end() ? 0 : known->second;
  }
  friend bool operator==(const StoredRules&, const StoredRules&) = default;
};

}  // namespace longshore
