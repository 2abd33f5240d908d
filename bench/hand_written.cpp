#include "bench/hand_written.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

#include "bench/callers.h"
#include "bench/measure.h"
#include "core/uuid.h"
#include "longshore/rules.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/writer.h"

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
    number_ = static_cast<int>(row.column("number")) + 1;
    order_ = static_cast<int>(row.column("ord")) + 1;
    key_ = static_cast<int>(row.column("idempotency_key")) + 1;
  }
  void run_row(const Written& job) {
    bind(1, job.id);
    bind(number_, job.number);
    bind(order_, job.number);
    if (!job.key.empty()) bind(key_, job.key);
    run();
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
  int number_ = 0;
  int order_ = 0;
  int key_ = 0;
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
  delete_live_ = hand("DELETE FROM live WHERE id = ?");
  if (promises_.key) insert_key_ = hand("INSERT INTO hand_key VALUES (1, ?, ?, 0)");
  update_store_ =
      hand("UPDATE store SET highest_at = ?1 + 1800000000000, number = ?1, order_back = ?1");
  update_lane_ = hand("UPDATE lane SET queued = ?, running = ?, success = ?");
}

void HandWritten::prepare_claim(const Row& queued, const Row& running) {
  const auto changed = changed_columns(queued, running);
  std::string set;
  for (const std::size_t i : changed) set += (set.empty() ? "" : ", ") + queued.names[i] + " = ?";
  update_live_ =
      std::make_unique<Hand>(database_->handle(), "UPDATE live SET " + set + " WHERE id = ?");
  for (std::size_t i = 0; i < changed.size(); ++i) {
    update_live_->bind_always(static_cast<int>(i) + 1, running.values[changed[i]]);
  }
  claim_id_ = static_cast<int>(changed.size()) + 1;
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
    batch_.push_back(std::move(job));
  }
}

void HandWritten::insert_batch() {
  database_->execute("BEGIN IMMEDIATE");
  for (const Written& job : batch_) {
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
  for (const Written& job : batch_) {
    update_live_->bind(claim_id_, job.id);
    update_live_->run();
  }
  queued_ -= std::ssize(batch_);
  running_ += std::ssize(batch_);
  commit();
}

void HandWritten::finish_batch() {
  database_->execute("BEGIN IMMEDIATE");
  for (const Written& job : batch_) {
    delete_live_->bind(1, job.id);
    delete_live_->run();
    insert_done_->run_row(job);
  }
  (promises_.claim ? running_ : queued_) -= std::ssize(batch_);
  ended_ += std::ssize(batch_);
  commit();
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
