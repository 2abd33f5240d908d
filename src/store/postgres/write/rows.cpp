#include "store/postgres/write/rows.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/policy/rules_text.h"
#include "core/record/history_text.h"
#include "store/postgres/write/run_state.h"

namespace longshore::postgres {
namespace {

struct ColumnName {
  const char* name;
  Type type;
  // Most rows have it; few have; all rows of queued jobs of one queue have the same; all rows of
  // jobs that have never run.
  enum class Where { most, few, queue, unrun } where = Where::most;
};
constexpr Type number = Type::integer;
constexpr auto few = ColumnName::Where::few;
constexpr auto queue = ColumnName::Where::queue;
constexpr auto unrun = ColumnName::Where::unrun;

// Given at enqueue; a replace or a reopening writes them anew.
constexpr std::array given_columns = {
    ColumnName{"id", Type::uuid},
    ColumnName{"ns", Type::bytes, queue},
    ColumnName{"type", Type::bytes},
    ColumnName{"queue", Type::bytes, queue},
    ColumnName{"priority", Type::small},
    ColumnName{"job_key", Type::bytes, few},
    ColumnName{"idempotency_key", Type::bytes, few},
    ColumnName{"policy", Type::text, few},
    ColumnName{"expires_at", number, few},
    ColumnName{"callback_url", Type::bytes, few},
    ColumnName{"callback_secret", Type::bytes, few},
    ColumnName{"redrive_of", Type::uuid, few},
    ColumnName{"content", Type::uuid, few},
    ColumnName{"number", number},
    ColumnName{"created_at", number},
    ColumnName{"body_bytes", number},
};
// These change as the job lives.
constexpr std::array living_columns = {
    ColumnName{"state", Type::small, queue},
    ColumnName{"version", number, unrun},
    ColumnName{"ord", number},
    ColumnName{"run_at", number},
    ColumnName{"updated_at", number, unrun},
    ColumnName{"prune_after", number, few},
    ColumnName{"successor", Type::uuid, few},
    ColumnName{"claim", Type::uuid, queue},
    ColumnName{"worker", Type::bytes, queue},
    ColumnName{"node", Type::uuid, few},
    ColumnName{"lease_expires_at", number, queue},
    ColumnName{"error_code", Type::bytes, few},
    ColumnName{"error_message", Type::bytes, few},
    ColumnName{"error_details", Type::bytes, few},
    ColumnName{"checkpoint_bytes", number, few},
    ColumnName{"course", Type::bytes, unrun},
    ColumnName{"history", Type::text},
};

// Of rows of each extent.
constexpr auto whole_types = [] {
  std::array<Type, given_columns.size() + living_columns.size()> types;
  auto* end = types.begin();
  for (const ColumnName& column : given_columns) *end++ = column.type;
  for (const ColumnName& column : living_columns) *end++ = column.type;
  return types;
}();
constexpr auto living_types = [] {
  std::array<Type, 1 + living_columns.size()> types;
  auto* end = types.begin();
  *end++ = Type::uuid;
  for (const ColumnName& column : living_columns) *end++ = column.type;
  return types;
}();

constexpr std::string_view appended_to = "history";

enum class History { appended, whole };
enum class Jobs { any, queued, plain };

// Whether nothing need be said of it in the rows of such jobs.
bool follows(const ColumnName& column, Jobs jobs) {
  if (jobs == Jobs::any) return false;
  return column.where == queue || column.name == appended_to ||
         (jobs == Jobs::plain && column.where == unrun);
}

// "state = new.state, version = new.version"
std::string living_changes(History history) {
  std::string changes;
  for (const ColumnName& column : living_columns) {
    const std::string name = column.name;
    const bool appends = history == History::appended && name == appended_to;
    changes += (changes.empty() ? "" : ", ") + name + " = ";
    changes += (appends ? "job." + name + " || new." : "new.") + name;
  }
  return changes;
}

// "id, state, version", as HeadRows of the living extent have them.
std::string living_names() {
  std::string names = "id";
  for (const ColumnName& column : living_columns) names += std::string(", ") + column.name;
  return names;
}

template <class Use>
void each_column(const Use& use) {
  for (const ColumnName& column : given_columns) use(column);
  for (const ColumnName& column : living_columns) use(column);
}

std::string values_of(const std::string& table, History history, Jobs jobs = Jobs::any) {
  const std::string prefix = table.empty() ? "" : table + ".";
  std::string usual, seldom;
  each_column([&](const ColumnName& column) {
    std::string& list = column.where == few ? seldom : usual;
    const bool left_out = history == History::appended && column.name == appended_to;
    if (follows(column, jobs)) return;
    list += (list.empty() ? "" : ", ") + (left_out ? "NULL" : prefix + column.name);
  });
  return usual + ", CASE WHEN num_nonnulls(" + seldom + ") > 0 THEN ROW(" + seldom + ") END";
}

void read_usual(RowSet& row, Head& head, Jobs jobs) {
  Job& job = head.job;
  const bool any = jobs == Jobs::any;
  if (any) job.ns = row.bytes();
  job.type = row.bytes();
  if (any) job.queue = row.bytes();
  job.priority = row.small();
  job.number = row.integer();
  job.created_at = row.instant();
  head.body_bytes = row.integer();
  job.state = any ? static_cast<State>(row.small()) : State::queued;
  if (jobs != Jobs::plain) job.version = row.integer();
  job.order = row.integer();
  job.run_at = row.instant();
  job.updated_at = jobs == Jobs::plain ? job.created_at : row.instant();
  if (any) job.claim = row.id<RequestId>();
  if (any) job.worker = row.bytes();
  if (any) job.lease_expires_at = row.optional_instant();
  read_course(jobs == Jobs::plain ? "" : row.bytes(), job);
  if (any) head.history = Lines(row.text());
}

void read_seldom(RowSet& row, Head& head, const Policy& usual) {
  Job& job = head.job;
  job.job_key = row.bytes();
  job.idempotency_key = row.bytes();
  const std::string_view policy = row.bytes();
  job.policy = policy.empty() ? usual : parse_policy(policy).value_or(usual);
  job.expires_at = row.optional_instant();
  const bool has_callback = !row.is_null();
  Callback callback{.url = row.text(), .secret_name = row.text()};
  if (has_callback) job.callback = std::move(callback);
  job.redrive_of = row.optional_id<JobId>();
  job.content = row.optional_id<JobId>().value_or(job.id);
  job.prune_after = row.optional_instant();
  job.successor_id = row.optional_id<JobId>();
  job.node = row.optional_id<NodeId>();
  const bool has_error = !row.is_null();
  JobError error{.code = row.text(), .message = row.text(), .details = row.text()};
  if (has_error) head.error = std::move(error);
  if (!row.is_null()) head.checkpoint_bytes = row.integer();
}

void read_behind_id(RowSet& row, const Policy& usual, Head& head, Jobs jobs) {
  read_usual(row, head, jobs);
  if (row.enter()) {
    read_seldom(row, head, usual);
    row.leave();
  } else {
    head.job.policy = usual;
    head.job.content = head.job.id;
  }
}

}  // namespace

HeadRows::HeadRows(Extent extent, const Policy& usual)
    : extent_(extent),
      usual_(usual),
      records_(extent == Extent::whole ? Records("job_row", whole_types)
                                       : Records("living_row", living_types)) {}

void HeadRows::add(const Head& head) {
  if (extent_ == Extent::whole) {
    add_given(head);
  } else {
    records_.add(head.job.id);
  }
  add_living(head);
}

void HeadRows::add_given(const Head& head) {
  const Job& job = head.job;
  records_.add(job.id).add(job.ns).add(job.type).add(job.queue).add(job.priority);
  records_.add_unless_empty(job.job_key).add_unless_empty(job.idempotency_key);
  records_.add_unless_empty(job.policy == usual_ ? "" : policy_text(job.policy));
  records_.add(job.expires_at);
  if (job.callback) {
    records_.add(job.callback->url).add(job.callback->secret_name);
  } else {
    records_.add_null().add_null();
  }
  records_.add(job.redrive_of);
  records_.add(job.content == job.id ? std::nullopt : std::optional(job.content));
  records_.add(job.number).add(job.created_at).add(head.body_bytes);
}

void HeadRows::add_living(const Head& head) {
  const Job& job = head.job;
  records_.add(static_cast<int>(job.state)).add(job.version).add(job.order).add(job.run_at);
  records_.add(job.updated_at).add(job.prune_after).add(job.successor_id);
  records_.add(job.claim == RequestId{} ? std::nullopt : std::optional(job.claim));
  records_.add_unless_empty(job.worker).add(job.node).add(job.lease_expires_at);
  if (head.error) {
    records_.add(head.error->code).add(head.error->message).add(head.error->details);
  } else {
    records_.add_null().add_null().add_null();
  }
  records_.add(head.checkpoint_bytes).add_unless_empty(course_bytes(job)).add(head.history.text());
}

Parameters HeadRows::take() {
  Parameters parameters;
  parameters.add(records_);
  return parameters;
}

std::string given_columns_of(const std::string& table) {
  const std::string prefix = table.empty() ? "" : table + ".";
  std::string text;
  for (const ColumnName& column : given_columns) {
    text += (text.empty() ? "" : ", ") + prefix + column.name;
  }
  return text;
}

const std::string& head_columns() {
  static const std::string text = [] {
    std::string names;
    each_column([&](const ColumnName& column) {
      names += (names.empty() ? "" : ", ") + std::string(column.name);
    });
    return names;
  }();
  return text;
}

std::string head_values(const std::string& table) { return values_of(table, History::whole); }

std::string head_values_but_history() { return values_of("", History::appended); }

std::string queued_values() { return values_of("", History::appended, Jobs::queued); }

std::string plain_values(const std::string& table) {
  return values_of(table, History::appended, Jobs::plain) + " AS seldom";
}

std::string plain_names() {
  std::string names;
  each_column([&](const ColumnName& column) {
    const bool told = column.where != few && !follows(column, Jobs::plain);
    if (told) names += std::string(column.name) + ", ";
  });
  return names + "seldom";
}

std::string insert_heads(const std::string& table) {
  return "INSERT INTO " + table + "(" + head_columns() + ") SELECT * FROM unnest($1::@job_row[])";
}

std::string update_live() {
  return "UPDATE @live AS job SET " + living_changes(History::appended) +
         " FROM unnest($1::@living_row[]) AS new WHERE job.id = new.id";
}

std::string update_live_in_place() {
  return "UPDATE @live AS job SET " + living_changes(History::appended) +
         " FROM unnest($1::@living_row[], $2::tid[]) AS new(" + living_names() +
         ", place) WHERE job.ctid = new.place";
}

std::string update_done() {
  return "UPDATE @done AS job SET " + living_changes(History::whole) +
         " FROM unnest($1::@living_row[]) AS new WHERE job.id = new.id";
}

std::string move_to_done() {
  std::string values = given_columns_of("job");
  for (const ColumnName& column : living_columns) {
    if (column.name == appended_to) values += ", job.history || new.history";
    if (column.name != appended_to) values += std::string(", new.") + column.name;
  }
  return "WITH ended AS (DELETE FROM @live AS job USING unnest($1::@living_row[], $2::bytea[]) AS "
         "new(" +
         living_names() + ", result) WHERE job.id = new.id RETURNING " + values +
         ", new.result) INSERT INTO @done(" + head_columns() + ", result) SELECT * FROM ended";
}

Head read_head(RowSet& row, const Policy& usual) {
  Head head;
  head.job.id = row.id<JobId>();
  read_behind_id(row, usual, head, Jobs::any);
  return head;
}

void read_queued(RowSet& row, const Policy& usual, Head& head) {
  read_behind_id(row, usual, head, Jobs::queued);
}

void read_plain(RowSet& row, const Policy& usual, std::int64_t version, Head& head) {
  head.job.version = version;
  read_behind_id(row, usual, head, Jobs::plain);
}

std::string body_values() {
  return "payload, CASE WHEN (tags, metadata, request, traceparent) <> ('', '', '', '') "
         "THEN ROW(tags, metadata, request, traceparent) END";
}

JobBody read_body(RowSet& row) {
  JobBody body{.payload = row.text(), .tags = {}, .metadata = {}, .request = {}, .traceparent = {}};
  if (!row.enter()) return body;
  body.tags = parse_list(row.bytes());
  body.metadata = row.bytes();
  body.request = row.bytes();
  body.traceparent = row.bytes();
  row.leave();
  return body;
}

std::int64_t bytes_of(const JobBody& body) {
  return static_cast<std::int64_t>(body.payload.size() + body.metadata.size() +
                                   body.request.size());
}

std::string list_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += " " + encode_field(name);
  return text.empty() ? text : text + " ";
}

std::vector<std::string> parse_list(std::string_view text) {
  std::vector<std::string> names;
  while (text.size() > 1) {
    text.remove_prefix(1);
    const std::size_t end = std::min(text.find(' '), text.size());
    names.push_back(decode_field(text.substr(0, end)).value_or(""));
    text.remove_prefix(end);
  }
  return names;
}

}  // namespace longshore::postgres
