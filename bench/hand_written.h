// The reference: the same rows in the same tables, written by one loop without our rules. It uses
// one connection, prepared statements, and updates that set only what differs.
//
// There are two kinds. A queue does what any queue on SQLite has to do: it writes each job's own
// payload and times, finds the next jobs by the ready index, reads what their worker needs, and
// moves a job to the finished ones only if the claim is still valid. A blind writer knows in
// advance what it writes, reads nothing, and binds unchanged values once. No queue can be that
// fast; it shows the cost of SQLite's writes alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/sample.h"
#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "core/time/clock.h"
#include "store/sqlite/file/connection.h"

namespace longshore::bench {

// Guarantees for each job, besides durability.
struct Promises {
  bool history = true;
  bool key = false;   // a random idempotency key, unique in one B-tree
  bool claim = true;  // the claim is on disk before the job is returned
  bool blind = false;
};

class HandWritten {
 public:
  // `path` must not exist. Ends the program when anything fails.
  HandWritten(const std::string& path, const Sample& sample, const Promises& promises);
  ~HandWritten();

  // Processes `jobs` jobs in transactions of `batch`.
  Took enqueue(std::int64_t jobs, std::int64_t batch);
  Took live_whole(std::int64_t jobs, std::int64_t batch);

 private:
  class Hand;
  struct Written {
    sqlite::IdBytes id;
    std::int64_t number = 0;
    std::string key;
    std::string payload;
    sqlite::IdBytes claim{};
  };

  void prepare(const Sample& sample);
  void prepare_claim(const Row& queued, const Row& running);
  void prepare_move(const Row& running, const Row& done);
  void begin_batch(std::int64_t size);
  void insert_batch();
  void claim_batch();
  void find_batch();
  void finish_batch();
  void move(const Written& job);
  void commit();

  const Promises promises_;
  std::unique_ptr<sqlite::Database> database_;
  std::unique_ptr<Hand> insert_live_, insert_body_, insert_key_, update_live_, delete_live_,
      insert_done_, move_done_, find_ready_, update_store_, update_lane_;
  int claim_id_ = 0;  // where the update takes the job's id
  int move_id_ = 0;   // where the move to the finished ones does; the claim follows
  std::string payload_;
  std::string queued_history_, running_history_, done_history_;
  SystemClock clock_;
  SeededRandom random_{42};
  JobIds ids_{random_};
  std::int64_t number_ = 0;
  std::int64_t ended_ = 0;
  std::int64_t running_ = 0;
  std::int64_t queued_ = 0;
  std::vector<Written> batch_;
  int log_pages_ = 0;
  int log_pages_copied_ = 0;
};

}  // namespace longshore::bench
