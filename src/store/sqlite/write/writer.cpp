#include "store/sqlite/write/writer.h"

#include <algorithm>
#include <utility>

#include "core/rules/command_check.h"
#include "store/execute/verbs.h"

namespace longshore::sqlite {
namespace {

constexpr std::size_t commands_max = 1024;
constexpr std::size_t bytes_max = 4 * 1024 * 1024;

// About how much a command adds to a transaction.
struct BytesOf {
  std::size_t operator()(const Enqueue& enqueue) const {
    std::size_t bytes = 0;
    for (const NewJob& job : enqueue.jobs) bytes += 256 + job.body.payload.size();
    return bytes;
  }
  std::size_t operator()(const Heartbeat& beat) const {
    return 256 + beat.log.size() + (beat.checkpoint ? beat.checkpoint->size() : 0);
  }
  std::size_t operator()(const Complete& done) const { return 256 + done.result.size(); }
  std::size_t operator()(const auto&) const { return 256; }
};

Refusal no_room() {
  return {.code = Code::disk_full,
          .detail = "the store's disk is full; nothing was stored, try again when there is room"};
}

}  // namespace

Writer::Writer(std::unique_ptr<Database> database, RulesCopy& rules, Clock& clock,
               const WriterOptions& options, std::unique_ptr<DiskGuard> guard,
               LocalWakeups& wakeups, FileGuard* file)
    : rules_(rules),
      options_(options),
      database_(std::move(database)),
      work_(*database_, rules, options.memory),
      begin_(*database_, "BEGIN IMMEDIATE"),
      commit_(*database_, "COMMIT"),
      guard_(std::move(guard)),
      file_(file),
      followed_(clock),
      wakeups_(wakeups) {
  const auto grown = [](void* pages, sqlite3*, const char*, int count) {
    *static_cast<int*>(pages) = count;
    return SQLITE_OK;
  };
  sqlite3_wal_hook(database_->handle(), grown, &log_pages_);
}

Writer::~Writer() {
  {
    MutexLock lock(mutex_);
    closing_ = true;
  }
  call_.ring();
  if (standing_.joinable()) standing_.join();
  // A store that broke down is left as it is for the next one to recover.
  if (broken() || database_->failed() || !clock_) return;
  // Times that were told without a commit must not come again either.
  transact({}, false);
  if (database_->failed()) return;
  sqlite3_wal_checkpoint_v2(database_->handle(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr,
                            nullptr);
}

Result<Nothing> Writer::load() {
  work_.load();
  clock_ = std::make_unique<MonotonicClock>(followed_, work_.saved_time());
  clock_->now();
  if (!database_->failed()) return Nothing{};
  return Error{.code = Errc::corrupt, .message = "the store cannot be read: " + database_->what()};
}

std::optional<Error> Writer::broken() const {
  MutexLock lock(mutex_);
  return broken_;
}

WriterCounts Writer::counts() const {
  MutexLock lock(mutex_);
  return counts_;
}

// ---- Leading and following ----------------------------------------------------------------------

Result<Committed> Writer::commit(std::span<const Command> commands) {
  Request request;
  request.commands = commands;
  // Done here, and not by the leader, so that many callers do it at once.
  request.committed.verdicts.reserve(commands.size());
  request.committed.events.reserve(2 * commands.size());  // an enqueue moves twice
  const auto record = rules_.get();
  for (std::size_t i = 0; i < commands.size(); ++i) {
    request.bytes += std::visit(BytesOf(), commands[i]);
    if (auto refusal = check(commands[i], record->rules)) {
      request.refused.emplace_back(i, std::move(*refusal));
    }
  }
  return wait_for(request);
}

Result<Nothing> Writer::alone(const std::function<void(SqliteTransaction&)>& task) {
  Request request;
  request.task = &task;
  const auto done = wait_for(request);
  if (!done) return done.error();
  return Nothing{};
}

// Who finds nobody at work leads, so that a lone caller waits for no other thread.
Result<Committed> Writer::wait_for(Request& request) {
  bool leads = false;
  {
    MutexLock lock(mutex_);
    request.round = round_;
    queue_.push_back(&request);
    leads = !std::exchange(led_, true);
  }
  if (leads) lead();
  OneTimeEvent& gong = gong_of(request.round);
  while (true) {
    const std::uint32_t rung = gong.rung();
    if (request.answered) break;
    gong.wait(rung);
  }
  if (request.error) return std::move(*request.error);
  return std::move(request.committed);
}

// A caller leads for one transaction, with everything that has gathered. For those who came
// meanwhile it calls the standing leader: one thread that goes on while there is work has what it
// needs in its processor's cache and its own heap, which threads in turns have not.
void Writer::lead() {
  const Batch batch = take_batch();
  write(batch);
  if (log_is_long()) {
    // Copying takes a while; nobody whose job is safe has to wait for it.
    deliver(batch);
    checkpoint();
    pass_on();
  } else {
    pass_on();
    deliver(batch);
  }
}

void Writer::pass_on() {
  MutexLock lock(mutex_);
  led_ = !queue_.empty();
  if (!led_) return;
  called_ = true;
  if (!standing_.joinable()) standing_ = std::jthread([this] { stand_by(); });
  call_.ring();
}

void Writer::stand_by() {
  while (true) {
    const std::uint32_t rung = call_.rung();
    bool called = false;
    {
      MutexLock lock(mutex_);
      if (closing_) return;
      called = std::exchange(called_, false);
    }
    if (called) {
      lead_on();
    } else {
      call_.wait(rung);
    }
  }
}

void Writer::lead_on() {
  bool more = true;
  while (more) {
    const Batch batch = take_batch();
    write(batch);
    deliver(batch);
    if (log_is_long()) checkpoint();
    MutexLock lock(mutex_);
    more = !queue_.empty();
    led_ = more;
  }
}

bool Writer::log_is_long() {
  if (log_pages_ < log_pages_copied_) log_pages_copied_ = 0;  // the log began anew
  if (database_->failed()) return false;
  if (!log_is_too_long()) {
    gate_.open();
    return log_pages_ - log_pages_copied_ >= options_.checkpoint_pages;
  }
  // What the last of those who read has kept from being copied may be copied now.
  const bool is_far_too_long = log_pages_ >= 2 * options_.log_pages_max;
  const auto how = is_far_too_long ? LogLimiter::Close::insisting : LogLimiter::Close::politely;
  return gate_.close(how) || log_pages_ - log_pages_copied_ >= options_.checkpoint_pages;
}

// Once everything in it was copied, the next transaction begins it anew.
bool Writer::log_is_too_long() const {
  return log_pages_ >= options_.log_pages_max && log_pages_copied_ < log_pages_;
}

Writer::Batch Writer::take_batch() {
  MutexLock lock(mutex_);
  ++round_;
  Batch batch;
  batch.reserve(queue_.size());
  std::size_t commands = 0;
  std::size_t bytes = 0;
  while (!queue_.empty()) {
    Request* next = queue_.front();
    commands += next->commands.size();
    bytes += next->bytes;
    if (!batch.empty() && (commands > commands_max || bytes > bytes_max)) break;
    batch.push_back(next);
    queue_.pop_front();
  }
  return batch;
}

void Writer::deliver(const Batch& batch) {
  std::array<bool, std::tuple_size_v<decltype(gongs_)>> ringing{};
  for (Request* request : batch) {
    ringing[request->round % ringing.size()] = true;
    request->answered = true;  // it is gone once its thread sees that
  }
  for (std::size_t i = 0; i < ringing.size(); ++i) {
    if (ringing[i]) gongs_[i].ring();
  }
}

// ---- Writing ------------------------------------------------------------------------------------

void Writer::write(const Batch& batch) {
  if (const auto error = broken()) return answer_all(batch, *error);
  if (disk_full_ && guard_->restore()) disk_full_ = false;
  try_to_write(batch);
}

// Comes back once more after a full disk, then without new jobs and with the reserve given up.
void Writer::try_to_write(const Batch& batch) {
  if (transact(batch, disk_full_)) {
    // What was written to another file than the one at the path is gone.
    const auto fault = file_ != nullptr ? file_->fault() : std::nullopt;
    if (!fault) return conclude(batch);
    break_down(Errc::unavailable, *fault + " while the store was open");
    return answer_all(batch, *broken());
  }
  switch (database_->code()) {
    case SQLITE_BUSY:
      if (database_->in_transaction()) break;
      // Another program holds the file; nothing was begun.
      database_->forget_failure();
      return answer_all(batch, {.code = Errc::overloaded,
                                .message = "another program is writing to the store's file"});
    case SQLITE_FULL:
      if (roll_back()) return write_on_full_disk(batch);
      break;
    case SQLITE_TOOBIG:
      if (roll_back()) return write_singly(batch);
      break;
    default:
      break;
  }
  break_down();
  answer_all(batch, *broken());
}

void Writer::conclude(const Batch& batch) {
  work_.committed();
  moved_ = Duration();
  wakeups_.hint(work_.take_hints());
  MutexLock lock(mutex_);
  counts_.transactions += 1;
  counts_.commits += std::ssize(batch);
  for (const Request* request : batch) counts_.commands += std::ssize(request->commands);
}

// Once more without new jobs, in the room that was kept back.
void Writer::write_on_full_disk(const Batch& batch) {
  const bool may_help = guard_->holds() || !disk_full_;
  disk_full_ = true;
  guard_->give_up();
  if (may_help) return try_to_write(batch);
  answer_all(batch,
             {.code = Errc::disk_full, .message = "the store's disk is full; free some space"});
}

// One of them brings a text longer than SQLite stores; the others are not to suffer.
void Writer::write_singly(const Batch& batch) {
  if (batch.size() == 1) {
    return answer_all(batch, {.code = Errc::invalid,
                              .message = "a payload, result or text is too long to be stored"});
  }
  for (Request* request : batch) write({request});
}

bool Writer::transact(const Batch& batch, bool refuse_new) {
  time_matters_ = batch.empty();
  begin_.run();
  for (Request* request : batch) {
    if (database_->failed()) return false;
    judge_all(*request, refuse_new);
  }
  const StoreTime& time = clock_->time();
  work_.finish({.highest = time.highest(), .stepped_at = time.stepped_at()}, time_matters_);
  commit_.run();
  return !database_->failed();
}

void Writer::judge_all(Request& request, bool refuse_new) {
  if (request.task != nullptr) (*request.task)(work_);
  Committed& committed = request.committed;
  committed.verdicts.clear();
  committed.events.clear();
  auto refused = request.refused.begin();
  for (std::size_t i = 0; i < request.commands.size(); ++i) {
    if (database_->failed()) return;
    if (refused != request.refused.end() && refused->first == i) {
      committed.verdicts.emplace_back((refused++)->second);
    } else {
      committed.verdicts.push_back(judge(request.commands[i], committed, refuse_new));
    }
  }
  committed.at = clock_->now();
}

Verdict Writer::judge(const Command& command, Committed& committed, bool refuse_new) {
  if (refuse_new && std::holds_alternative<Enqueue>(command)) return no_room();
  const Instant now = clock_->now();
  work_.begin_command(now, clock_->time().prune_by(), committed.events);
  follow_jump();
  Verdict verdict = execute::run_command(work_, command);
  time_matters_ |= std::holds_alternative<Refusal>(verdict);
  return verdict;
}

// The clock stepped forward. What the owners of running jobs were promised moves along, in the
// transaction in which the new time first counts.
void Writer::follow_jump() {
  const Duration by = clock_->time().take_jump() + std::exchange(owed_, Duration());
  if (by == Duration()) return;
  moved_ += by;
  execute::move_leases(work_, work_.leases().all(), by);
}

void Writer::answer_all(const Batch& batch, const Error& error) {
  for (Request* request : batch) request->error = error;
}

// True when the file and memory are again as they were before the transaction.
bool Writer::roll_back() {
  database_->forget_failure();
  if (database_->in_transaction()) database_->execute("ROLLBACK");
  work_.load();
  owed_ += std::exchange(moved_, Duration());
  return !database_->failed();
}

void Writer::break_down() {
  const bool corrupt = database_->code() == SQLITE_CORRUPT || database_->code() == SQLITE_NOTADB;
  break_down(corrupt ? Errc::corrupt : Errc::unavailable, database_->what());
}

void Writer::break_down(Errc code, const std::string& why) {
  MutexLock lock(mutex_);
  broken_ = Error{.code = code,
                  .message = "the store cannot be trusted any more and has stopped: " + why +
                             "; check the disk, then start again"};
}

// Copies the log back into the file. Also what fails here is final: an error in it that went
// unnoticed would be found as corruption much later.
void Writer::checkpoint() {
  int copied = 0;
  const int code = sqlite3_wal_checkpoint_v2(database_->handle(), nullptr,
                                             SQLITE_CHECKPOINT_PASSIVE, nullptr, &copied);
  log_pages_copied_ = copied;
  if (!log_is_too_long()) gate_.open();
  if (code == SQLITE_OK) {
    MutexLock lock(mutex_);
    counts_.checkpoints += 1;
    return;
  }
  if ((code & 0xFF) == SQLITE_FULL) {
    disk_full_ = true;
    guard_->give_up();
    return;
  }
  if ((code & 0xFF) == SQLITE_BUSY) return;
  database_->fail(code);
  break_down();
}

}  // namespace longshore::sqlite
