#include "worker/isolated/isolated_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "core/sync/mutex.h"
#include "worker/attempt.h"
#include "worker/handlers.h"
#include "worker/isolated/crash_report.h"
#include "worker/isolated/message.h"

namespace longshore {
namespace {

// Stands for the worker in the handler process: forwards reports and checkpoints to it.
class WorkerProxy final : public Leases, public EarlyHeartbeats {
 public:
  using Fault = std::optional<Error>;

  explicit WorkerProxy(int socket) : socket_(socket) {}

  // Checkpoints are the only commands that a handler process sends.
  Result<Turned> turn(Turn turn, std::stop_token) override {
    Turned turned;
    for (const Command& word : turn.words) {
      const auto* beat = std::get_if<Heartbeat>(&word);
      if (beat == nullptr || !beat->checkpoint)
        return Error{Errc::invalid, "expected a checkpoint"};
      report(*beat);
      Packer message(MessageKind::checkpoint);
      message.text(*beat->checkpoint);
      say(message);
      const Fault answer = wait_for_answer();
      if (answer && answer->code != Errc::refused) return *answer;
      turned.verdicts.emplace_back(Beaten());
      if (answer)
        turned.verdicts.back() = Refusal{.code = Code::lease_lost, .detail = answer->message};
    }
    return turned;
  }
  Instant now() override {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return Instant::millis(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
  }
  void wait_until(Instant, std::stop_token) override {}

  void heartbeat_soon(Attempt& attempt) override { report(attempt.next_heartbeat()); }

  void say(const Packer& message) {
    MutexLock lock(sending_);
    if (!send_all(socket_, message.take())) ::_exit(0);
  }
  // Called by the reading thread with the result of saving a checkpoint.
  void answered(Unpacker from) {
    Fault answer;
    const std::int64_t code = from.number();
    if (code != 0) answer = Error{static_cast<Errc>(code - 1), from.text()};
    MutexLock lock(mutex_);
    answers_.push_back(std::move(answer));
    arrived_.notify_all();
  }

 private:
  void report(const Heartbeat& beat) {
    if (!beat.progress && beat.log.empty()) return;
    Packer message(MessageKind::report);
    message.number(beat.progress ? 1 : 0);
    message.real(beat.progress.value_or(0));
    message.text(beat.log);
    say(message);
  }

  Fault wait_for_answer() {
    MutexLock lock(mutex_);
    while (answers_.empty()) arrived_.wait(mutex_);
    Fault answer = std::move(answers_.front());
    answers_.pop_front();
    return answer;
  }

  const int socket_;
  Mutex sending_;
  Mutex mutex_;
  std::condition_variable_any arrived_;
  std::deque<Fault> answers_ LONGSHORE_GUARDED_BY(mutex_);
};

// Runs jobs in the main thread while another thread reads messages from the worker.
class Process {
 public:
  explicit Process(int socket) : socket_(socket), worker_(socket) {}

  [[noreturn]] void run() {
    std::thread([this] { read_messages(); }).detach();
    while (true) run_job(next_job());
  }

 private:
  std::string next_job() {
    MutexLock lock(mutex_);
    while (!job_) arrived_.wait(mutex_);
    return *std::exchange(job_, std::nullopt);
  }

  void run_job(const std::string& message) {
    Unpacker from(message);
    const auto call = reinterpret_cast<PlainHandler::Call>(from.number());
    const auto function = reinterpret_cast<PlainHandler::Any>(from.number());
    const Duration left = Duration::millis(from.number());
    Lease lease = unpack_lease(from);
    const Instant at = lease.deadline_at - left;
    const auto attempt = std::make_shared<Attempt>(
        std::move(lease), at,
        Attempt::Dependencies{
            .leases = worker_, .heartbeats = worker_, .worker_stopping = stopping_});
    set_attempt(attempt);
    Context context(*attempt);
    const Ending ending = guarded([&](Context& given) { return call(given, function); }, context);
    set_attempt(nullptr);
    Packer done(MessageKind::ending);
    pack(done, ending);
    worker_.say(done);
  }

  void set_attempt(std::shared_ptr<Attempt> attempt) {
    MutexLock lock(mutex_);
    attempt_ = std::move(attempt);
    if (attempt_ && early_stop_) attempt_->ask_to_stop(*early_stop_);
    early_stop_.reset();
  }

  // Exits when the worker is gone: the lease of the running job is lost.
  [[noreturn]] void read_messages() {
    MessageStream messages;
    std::array<char, 64 * 1024> some;
    while (true) {
      const ssize_t got = ::recv(socket_, some.data(), some.size(), 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) ::_exit(0);
      messages.add({some.data(), static_cast<std::size_t>(got)});
      while (auto message = messages.next()) handle_message(std::move(*message));
    }
  }

  void handle_message(std::string message) {
    switch (static_cast<MessageKind>(message.front())) {
      case MessageKind::job: {
        MutexLock lock(mutex_);
        early_stop_.reset();
        job_ = std::move(message);
        arrived_.notify_all();
        return;
      }
      case MessageKind::stop:
        return stop(static_cast<StopReason>(Unpacker(message).number()));
      case MessageKind::stopping:
        stopping_ = true;
        return;
      case MessageKind::saved:
        return worker_.answered(Unpacker(message));
      default:
        return;
    }
  }

  void stop(StopReason reason) {
    MutexLock lock(mutex_);
    if (attempt_) return attempt_->ask_to_stop(reason);
    if (job_) early_stop_ = reason;
  }

  const int socket_;
  WorkerProxy worker_;
  std::atomic<bool> stopping_ = false;

  Mutex mutex_;
  std::condition_variable_any arrived_;
  // Guarded by mutex_.
  std::optional<std::string> job_ LONGSHORE_GUARDED_BY(mutex_);
  std::shared_ptr<Attempt> attempt_ LONGSHORE_GUARDED_BY(mutex_);
  std::optional<StopReason> early_stop_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace

void run_handler_process(const HandlerProcessSetup& process) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_NAME, "handler");
  ::setpgid(0, 0);
  ::signal(SIGPIPE, SIG_DFL);
  // Keep only the three standard files and these two.
  const int socket = ::fcntl(process.socket, F_DUPFD, 3);
  const int stack = ::fcntl(process.stack, F_DUPFD, 3);
  ::dup2(socket, 3);
  ::dup2(stack, 4);
  ::close_range(5, ~0U, 0);
  ::fcntl(3, F_SETFD, FD_CLOEXEC);
  ::fcntl(4, F_SETFD, FD_CLOEXEC);
  apply_limits(process.limits);
  describe_crashes(4);
  // Never destroyed: it lives until the process ends.
  Process& own = *new Process(3);
  own.run();
}

}  // namespace longshore
