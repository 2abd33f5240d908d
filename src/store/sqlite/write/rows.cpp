#include "store/sqlite/write/rows.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/policy/rules_text.h"
#include "core/record/history_text.h"

namespace longshore::sqlite {
namespace {

constexpr std::int64_t cancel_requested_flag = 1;
constexpr std::int64_t withdrawn_flag = 2;
constexpr std::int64_t checkpoint_flag = 4;

// Given at enqueue; a replace or a reopening writes them anew.
constexpr std::array given_columns = {
    "id",         "lane",    "kind",       "job_key",      "idempotency_key",
    "priority",   "policy",  "expires_at", "callback_url", "callback_secret",
    "redrive_of", "content", "number",     "created_at"};
// These change as the job lives.
constexpr std::array living_columns = {"state",
                                       "version",
                                       "history_count",
                                       "ord",
                                       "run_at",
                                       "updated_at",
                                       "first_started_at",
                                       "started_at",
                                       "completed_at",
                                       "prune_after",
                                       "execution",
                                       "flags",
                                       "progress",
                                       "successor",
                                       "attempt",
                                       "failures",
                                       "crashes",
                                       "retry_count",
                                       "epoch",
                                       "claim",
                                       "worker",
                                       "node",
                                       "lease",
                                       "lease_expires_at",
                                       "deadline_at",
                                       "heartbeat_due_at",
                                       "settled",
                                       "error_code",
                                       "error_message",
                                       "error_details",
                                       "history"};

std::string all_columns(const std::string& prefix) {
  std::string text;
  for (const char* column : given_columns) text += (text.empty() ? "" : ", ") + prefix + column;
  for (const char* column : living_columns) text += ", " + prefix + column;
  return text;
}

// A settlement in 34 bytes: epoch, claim, kind, outcome, status.
using SettledBytes = std::array<char, 34>;

SettledBytes settled_bytes(const Settlement& settled) {
  SettledBytes bytes;
  const IdBytes numbers = to_bytes(static_cast<std::uint64_t>(settled.by.epoch), settled.outcome);
  const IdBytes claim = to_bytes(settled.by.claim.high, settled.by.claim.low);
  std::copy(numbers.begin(), numbers.end(), bytes.begin());
  std::copy(claim.begin(), claim.end(), bytes.begin() + 16);
  bytes[32] = static_cast<char>(settled.kind);
  bytes[33] = static_cast<char>(settled.status);
  return bytes;
}

std::optional<Settlement> parse_settled(std::string_view bytes) {
  if (bytes.size() != sizeof(SettledBytes)) return std::nullopt;
  const auto [epoch, outcome] = from_bytes(bytes.data());
  const auto [high, low] = from_bytes(bytes.data() + 16);
  return Settlement{.by = {.epoch = static_cast<std::int64_t>(epoch), .claim = {high, low}},
                    .kind = static_cast<Settlement::Kind>(bytes[32]),
                    .outcome = outcome,
                    .status = static_cast<Status>(bytes[33])};
}

template <class AnyId>
void bind_unless_zero(Statement& statement, const AnyId& id) {
  if (id == AnyId{}) {
    statement.bind_null();
  } else {
    statement.bind(id);
  }
}

// `settled` is where the bytes live until the statement has run.
void bind_living(Statement& statement, const Head& head, SettledBytes& settled) {
  const Job& job = head.job;
  statement.bind(static_cast<int>(job.state));
  statement.bind(job.version);
  statement.bind(job.history_count);
  statement.bind(job.order);
  statement.bind(job.run_at);
  statement.bind(job.updated_at);
  statement.bind(job.first_started_at);
  statement.bind(job.started_at);
  statement.bind(job.completed_at);
  statement.bind(job.prune_after);
  statement.bind(job.execution);
  statement.bind((job.cancel_requested ? cancel_requested_flag : 0) |
                 (job.withdrawn ? withdrawn_flag : 0) |
                 (head.has_checkpoint ? checkpoint_flag : 0));
  statement.bind(job.progress);
  statement.bind(job.successor_id);
  statement.bind(job.attempt);
  statement.bind(job.failures);
  statement.bind(job.crashes);
  statement.bind(job.retry_count);
  statement.bind(job.epoch);
  bind_unless_zero(statement, job.claim);
  statement.bind_unless_empty(job.worker);
  statement.bind(job.node);
  statement.bind(job.lease);
  statement.bind(job.lease_expires_at);
  statement.bind(job.deadline_at);
  statement.bind(job.heartbeat_due_at);
  if (job.settled) {
    settled = settled_bytes(*job.settled);
    statement.bind_blob({settled.data(), settled.size()});
  } else {
    statement.bind_null();
  }
  if (head.error) {
    statement.bind(head.error->code);
    statement.bind(head.error->message);
    statement.bind(head.error->details);
  } else {
    statement.bind_null();
    statement.bind_null();
    statement.bind_null();
  }
  statement.bind(head.history);
}

void bind_given(Statement& statement, const Job& job, const Names& names, std::string_view policy) {
  statement.bind(job.id);
  statement.bind(names.queue_type);
  statement.bind(names.kind);
  statement.bind_unless_empty(job.job_key);
  statement.bind_unless_empty(job.idempotency_key);
  statement.bind(job.priority);
  statement.bind_unless_empty(policy);
  statement.bind(job.expires_at);
  if (job.callback) {
    statement.bind(job.callback->url);
    statement.bind(job.callback->secret_name);
  } else {
    statement.bind_null();
    statement.bind_null();
  }
  statement.bind(job.redrive_of);
  bind_unless_zero(statement, job.content == job.id ? JobId{} : job.content);
  statement.bind(job.number);
  statement.bind(job.created_at);
}

void read_given(Statement& row, Job& job, const Policy& usual) {
  job.id = row.id<JobId>();
  row.skip();
  row.skip();
  job.job_key = row.text();
  job.idempotency_key = row.text();
  job.priority = row.small();
  const std::string_view policy = row.bytes();
  job.policy = policy.empty() ? usual : parse_policy(policy).value_or(usual);
  job.expires_at = row.optional_instant();
  const bool has_callback = !row.is_null();
  Callback callback{.url = row.text(), .secret_name = row.text()};
  if (has_callback) job.callback = std::move(callback);
  job.redrive_of = row.optional_id<JobId>();
  job.content = row.is_null() ? (row.skip(), job.id) : row.id<JobId>();
  job.number = row.integer();
  job.created_at = row.instant();
}

void read_error(Statement& row, Head& head) {
  const bool has_error = !row.is_null();
  JobError error{.code = row.text(), .message = row.text(), .details = row.text()};
  if (has_error) head.error = std::move(error);
}

void read_living(Statement& row, Head& head) {
  Job& job = head.job;
  job.state = static_cast<State>(row.small());
  job.version = row.integer();
  job.history_count = row.integer();
  job.order = row.integer();
  job.run_at = row.instant();
  job.updated_at = row.instant();
  job.first_started_at = row.optional_instant();
  job.started_at = row.optional_instant();
  job.completed_at = row.optional_instant();
  job.prune_after = row.optional_instant();
  job.execution = row.duration();
  const std::int64_t flags = row.integer();
  job.cancel_requested = (flags & cancel_requested_flag) != 0;
  job.withdrawn = (flags & withdrawn_flag) != 0;
  head.has_checkpoint = (flags & checkpoint_flag) != 0;
  if (!row.is_null()) {
    job.progress = row.real();
  } else {
    row.skip();
  }
  job.successor_id = row.optional_id<JobId>();
  job.attempt = row.small();
  job.failures = row.small();
  job.crashes = row.small();
  job.retry_count = row.small();
  job.epoch = row.integer();
  job.claim = row.id<RequestId>();
  job.worker = row.text();
  job.node = row.optional_id<NodeId>();
  job.lease = row.duration();
  job.lease_expires_at = row.optional_instant();
  job.deadline_at = row.optional_instant();
  job.heartbeat_due_at = row.optional_instant();
  job.settled = parse_settled(row.bytes());
  read_error(row, head);
  head.history = row.text();
}

}  // namespace

void NewRow::bind_to(Statement& statement) {
  bind_given(statement, head->job, names, policy);
  bind_living(statement, *head, settled);
  if (result != nullptr) statement.bind(*result);
}

void NewBody::bind_to(Statement& statement) {
  tags = list_text(body->tags);
  statement.bind(id);
  statement.bind(body->payload);
  statement.bind_unless_empty(tags);
  statement.bind_unless_empty(body->metadata);
  statement.bind_unless_empty(body->request);
  statement.bind_unless_empty(body->traceparent);
}

NewRow Rows::fresh(const Head& head, const Names& names,
                   const std::optional<std::string>* result) const {
  NewRow row{.head = &head, .names = names, .result = result};
  if (head.job.policy != usual_) row.policy = policy_text(head.job.policy);
  return row;
}

void Rows::update(Statement& statement, const Head& head) {
  SettledBytes settled;
  statement.begin();
  bind_living(statement, head, settled);
  statement.bind(head.job.id);
  statement.finish();
}

Head Rows::read(Statement& row) const {
  Head head;
  head.job.ns = row.text();
  head.job.queue = row.text();
  head.job.type = row.text();
  read_given(row, head.job, usual_);
  read_living(row, head);
  return head;
}

std::vector<std::string> head_columns() {
  std::vector<std::string> columns(given_columns.begin(), given_columns.end());
  columns.insert(columns.end(), living_columns.begin(), living_columns.end());
  return columns;
}

std::string update_row(const std::string& table) {
  std::string text;
  for (const char* column : living_columns) {
    text += (text.empty() ? "" : ", ") + std::string(column) + " = ?";
  }
  return "UPDATE " + table + " SET " + text + " WHERE id = ?";
}

std::string select_head(const std::string& table, const std::string& more) {
  return "SELECT lane.ns, lane.queue, lane.type, " + all_columns("job.") +
         (more.empty() ? "" : ", " + more) + " FROM " + table +
         " AS job JOIN lane ON lane.id = job.lane ";
}

JobBody read_body(Statement& row) {
  JobBody body;
  body.payload = row.text();
  body.tags = parse_list(row.bytes());
  body.metadata = row.text();
  body.request = row.text();
  body.traceparent = row.text();
  return body;
}

std::string list_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + encode_field(name);
  return text;
}

std::vector<std::string> parse_list(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    names.push_back(decode_field(text.substr(0, end)).value_or(""));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

}  // namespace longshore::sqlite
