#include "bench/hand_written.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

#include "bench/callers.h"
#include "bench/measure.h"
#include "core/ids/uuid.h"
#include "longshore/rules.h"
#include "store/sqlite/file/schema.h"
#include "store/sqlite/write/writer.h"

namespace longshore::bench {
namespace {

std::string marks(std::size_t count) {
  std::string text = "?";
  for (std::size_t i = 1; i < count; ++i) text += ", ?";
  return text;
}

// The columns that a claim changes.
std::vector<std::size_t> changed_columns(const Row& before, const Row& after) {
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < before.values.size(); ++i) {
    if (before.values[i] != after.values[i]) changed.push_back(i);
  }
  return changed;
}

template <class Good>
void expect(const Good& good) {
  if (!good) give_up("the reference cannot be set up: " + good.error().message);
}

}  // namespace

// A prepared statement. What is bound stays bound.
class HandWritten::Hand {
 public:
  Hand(sqlite3* database, const std::string& sql) {
    sqlite3_prepare_v3(database, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr);
    if (statement_ == nullptr) give_up("the reference cannot prepare " + sql);
  }
  ~Hand() { sqlite3_finalize(statement_); }
  Hand(const Hand&) = delete;
  Hand& operator=(const Hand&) = delete;

  void bind(int at, std::int64_t value) { sqlite3_bind_int64(statement_, at, value); }
  void bind(int at, const sqlite::IdBytes& id) {
    sqlite3_bind_blob(statement_, at, id.data(), static_cast<int>(id.size()), SQLITE_STATIC);
  }
  void bind(int at, const std::string& text) {
    sqlite3_bind_text(statement_, at, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }
  // For good: the value is copied.
  void bind_always(int at, const Value& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) bind(at, *integer);
    if (const auto* real = std::get_if<double>(&value)) sqlite3_bind_double(statement_, at, *real);
    if (const auto* text = std::get_if<std::string>(&value)) {
      sqlite3_bind_text(statement_, at, text->data(), static_cast<int>(text->size()),
                        SQLITE_TRANSIENT);
    }
    if (const auto* blob = std::get_if<Blob>(&value)) {
      sqlite3_bind_blob(statement_, at, blob->bytes.data(), static_cast<int>(blob->bytes.size()),
                        SQLITE_TRANSIENT);
    }
  }
  void run() {
    if (sqlite3_step(statement_) != SQLITE_DONE) give_up("the reference failed to write");
    sqlite3_reset(statement_);
  }

  void bind_all(const Row& row) {
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      bind_always(static_cast<int>(i) + 1, row.values[i]);
    }
  }
  // A row of live or done. Remembers where what varies belongs.
  void bind_row(const Row& row) {
    bind_all(row);
    number_ = place(row.names, "number");
    order_ = place(row.names, "ord");
    key_ = place(row.names, "idempotency_key");
    note_varying(row.names, row.values);
  }
  // Where times, the history and the claim belong among the named columns, if they are set at all.
  void note_varying(const std::vector<std::string>& names, const std::vector<Value>& values) {
    const auto set = [&](int at) {
      return at > 0 &&
             !std::holds_alternative<std::monostate>(values[static_cast<std::size_t>(at) - 1]);
    };
    for (const char* name : {"created_at", "run_at", "updated_at", "first_started_at", "started_at",
                             "completed_at", "lease_expires_at", "deadline_at"}) {
      if (const int at = place(names, name); set(at)) times_.push_back(at);
    }
    history_ = place(names, "history");
    if (const int at = place(names, "claim"); set(at)) claim_ = at;
  }
  void bind_varying(std::int64_t now, const std::string& history, const sqlite::IdBytes* claim) {
    for (const int at : times_) bind(at, now);
    if (history_ > 0) bind(history_, history);
    if (claim_ > 0 && claim != nullptr) bind(claim_, *claim);
  }
  void run_row(const Written& job) {
    bind(1, job.id);
    bind(number_, job.number);
    bind(order_, job.number);
    if (!job.key.empty()) bind(key_, job.key);
    run();
  }

  bool step() { return sqlite3_step(statement_) == SQLITE_ROW; }
  void reset() { sqlite3_reset(statement_); }
  std::string bytes(int column) {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
  }
  std::int64_t integer(int column) { return sqlite3_column_int64(statement_, column); }

 private:
  static int place(const std::vector<std::string>& names, const char* name) {
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? 0 : static_cast<int>(found - names.begin()) + 1;
  }

  sqlite3_stmt* statement_ = nullptr;
  int number_ = 0;
  int order_ = 0;
  int key_ = 0;
  int history_ = 0;
  int claim_ = 0;
  std::vector<int> times_;
};

