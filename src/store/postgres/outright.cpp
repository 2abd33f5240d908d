#include "store/postgres/outright.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/enqueue.h"
#include "core/history_text.h"
#include "core/lifecycle.h"
#include "store/postgres/course.h"
#include "store/postgres/rows.h"

namespace longshore::postgres {
namespace {

// Jobs and claims are paired in their orders; what all claims share is sent once. A row of live
// that anybody has locked has an xmax: its holder may be waiting for the row in ready, and must not
// be waited for. Of claims that there was no job for, and of those whose first job may have ended
// before another, the first row in held does not tell whether they were here before.
// A batch that is this statement has its frame from $20 on.
std::string serve_text(const std::string& types, bool alone) {
  const std::string proved = alone ? "(SELECT proved FROM moment)::text" : "'1'";
  const std::string witness = ", " + witness_part(22, "EXISTS (SELECT FROM started)");
  return "WITH " + (alone ? moment_part(20) + ", " : "") +
         "next AS MATERIALIZED (SELECT job, ctid AS place FROM @ready WHERE ns = $1 AND "
         "queue = $2" +
         types +
         " ORDER BY priority, ord LIMIT $3 FOR UPDATE SKIP LOCKED), "
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
         "NOT EXISTS (SELECT FROM @held WHERE claim = ANY($18::uuid[] || ($4)[jobs + 1:])) "
         "THEN " +
         proved +
         " ELSE 'not all are plain; Longshore starts over' END)::bigint AS proved "
         "FROM (SELECT count(*)::int AS jobs FROM next) AS next)" +
         (alone ? witness : "") +
         " "
         "SELECT proved, now_at, " +
         plain_names() +
         ", payload, beside FROM proof LEFT JOIN "
         "(SELECT started.*, body.* FROM started, LATERAL (SELECT " +
         body_values() +
         " AS beside FROM @body AS body WHERE body.id = started.id OFFSET 0) AS body) "
         "AS served ON true";
}
const std::string any_type_text = serve_text("", false);
const std::string any_type_alone_text = serve_text("", true);
const std::string some_types_text = serve_text(" AND type = ANY($25)", false);
const std::string some_types_alone_text = serve_text(" AND type = ANY($25)", true);

const Sql& statement(bool any_type, bool alone) {
  static const Sql any_with_others = {any_type_text.c_str()};
  static const Sql any_alone = {any_type_alone_text.c_str()};
  static const Sql some_with_others = {some_types_text.c_str()};
  static const Sql some_alone = {some_types_alone_text.c_str()};
  if (any_type) return alone ? any_alone : any_with_others;
  return alone ? some_alone : some_with_others;
}

// What a claim makes of a plain job.
struct Start {
  std::int64_t version_before = 0;
  Job after;
  std::string line;  // of its history
};

std::optional<Start> start_of_plain(const Claim& claim, const Rules& rules, Instant now) {
  NewJob plain;
  plain.policy = rules.policy;
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
                           Instant now) {
  Differences all;
  const bool one_each = std::ranges::all_of(claims, [](auto* claim) { return claim->limit == 1; });
  const bool one_worker = std::ranges::all_of(
      claims, [&](auto* claim) { return claim->worker == claims.front()->worker; });
  for (const Claim* claim : claims) {
    std::optional<Start> start;
    if (!one_worker) start = start_of_plain(*claim, rules, now);
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

bool Outright::fits(const Claim& claim, const Config& config) {
  if (claim.queues.size() != 1 || claim.queued_for || claim.worker.empty()) return false;
  const std::string& queue = claim.queues.front();
  const QueueRule* rule = config.queue(claim.ns, queue);
  if (rule != nullptr && rule->max_running) return false;
  return !config.limits_types(claim.ns) && !config.pauses.contains({claim.ns, queue});
}

bool Outright::are_alike(const Claim& first, const Claim& other) {
  return other.limit > 0 && !other.worker.empty() && !other.queued_for && other.ns == first.ns &&
         other.queues == first.queues && other.types == first.types && other.node == first.node &&
         other.lease == first.lease;
}

std::optional<std::size_t> Outright::line_up(Connection& connection, const Rules& rules,
                                             Instant now, int slot, const Frame* frame) {
  const auto start = start_of_plain(like(), rules, now);
  if (!start) return std::nullopt;
  version_before_ = start->version_before;
  const Job& job = start->after;
  Differences each = differences_of(claims_, rules, now);
  Parameters parameters;
  parameters.add(like().ns).add(like().queues.front()).add(each.jobs);
  parameters.add(std::move(each.claims)).add(std::move(each.nths));
  parameters.add(std::move(each.workers)).add(std::move(each.lines));
  parameters.add(start->version_before).add(job.version).add(job.updated_at);
  parameters.add(job.worker).add(job.node).add(job.lease_expires_at);
  parameters.add(course_bytes(job)).add(Type::text, start->line).add(wakes_at(job, rules));
  parameters.add(slot).add(std::move(each.doubtful)).add(Type::integer, each.bytes_max);
  add_frame(parameters, frame != nullptr ? *frame : Frame());
  if (like().types) {
    Column types(Type::bytes);
    for (const std::string& type : *like().types) types.add(type);
    parameters.add(std::move(types));
  }
  return connection.line_up(statement(!like().types, frame != nullptr), std::move(parameters));
}

}  // namespace longshore::postgres
