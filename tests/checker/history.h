// A History is what clients observed of a store, in real-time order, and the final dump of the
// store. Payloads, results and requests are hashes, to keep long runs small.
// tests/checker/README.md describes the same as JSON lines.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "longshore/catalog.h"
#include "longshore/command.h"
#include "longshore/job.h"

namespace longshore::checker {

enum class Verb : std::uint8_t {
  enqueue,
  accept,
  claim,
  heartbeat,
  complete,
  fail,
  release,
  hand_off,
  finish_by_key,
  cancel,
  promote,
  resolve,
  redrive,
  pause,
  get,
  configure,
  start_node,
  put_token,
  revoke_token,
  touch_token,
  set_rules,
  other,
};
inline constexpr int verb_count = 22;
std::string_view to_text(Verb verb);

// The kind of a record. `fail`: certainly not applied; `info`: unknown.
enum class Kind : std::uint8_t { invoke, ok, fail, info, nemesis, mark };
std::string_view to_text(Kind kind);

// One job as requested by its enqueue.
struct Asked {
  JobId id;  // zero when the server chooses it
  std::string type;
  std::string queue = "default";
  int priority = 5;
  std::string job_key;
  std::string idempotency_key;
  std::uint64_t body_hash = 0;
  std::uint64_t payload = 0;  // hash64 of its bytes
  OnConflict on_conflict = OnConflict::existing;
  std::optional<Instant> run_at;
  Duration delay;
  std::optional<Instant> expires_at;
  bool callback = false;
  std::optional<Policy> policy;  // absent when only the server knows it
};

// A limit or a retention that a Configure set, for a queue or for a type.
struct RuleSet {
  std::string ns;
  std::string queue;  // one of these two is empty
  std::string type;
  std::optional<int> max_running;
  std::optional<Duration> keep_success, keep_canceled, keep_dead;
};

// A rule of the whole store, by its name: "leaseSeconds", "30".
struct Setting {
  std::string name;
  std::string value;
};

// A request. The verb determines which members are used, as in command.h.
struct Call {
  Verb verb = Verb::other;
  std::string ns;
  RequestId id;  // of claims, heartbeats and replies by key
  JobId job;
  LeaseToken token;
  std::vector<Asked> jobs;
  bool reject_mismatch = false;
  std::string worker;
  std::vector<std::string> queues;
  std::vector<std::string> types;
  int limit = 0;
  std::optional<Duration> wait;       // lease, extend, retry_after, delay or timeout
  std::optional<std::uint64_t> hash;  // of the result, or of a redrive's payload
  std::string code;                   // of the error
  bool retryable = true;
  std::string type, key;  // of a reply by key; of a token, `key` is its id
  std::optional<std::int64_t> fence;
  JobId successor;
  bool force = false;
  bool paused = false;
  std::optional<std::string> actor;  // the operator's request id; set: must be audited
  std::vector<RuleSet> rules;
  std::vector<Setting> settings;         // of the whole store
  std::optional<std::int64_t> revision;  // of those settings
};

struct Grant {
  JobId job;
  LeaseToken token;
  std::string type;
  std::string queue;
  std::uint64_t payload = 0;
  int attempt = 0;
  Instant lease_expires_at;
  Instant deadline_at;
};

// The result of a read of one job.
struct View {
  State state = State::created;
  std::int64_t version = 0;
  int attempt = 0, failures = 0, crashes = 0;
  std::optional<std::uint64_t> result;
  std::string error;  // its code
  std::optional<Instant> completed_at;
  std::optional<JobId> successor_id;
};

// The answer, for ok, fail and info.
struct Answer {
  std::optional<Instant> at;  // the store's time of the answer, if known
  std::vector<EnqueuedJob> jobs;
  std::vector<Grant> grants;
  std::optional<JobId> job;
  std::optional<Status> status;
  bool asked = false;
  Instant lease_expires_at;
  bool cancel_requested = false;
  std::optional<View> view;
  std::string code;  // of a refusal
};

// An action of the harness: "kill9 server1", or the marks "heal" and "end".
struct Note {
  std::string word;
  std::string target;
  std::optional<Instant> at;  // the store's time
};

struct Event {
  std::int64_t seq = 0;  // increases; real-time order
  Kind kind = Kind::invoke;
  std::string process;
  std::int64_t op = 0;  // matches a return with its invoke
  std::variant<Call, Answer, Note> what;
};

struct JobDump {
  Job job;
  std::uint64_t payload = 0;
  std::optional<std::uint64_t> result;
  std::optional<std::string> error;  // its code
  std::vector<Transition> history;
  std::int64_t history_dropped = 0;
};

struct KeyDump {
  std::string ns;
  std::string key;
  KeyView view;
};

struct DepthDump {
  std::string ns;
  std::string queue;
  State state = State::created;
  std::int64_t count = 0;
};

struct Listed {
  std::string ns;
  JobId job;
};

// A queue that is paused at the end, a valid token.
struct PausedDump {
  std::string ns;
  std::string queue;
};
struct TokenDump {
  std::string ns;
  std::string id;
};

struct History {
  std::vector<Event> events;
  // The final dump.
  std::vector<JobDump> jobs;
  std::vector<KeyDump> keys;
  std::vector<AuditEntry> audit;
  std::vector<Listed> dead;  // the dead letters as listed, all pages
  std::vector<DepthDump> depths;
  std::vector<Finding> findings;  // of the store's own audit
  std::vector<PausedDump> paused;
  std::vector<TokenDump> tokens;
  std::vector<RuleSet> rules;     // the configuration
  std::vector<Setting> settings;  // those that were set
  std::optional<Instant> dumped_at;
};

inline constexpr std::int64_t seq_never = std::numeric_limits<std::int64_t>::max();

}  // namespace longshore::checker