HandWritten::HandWritten(const std::string& path, const Sample& sample, const Promises& promises)
    : promises_(promises) {
  auto opened = sqlite::Database::open(path, "", sqlite::Database::Access::write);
  expect(opened);
  database_ = std::move(*opened);
  expect(sqlite::configure_writer(*database_, path));
  expect(sqlite::migrate(*database_, path));
  expect(sqlite::agree_on_rules(*database_, Rules(), path));
  database_->execute(
      "INSERT INTO lane(ns, queue, type) VALUES ('default', 'default', 'work');"
      "INSERT INTO kind(ns, type) VALUES ('default', 'work')");
  if (promises.key) {
    database_->execute(
        "CREATE TABLE hand_key(space INTEGER, key TEXT, job BLOB NOT NULL, "
        "body_hash INTEGER NOT NULL, PRIMARY KEY (space, key)) WITHOUT ROWID;"
        "INSERT INTO keyspace(ns, platform) VALUES ('default', 0)");
  }
  prepare(sample);
  const auto grown = [](void* pages, sqlite3*, const char*, int count) {
    *static_cast<int*>(pages) = count;
    return SQLITE_OK;
  };
  sqlite3_wal_hook(database_->handle(), grown, &log_pages_);
}

void HandWritten::prepare(const Sample& sample) {
  const auto hand = [&](const std::string& sql) {
    return std::make_unique<Hand>(database_->handle(), sql);
  };
  const auto told = [&](Row row) {
    if (!promises_.history) row.values[row.column("history")] = std::string();
    return row;
  };
  insert_live_ = hand("INSERT INTO live VALUES (" + marks(sample.queued.values.size()) + ")");
  insert_live_->bind_row(told(sample.queued));
  insert_done_ = hand("INSERT INTO done VALUES (" + marks(sample.done.values.size()) + ")");
  insert_done_->bind_row(told(sample.done));
  insert_body_ = hand("INSERT INTO body VALUES (" + marks(sample.body.values.size()) + ")");
  insert_body_->bind_all(sample.body);
  prepare_claim(told(sample.queued), told(sample.running));
  prepare_move(told(sample.running), told(sample.done));
  find_ready_ = hand(
      "SELECT live.id, body.payload, live.number FROM live JOIN body ON body.id = live.id "
      "WHERE live.state = 2 AND live.lane = 1 ORDER BY live.priority, live.ord LIMIT ?");
  const auto text = [](const Row& row, const char* column) {
    return std::get<std::string>(row.values[row.column(column)]);
  };
  payload_ = text(sample.body, "payload");
  queued_history_ = text(told(sample.queued), "history");
  running_history_ = text(told(sample.running), "history");
  done_history_ = text(told(sample.done), "history");
  delete_live_ = hand("DELETE FROM live WHERE id = ?");
  if (promises_.key) insert_key_ = hand("INSERT INTO hand_key VALUES (1, ?, ?, 0)");
  update_store_ =
      hand("UPDATE store SET highest_at = ?1 + 1800000000000, number = ?1, order_back = ?1");
  update_lane_ = hand("UPDATE lane SET queued = ?, running = ?, success = ?");
}

void HandWritten::prepare_claim(const Row& queued, const Row& running) {
  const auto changed = changed_columns(queued, running);
  std::string set;
  std::vector<std::string> names;
  std::vector<Value> values;
  for (const std::size_t i : changed) {
    set += (set.empty() ? "" : ", ") + queued.names[i] + " = ?";
    names.push_back(queued.names[i]);
    values.push_back(running.values[i]);
  }
  update_live_ =
      std::make_unique<Hand>(database_->handle(), "UPDATE live SET " + set + " WHERE id = ?");
  for (std::size_t i = 0; i < changed.size(); ++i) {
    update_live_->bind_always(static_cast<int>(i) + 1, running.values[changed[i]]);
  }
  claim_id_ = static_cast<int>(changed.size()) + 1;
  update_live_->note_varying(names, values);
}

// What a job keeps is copied by SQLite itself; what its end changes is given.
void HandWritten::prepare_move(const Row& running, const Row& done) {
  std::string columns;
  std::vector<std::string> names;
  std::vector<Value> values;
  for (std::size_t i = 0; i < done.names.size(); ++i) {
    const bool kept = i < running.values.size() && running.values[i] == done.values[i];
    columns += (columns.empty() ? "" : ", ") + (kept ? done.names[i] : "?");
    if (kept) continue;
    names.push_back(done.names[i]);
    values.push_back(done.values[i]);
  }
  move_done_ =
      std::make_unique<Hand>(database_->handle(), "INSERT INTO done SELECT " + columns +
                                                      " FROM live WHERE id = ? AND claim = ?");
  for (std::size_t i = 0; i < values.size(); ++i) {
    move_done_->bind_always(static_cast<int>(i) + 1, values[i]);
  }
  move_done_->note_varying(names, values);
  move_id_ = static_cast<int>(values.size()) + 1;
}

