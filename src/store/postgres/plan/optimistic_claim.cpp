#include "store/postgres/plan/optimistic_claim.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/record/history_text.h"
#include "core/rules/enqueue.h"
#include "core/rules/lifecycle.h"
#include "store/postgres/plan/queue_type.h"
#include "store/postgres/write/rows.h"
#include "store/postgres/write/run_state.h"

namespace longshore::postgres {
namespace {

// Where ready jobs are found: the part `next`, and what else has to be so.
struct Source {
  std::string next;
  std::string proof;
};

Source row_of(const std::string& where) {
  return {.next = "next AS MATERIALIZED (SELECT job, ctid AS place FROM @ready WHERE " + where +
                  " ORDER BY priority, ord LIMIT $3 FOR UPDATE SKIP LOCKED)",
          .proof = ""};
}

// Of lanes, more are looked at than are wanted, since others may hold the first ones; a job is
// locked in its turn, and no more of them than are wanted. If so many are held that there might be
// others behind them, somebody has to look.
Source merged_rows() {
  return {.next = "merged AS MATERIALIZED (" + merged_lanes(listed_lanes("$25"), "", "$26") +
                  "), next AS MATERIALIZED (SELECT ready.job, ready.ctid AS place FROM merged, "
                  "@ready AS ready WHERE ready.ctid = merged.place "
                  "ORDER BY rank, step LIMIT $3 FOR UPDATE OF ready SKIP LOCKED)",
          .proof = " AND (jobs = $3 OR (SELECT count(*) FROM merged) < $26)"};
}

// Jobs and claims are paired in their orders; what all claims share is sent once. A row of live
// that anybody has locked has an xmax: its holder may be waiting for the row in ready, and must not
// be waited for. Of claims that there was no job for, and of those whose first job may have ended
// before another, the first row in held does not tell whether they were here before.
// A batch that is this statement has its single from $20 on; behind it are the types of the claims.
std::string serve_text(const Source& source, bool alone) {
  const std::string proved = alone ? "(SELECT proved FROM moment)::text" : "'1'";
  const std::string commit_counter = ", " + commit_counter_part(22, "EXISTS (SELECT FROM started)");
  return "WITH " + (alone ? moment_part(20) + ", " : "") + source.next +
         ", "
         "unready AS (DELETE FROM @ready WHERE ctid = ANY(ARRAY(SELECT place FROM next))), "
         "given AS MATERIALIZED (SELECT unnest(ARRAY(SELECT job FROM next)) AS job, "
         "unnest($4::uuid[]) AS claim, unnest($5::bigint[]) AS nth, unnest($6::bytea[]) AS worker, "
         "unnest($7::text[]) AS line), "
         "started AS (UPDATE @live AS job SET state = 3, version = $9, updated_at = $10, "
         "claim = new.claim, worker = coalesce(new.worker, $11), node = $12, "
         "lease_expires_at = $13, course = $14, history = job.history || coalesce(new.line, $15) "
         "FROM (SELECT claim, nth, worker, line, place FROM given, LATERAL (SELECT ctid AS place "
         "FROM @live WHERE id = given.job AND state = 2 AND version = $8 AND course IS NULL AND "
         "policy IS NULL AND expires_at IS NULL AND checkpoint_bytes IS NULL AND "
         "updated_at <= $10 AND xmax = '0' OFFSET 0) AS plain) AS new WHERE job.ctid = new.place "
         "RETURNING job.ctid AS now_at, new.nth, new.claim, " +
         plain_values("job") +
         "), "
         "listed AS (INSERT INTO @held SELECT id, $16, claim, $1, $2, type, true, coalesce(nth, 0) "
         "FROM started), "
         "counted AS (INSERT INTO @tally AS known SELECT $17::bigint, $1, $2, 0, 0, -count(*), "
         "count(*), 0, 0, 0, 0, 0 FROM started HAVING count(*) > 0 "
         "ON CONFLICT (ns, queue, slot) DO UPDATE SET queued = known.queued + excluded.queued, "
         "running = known.running + excluded.running), "
         "proof AS MATERIALIZED (SELECT (CASE WHEN jobs = (SELECT count(*) FROM started) AND "
         "CASE WHEN $19 IS NULL THEN true ELSE "
         "coalesce((SELECT sum(body_bytes) FROM started), 0) <= $19 END AND "
         "NOT EXISTS (SELECT FROM @held WHERE claim = ANY($18::uuid[] || ($4)[jobs + 1:]))" +
         source.proof + " THEN " + proved +
         " ELSE 'not all are plain; Longshore starts over' END)::bigint AS proved "
         "FROM (SELECT count(*)::int AS jobs FROM next) AS next)" +
         (alone ? commit_counter : "") +
         " "
         "SELECT proved, now_at, " +
         plain_names() +
         ", payload, beside FROM proof LEFT JOIN "
         "(SELECT started.*, body.* FROM started, LATERAL (SELECT " +
         body_values() +
         " AS beside FROM @body AS body WHERE body.id = started.id OFFSET 0) AS body) "
         "AS served ON true";
}

// A statement for each source, with others in its batch and alone.
struct Texts {
  explicit Texts(const Source& source)
      : with_others_text(serve_text(source, false)), alone_text(serve_text(source, true)) {}
  const std::string with_others_text, alone_text;
  const Sql with_others{with_others_text.c_str()}, alone{alone_text.c_str()};
};

const Sql& statement(const std::optional<std::vector<std::string>>& types, bool alone) {
  static const Texts any_type(row_of("ns = $1 AND queue = $2"));
  static const Texts one_type(row_of(lane_of_row + " = $25"));
  static const Texts some_types(merged_rows());
  const bool one = types && types->size() == 1;
  const Texts& texts = !types ? any_type : one ? one_type : some_types;
  return alone ? texts.alone : texts.with_others;
}

// What a claim makes of a plain job.
struct Start {
  std::int64_t version_before = 0;
  Job after;
  std::string line;  // of its history
};

std::optional<Start> start_of_plain(const Claim& claim, const Rules& rules, const Policy& usual,
                                    Instant now) {
  NewJob plain;
  plain.policy = usual;
  EnqueueDecision enqueued = decide_enqueue(claim.ns, plain, {}, false, rules, now);
  const Change* made = std::get_if<Change>(&enqueued);
  if (made == nullptr || made->after.state != State::queued) return std::nullopt;
  Decision granted = decide(made->after, GrantEvent{&claim}, rules, now);
  Change* change = std::get_if<Change>(&granted);
  if (change == nullptr || change->after.state != State::running) return std::nullopt;
  Start start{.version_before = made->after.version, .after = std::move(change->after), .line = {}};
  for (const Transition& move : change->transitions) append_transition(start.line, move);
  return start;
}

// So many more than twice what is wanted are looked at where lanes are merged.
constexpr std::int64_t candidates_more = 32;

// To look what so few claims hold costs nothing beside the transaction.
constexpr std::size_t few_claims = 16;

// What differs from claim to claim; empty columns where nothing does.
struct Differences {
  Column claims{Type::uuid}, nths{Type::integer}, workers{Type::bytes}, lines{Type::text};
  Column doubtful{Type::uuid};            // claims that may hold a job, but no first one
  std::optional<std::int64_t> bytes_max;  // of claims of several jobs
  std::int64_t jobs = 0;
};

Differences differences_of(const std::vector<const Claim*>& claims, const Rules& rules,
                           const Policy& usual, Instant now) {
  Differences all;
  const bool one_each = std::ranges::all_of(claims, [](auto* claim) { return claim->limit == 1; });
  const bool one_worker = std::ranges::all_of(
      claims, [&](auto* claim) { return claim->worker == claims.front()->worker; });
  for (const Claim* claim : claims) {
    std::optional<Start> start;
    if (!one_worker) start = start_of_plain(*claim, rules, usual, now);
    if (claim->limit > 1 || claims.size() <= few_claims) all.doubtful.add(claim->id);
    if (claim->limit > 1) {
      all.bytes_max = std::min(all.bytes_max.value_or(claim->bytes_max), claim->bytes_max);
    }
    for (int nth = 0; nth < claim->limit; ++nth) {
      all.claims.add(claim->id);
      if (!one_each) all.nths.add(nth);
      if (start) all.workers.add(claim->worker);
      if (start) all.lines.add(start->line);
      ++all.jobs;
    }
  }
  return all;
}

}  // namespace

bool OptimisticClaim::fits(const Claim& claim, const Config& config) {
  if (claim.queues.size() != 1 || claim.queued_for || claim.worker.empty()) return false;
  return !config.restrains(claim.ns, claim.queues.front());
}

bool OptimisticClaim::are_alike(const Claim& first, const Claim& other) {
  return other.limit > 0 && !other.worker.empty() && !other.queued_for && other.ns == first.ns &&
         other.queues == first.queues && other.types == first.types && other.node == first.node &&
         other.lease == first.lease;
}

std::optional<std::size_t> OptimisticClaim::enqueue_statement(Connection& connection,
                                                              const Rules& rules,
                                                              const Policy& usual, Instant now,
                                                              int slot,
                                                              const SingleStatement* single) {
  const auto start = start_of_plain(like(), rules, usual, now);
  if (!start) return std::nullopt;
  version_before_ = start->version_before;
  const Job& job = start->after;
  Differences each = differences_of(claims_, rules, usual, now);
  const std::int64_t jobs = each.jobs;
  Parameters parameters;
  parameters.add(like().ns).add(like().queues.front()).add(each.jobs);
  parameters.add(std::move(each.claims)).add(std::move(each.nths));
  parameters.add(std::move(each.workers)).add(std::move(each.lines));
  parameters.add(start->version_before).add(job.version).add(job.updated_at);
  parameters.add(job.worker).add(job.node).add(job.lease_expires_at);
  parameters.add(course_bytes(job)).add(Type::text, start->line).add(wakes_at(job, rules));
  parameters.add(slot).add(std::move(each.doubtful)).add(Type::integer, each.bytes_max);
  add_frame(parameters, single != nullptr ? *single : SingleStatement());
  auto types = like().types;
  if (types) types = distinct_types(std::move(*types));
  const std::string& queue = like().queues.front();
  if (types && types->size() == 1) {
    parameters.add(lane_of(like().ns, queue, types->front()));
  } else if (types) {
    parameters.add(lanes_of(like().ns, queue, *types)).add(2 * jobs + candidates_more);
  }
  return connection.enqueue_statement(statement(types, single != nullptr), std::move(parameters));
}

}  // namespace longshore::postgres
