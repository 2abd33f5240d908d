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

inline constexpr int priority_default = 5;
inline constexpr std::size_t error_code_characters_max = 128;
inline constexpr std::size_t origin_request_bytes_max = 64 * 1024;  // of the field `request`

// ---- Leases ------------------------------------------------------------------------------------

inline constexpr int lease_seconds_max = 86'400;
inline constexpr int retry_after_seconds_max = 2'592'000;  // 30 days
inline constexpr std::size_t claim_queues_max = 100;
inline constexpr std::size_t claim_types_max = 1000;
inline constexpr std::size_t claim_pairs_max = 1000;  // queues times types: index lookups
inline constexpr int worker_slots_max = 1'000'000;
inline constexpr std::size_t worker_text_characters_max = 255;  // its host and its version

// ---- Requests over HTTP ------------------------------------------------------------------------

inline constexpr std::size_t body_bytes_max = 2 * 1024 * 1024;
inline constexpr std::size_t batch_body_bytes_max = 16 * 1024 * 1024;
inline constexpr int batch_jobs_max = 10'000;  // enqueued, settled or changed by one request
inline constexpr int page_limit_max = 500;     // entries on one page of a list
inline constexpr int page_limit_default = 50;
inline constexpr int wait_seconds_max = 60;
inline constexpr std::size_t error_filter_characters_max = 500;

}  // namespace longshore
