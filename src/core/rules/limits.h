// The sizes, counts and ranges of the contract, for HTTP, the library and the stores alike.
#pragma once

#include <cstddef>

#include "core/text/time_text.h"

namespace longshore {

// In characters (Unicode code points).
inline constexpr std::size_t name_characters_max = 128;  // job types, queues, namespaces, secrets
inline constexpr std::size_t key_characters_max = 255;   // job and idempotency keys, worker ids
inline constexpr std::size_t tag_characters_max = 64;    // tags, and names of tokens

// Of one job.
inline constexpr int priority_max = 9;  // the last to run; 0 is the first
inline constexpr int retries_max = 100;
inline constexpr std::size_t tags_max = 16;
inline constexpr std::size_t metadata_pairs_max = 64;
inline constexpr std::size_t metadata_bytes_max = 16 * 1024;
inline constexpr std::size_t payload_bytes_max = 1024 * 1024;
inline constexpr std::size_t url_bytes_max = 2048;

// Of one attempt.
inline constexpr std::size_t result_bytes_max = 1024 * 1024;
inline constexpr std::size_t checkpoint_bytes_max = 256 * 1024;
inline constexpr std::size_t error_details_bytes_max = 64 * 1024;
inline constexpr std::size_t error_message_bytes_kept = 8 * 1024;
inline constexpr double progress_max = 100;  // percent

// Of one command.
inline constexpr std::size_t jobs_per_enqueue_max = 10'000;
inline constexpr int jobs_per_claim_max = 1000;

// Delays, timeouts and back-offs are at most this long, and so is every other duration.
inline constexpr Duration delay_max = duration_max;
inline constexpr Duration retry_after_max = Duration::days(30);
inline constexpr Duration lease_min = Duration::seconds(1);
inline constexpr Duration lease_max = Duration::days(1);

}  // namespace longshore
