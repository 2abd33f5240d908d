#include "store/postgres/plan/bulk_write.h"

#include <utility>

#include "core/policy/rules_text.h"
#include "store/postgres/write/run_state.h"

namespace longshore::postgres {
namespace {

// The last part of a statement. If it is a batch's only one, the single is around it, with
// parameters from `first` on; `all` is a part that has a row for each job.
std::string end_with(const std::string& last, bool alone, int first, const std::string& all) {
  if (!alone) return " " + last;
  return ", written AS (" + last + "), " + counts_part(first + single_parameters, all) + ", " +
         commit_counter_part(first + 2, "true") + " SELECT proved FROM moment";
}
std::string begin_with(bool alone, int first) {
  return alone ? "WITH " + moment_part(first) + ", " : "WITH ";
}

// `alone`: with the batch's single behind its own parameters.
std::string bring_in_text(bool alone) {
  const std::string insert_ready =
      "INSERT INTO @ready SELECT $8, $10, $11::bigint::smallint, number + $16, id, $9 FROM sent";
  const std::string base =
      alone ? "nextval('@step')" : "CASE WHEN $20 THEN currval('@step') ELSE 0 END";
  return begin_with(alone, 23) + "numbers AS MATERIALIZED (SELECT " + base +
         " AS base), sent AS MATERIALIZED (SELECT id, step + base AS number, payload, "
         "url, secret FROM unnest($1::uuid[], $2::bigint[], $3::bytea[], $21::bytea[], "
         "$22::bytea[]) AS sent(id, step, payload, url, secret), numbers), "
         "bodies AS (INSERT INTO @body SELECT id, payload, $4, $5, $6, $7 FROM sent), "
         "jobs AS (INSERT INTO @live(id, ns, type, queue, priority, policy, number, created_at, "
         "body_bytes, state, version, ord, run_at, updated_at, history, callback_url, "
         "callback_secret) SELECT id, $8, $9, $10, $11::bigint::smallint, $12, number, $13, "
         "octet_length(payload) + $14, 2, $15, number + $16, $17, $18, $19, url, secret "
         "FROM sent)" +
         end_with(insert_ready, alone, 23, "sent");
}
const std::string bring_in_with_others_text = bring_in_text(false);
const std::string bring_in_alone_text = bring_in_text(true);

const std::string start_text =
    "WITH unready AS (DELETE FROM @ready WHERE ctid = ANY($1)), "
    "started AS (UPDATE @live AS job SET state = 3, version = $5, updated_at = $6, "
    "claim = new.claim, worker = $7, node = $8, lease_expires_at = $9, course = new.course, "
    "history = job.history || $10 FROM unnest($2::tid[], $3::uuid[], $4::bytea[], $12::bigint[]) "
    "AS new(place, claim, course, nth) WHERE job.ctid = new.place "
    "RETURNING job.id, job.ctid AS place, new.claim, new.nth, job.ns, job.queue, job.type), "
    "listed AS (INSERT INTO @held SELECT id, $11, claim, ns, queue, type, true, coalesce(nth, 0) "
    "FROM started) "
    "SELECT id, place, body.* FROM started, LATERAL (SELECT " +
    body_values() + " AS beside FROM @body AS body WHERE body.id = started.id OFFSET 0) AS body";

// A claim may hold other jobs too. What it holds is looked up by the list of claims; the question
// in brackets is asked of each row found, and is no way to look for rows; nor are the ids in the
// other brackets, by whose index a plan for an empty table went through all live jobs. A job that
// is not found as it was judged makes the statement take words for a number, and so the whole
// transaction fail.
std::string end_text(bool alone) {
  const std::string insert_done =
      "INSERT INTO @done(" + given_columns_of("") +
      ", ord, run_at, successor, error_code, error_message, error_details, checkpoint_bytes, "
      "course, history, result, state, version, updated_at, prune_after) "
      "SELECT ended.*, $6::bigint::smallint, $7, $8, $9 FROM ended "
      "WHERE (SELECT CASE WHEN count(*) = cardinality($1) THEN '1' "
      "ELSE 'a job is not what it was; Longshore starts over' END FROM ended)::int = 1";
  return begin_with(alone, 12) +
         "unheld AS (DELETE FROM @held WHERE claim = ANY($4) AND "
         "(job IN (SELECT unnest($5::uuid[]))) IS TRUE), "
         "ended AS (DELETE FROM @live AS job USING unnest($1::tid[], $2::bytea[], $3::bytea[], "
         "$4::uuid[], $5::uuid[]) AS new(place, course, result, claim, id) "
         "WHERE job.ctid = new.place AND (job.id = new.id AND job.claim = new.claim) IS TRUE "
         "AND job.version = $11 RETURNING " +
         given_columns_of("job") +
         ", job.ord, job.run_at, job.successor, job.error_code, job.error_message, "
         "job.error_details, job.checkpoint_bytes, new.course, job.history || $10 AS history, "
         "new.result)" +
         end_with(insert_done, alone, 12, "ended");
}
const std::string end_with_others_text = end_text(false);
const std::string end_alone_text = end_text(true);

void add_to(Parameters& parameters, const SingleStatement* single) {
  if (single == nullptr) return;
  add_frame(parameters, *single);
  add_counts(parameters, *single);
}

bool stays_plain(const Job& job) {
  return job.job_key.empty() && job.idempotency_key.empty() && !job.expires_at && !job.redrive_of &&
         job.content == job.id && !job.prune_after && !job.successor_id &&
         job.claim == RequestId{} && job.worker.empty() && !job.node && !job.lease_expires_at;
}

// Its row in live is where it was locked, and changes in nothing that a start or an end leaves
// alone.
bool is_placed(const Placement& from, const Entry& entry) {
  return from.home == Home::live && entry.place && !entry.whole_history && !entry.rewritten &&
         !entry.aside_changed && !entry.checkpoint_changed && !entry.body_changed &&
         from.timers == entry.stored.timers;
}

JobBody without_payload(const JobBody& body) {
  return {.payload = {},
          .tags = body.tags,
          .metadata = body.metadata,
          .request = body.request,
          .traceparent = body.traceparent};
}

}  // namespace

Arrivals::Arrivals(const Entry& first)
    : job_(first.job()),
      history_(first.head.history),
      body_(without_payload(*first.body)),
      other_bytes_(bytes_of(body_)) {}

bool Arrivals::fits(const Placement& from, const Entry& entry) {
  const Job& job = entry.job();
  return from.home == Home::none && job.state == State::queued && stays_plain(job) &&
         !entry.head.error && !entry.checkpoint_changed && entry.body_changed &&
         course_bytes(job).empty();
}

bool Arrivals::shares(const Entry& entry) const {
  const Job& job = entry.job();
  const JobBody& body = *entry.body;
  return job.order - job.number == job_.order - job_.number && job.created_at == job_.created_at &&
         job.run_at == job_.run_at && job.updated_at == job_.updated_at &&
         job.version == job_.version && job.priority == job_.priority && job.type == job_.type &&
         job.queue == job_.queue && job.ns == job_.ns && job.policy == job_.policy &&
         entry.head.history == history_ && body.tags == body_.tags &&
         body.metadata == body_.metadata && body.request == body_.request &&
         body.traceparent == body_.traceparent;
}

void Arrivals::add(const Placement&, const Entry& entry) {
  ids_.add(entry.job().id);
  numbers_.add(entry.job().number);
  payloads_.add(entry.body->payload);
  add_callback(entry.job().callback);
}

// Most batches have none, and send empty lists.
void Arrivals::add_callback(const std::optional<Callback>& callback) {
  if (!callback && urls_.empty()) return;
  while (urls_.size() + 1 < ids_.size()) {
    urls_.add_null();
    secrets_.add_null();
  }
  if (callback) {
    urls_.add(callback->url);
    secrets_.add(callback->secret_name);
  } else {
    urls_.add_null();
    secrets_.add_null();
  }
}

std::size_t Arrivals::enqueue_statement(Connection& connection, const BulkWriteOptions& terms) {
  static const Sql with_others = {bring_in_with_others_text.c_str()};
  static const Sql alone = {bring_in_alone_text.c_str()};
  std::optional<std::string> policy;
  if (job_.policy != terms.usual) policy = policy_text(job_.policy);
  Parameters parameters;
  parameters.add(std::move(ids_)).add(std::move(numbers_)).add(std::move(payloads_));
  parameters.add(list_text(body_.tags)).add(body_.metadata).add(body_.request);
  parameters.add(body_.traceparent).add(job_.ns).add(job_.type).add(job_.queue);
  parameters.add(job_.priority).add(Type::text, policy).add(job_.created_at).add(other_bytes_);
  parameters.add(job_.version).add(job_.order - job_.number).add(job_.run_at);
  parameters.add(job_.updated_at).add(Type::text, history_.text()).add(terms.from_sequence);
  parameters.add(std::move(urls_)).add(std::move(secrets_));
  add_to(parameters, terms.single);
  return connection.enqueue_statement(terms.single ? alone : with_others, std::move(parameters));
}

Starts::Starts(const Entry& first)
    : job_(first.job()), history_(first.head.history), wakes_at_(first.stored.held->wakes_at) {}

bool Starts::fits(const Placement& from, const Entry& entry) {
  return is_placed(from, entry) && entry.ready_place && from.ready && !from.held &&
         entry.job().state == State::running && entry.stored.held && !entry.stored.ready &&
         !entry.head.checkpoint_bytes;
}

bool Starts::shares(const Entry& entry) const {
  const Job& job = entry.job();
  return job.version == job_.version && job.updated_at == job_.updated_at &&
         job.lease_expires_at == job_.lease_expires_at &&
         entry.stored.held->wakes_at == wakes_at_ && job.worker == job_.worker &&
         job.node == job_.node && entry.head.history == history_;
}

void Starts::add(const Placement&, const Entry& entry) {
  places_.add(*entry.place);
  ready_places_.add(*entry.ready_place);
  claims_.add(entry.job().claim);
  run_states_.add(course_bytes(entry.job()));
  nths_.add(entry.nth);
  all_first_ = all_first_ && entry.nth == 0;
}

std::size_t Starts::enqueue_statement(Connection& connection, const BulkWriteOptions&) {
  static const Sql start = {start_text.c_str()};
  std::optional<std::string> worker;
  if (!job_.worker.empty()) worker = job_.worker;
  Parameters parameters;
  parameters.add(std::move(ready_places_)).add(std::move(places_)).add(std::move(claims_));
  parameters.add(std::move(run_states_)).add(job_.version).add(job_.updated_at);
  parameters.add(Type::bytes, worker).add(job_.node).add(job_.lease_expires_at);
  parameters.add(Type::text, history_.text()).add(wakes_at_);
  parameters.add(all_first_ ? Column(Type::integer) : std::move(nths_));
  return connection.enqueue_statement(start, std::move(parameters));
}

Endings::Endings(const Entry& first)
    : job_(first.job()), version_before_(first.stored_version), history_(first.head.history) {}

bool Endings::fits(const Placement& from, const Entry& entry) {
  const Job& job = entry.job();
  return is_placed(from, entry) && from.held && entry.stored.home == Home::done && !from.ready &&
         job.claim == RequestId{} && job.worker.empty() && !job.node && !job.lease_expires_at;
}

bool Endings::shares(const Entry& entry) const {
  const Job& job = entry.job();
  return job.state == job_.state && job.version == job_.version &&
         entry.stored_version == version_before_ && job.updated_at == job_.updated_at &&
         job.prune_after == job_.prune_after && entry.head.history == history_;
}

void Endings::add(const Placement& from, const Entry& entry) {
  places_.add(*entry.place);
  run_states_.add(course_bytes(entry.job()));
  results_.add(entry.result);
  ids_.add(entry.job().id);
  claims_.add(from.held->claim);
}

std::size_t Endings::enqueue_statement(Connection& connection, const BulkWriteOptions& terms) {
  static const Sql with_others = {end_with_others_text.c_str()};
  static const Sql alone = {end_alone_text.c_str()};
  Parameters parameters;
  parameters.add(std::move(places_)).add(std::move(run_states_)).add(std::move(results_));
  parameters.add(std::move(claims_)).add(std::move(ids_)).add(static_cast<int>(job_.state));
  parameters.add(job_.version).add(job_.updated_at).add(job_.prune_after);
  parameters.add(Type::text, history_.text()).add(version_before_);
  add_to(parameters, terms.single);
  return connection.enqueue_statement(terms.single ? alone : with_others, std::move(parameters));
}

}  // namespace longshore::postgres