HandWritten::~HandWritten() = default;

Took HandWritten::enqueue(std::int64_t jobs, std::int64_t batch) {
  const ThreadWatch watch;
  for (; jobs > 0; jobs -= batch) {
    begin_batch(std::min(jobs, batch));
    insert_batch();
  }
  return watch.took();
}

Took HandWritten::live_whole(std::int64_t jobs, std::int64_t batch) {
  const ThreadWatch watch;
  for (; jobs > 0; jobs -= batch) {
    begin_batch(std::min(jobs, batch));
    insert_batch();
    if (promises_.claim) claim_batch();
    finish_batch();
  }
  return watch.took();
}

void HandWritten::begin_batch(std::int64_t size) {
  batch_.clear();
  for (std::int64_t i = 0; i < size; ++i) {
    Written job{.id = {}, .number = ++number_, .key = {}};
    const JobId id = ids_.next(clock_.now());
    job.id = sqlite::to_bytes(id.high, id.low);
    if (promises_.key) job.key = fmt::format("{:016x}{:016x}", random_.next(), random_.next());
    if (!promises_.blind) job.payload = payload_;
    batch_.push_back(std::move(job));
  }
}

void HandWritten::insert_batch() {
  database_->execute("BEGIN IMMEDIATE");
  const std::int64_t now = clock_.now().count();
  for (const Written& job : batch_) {
    if (!promises_.blind) {
      insert_live_->bind_varying(now, queued_history_, nullptr);
      insert_body_->bind(2, job.payload);
    }
    insert_live_->run_row(job);
    insert_body_->bind(1, job.id);
    insert_body_->run();
    if (!promises_.key) continue;
    insert_key_->bind(1, job.key);
    insert_key_->bind(2, job.id);
    insert_key_->run();
  }
  queued_ += std::ssize(batch_);
  commit();
}

void HandWritten::claim_batch() {
  database_->execute("BEGIN IMMEDIATE");
  if (!promises_.blind) find_batch();
  const std::int64_t now = clock_.now().count();
  for (Written& job : batch_) {
    if (!promises_.blind) {
      job.claim = sqlite::to_bytes(random_.next(), random_.next());
      update_live_->bind_varying(now, running_history_, &job.claim);
    }
    update_live_->bind(claim_id_, job.id);
    update_live_->run();
  }
  queued_ -= std::ssize(batch_);
  running_ += std::ssize(batch_);
  commit();
}

// Who comes next, and what its worker has to know.
void HandWritten::find_batch() {
  const auto size = std::ssize(batch_);
  find_ready_->bind(1, size);
  batch_.clear();
  while (find_ready_->step()) {
    Written job{.id = {}, .number = find_ready_->integer(2), .key = {}, .payload = {}};
    const std::string id = find_ready_->bytes(0);
    std::ranges::copy(id, job.id.begin());
    job.payload = find_ready_->bytes(1);
    batch_.push_back(std::move(job));
  }
  find_ready_->reset();
  if (std::ssize(batch_) != size) give_up("the reference does not find what it has enqueued");
}

void HandWritten::finish_batch() {
  database_->execute("BEGIN IMMEDIATE");
  for (const Written& job : batch_) {
    if (!promises_.blind && promises_.claim) move(job);
    delete_live_->bind(1, job.id);
    delete_live_->run();
    if (promises_.blind || !promises_.claim) insert_done_->run_row(job);
  }
  (promises_.claim ? running_ : queued_) -= std::ssize(batch_);
  ended_ += std::ssize(batch_);
  commit();
}

void HandWritten::move(const Written& job) {
  move_done_->bind_varying(clock_.now().count(), done_history_, nullptr);
  move_done_->bind(move_id_, job.id);
  move_done_->bind(move_id_ + 1, job.claim);
  move_done_->run();
  if (sqlite3_changes(database_->handle()) != 1) give_up("the reference lost a claim");
}

void HandWritten::commit() {
  update_store_->bind(1, number_);
  update_store_->run();
  update_lane_->bind(1, queued_);
  update_lane_->bind(2, running_);
  update_lane_->bind(3, ended_);
  update_lane_->run();
  database_->execute("COMMIT");
  if (database_->failed()) give_up("the reference failed: " + database_->what());
  if (log_pages_ < log_pages_copied_) log_pages_copied_ = 0;
  if (log_pages_ - log_pages_copied_ < sqlite::WriterOptions().checkpoint_pages) return;
  sqlite3_wal_checkpoint_v2(database_->handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr,
                            &log_pages_copied_);
}

}  // namespace longshore::bench
