#include "worker/isolated/isolated.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/sync/mutex.h"
#include "longshore/json.h"
#include "worker/isolated/message.h"
#include "worker/isolated/zygote.h"
#include "worker/plain_text.h"
#include "worker/program/child.h"
#include "worker/program/program.h"

namespace longshore {
namespace {

constexpr Duration patience = Duration::seconds(2);
constexpr int poll_every = 200;  // milliseconds; worker_stopping() must be polled
constexpr std::size_t lines_shown = 8;

// Idle processes.
class Pool {
 public:
  explicit Pool(const ProcessLimits& limits) : limits_(limits) {}

  Result<std::unique_ptr<HandlerProcess>> take() {
    {
      MutexLock lock(mutex_);
      while (!idle_.empty()) {
        std::unique_ptr<HandlerProcess> one = std::move(idle_.back());
        idle_.pop_back();
        if (one->is_alive()) return one;
      }
    }
    return HandlerProcess::start(limits_);
  }
  void give_back(std::unique_ptr<HandlerProcess> one) {
    MutexLock lock(mutex_);
    idle_.push_back(std::move(one));
  }

 private:
  const ProcessLimits limits_;
  Mutex mutex_;
  std::vector<std::unique_ptr<HandlerProcess>> idle_ LONGSHORE_GUARDED_BY(mutex_);
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(plain_text(text.substr(at, end - at)));
    at = end + 1;
  }
  return lines;
}

Ending crashed(int number, const std::string& stack) {
  const std::string name = signal_name(number);
  Ending ending =
      fail("the handler process was killed by " + name + ": " + ::strsignal(number), name);
  const std::vector<std::string> lines = lines_of(stack);
  JsonWriter details;
  details.begin_object();
  details.name("signal");
  details.string(name);
  details.name("stack");
  details.begin_array();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i < lines_shown) ending.error.message += "\n  " + lines[i];
    details.element();
    details.string(lines[i]);
  }
  details.end_array();
  details.end_object();
  ending.error.details = details.take();
  return ending;
}

// One job in one process.
class Run {
 public:
  Run(Context& context, HandlerProcess& process) : context_(context), process_(process) {}

  // Nothing if the process died first.
  std::optional<Ending> wait(const PlainHandler& plain) {
    const std::stop_callback tell(context_.stop_token(), [this] { stop_.signal(); });
    if (!send_job(plain)) return std::nullopt;
    while (wait_for_event()) {
    }
    return std::move(ending_);
  }

 private:
  bool send_job(const PlainHandler& plain) {
    Packer job(MessageKind::job);
    job.number(reinterpret_cast<std::intptr_t>(plain.call));
    job.number(reinterpret_cast<std::intptr_t>(plain.function));
    job.number(context_.time_left().count());
    pack(job, context_.lease());
    return send_all(process_.socket(), job.take());
  }

  // Waits for the next event; false once there is an ending or the process has died.
  bool wait_for_event() {
    std::array<struct pollfd, 4> watched = {{{process_.socket(), POLLIN, 0},
                                             {stop_sent_ ? -1 : stop_.number(), POLLIN, 0},
                                             {timer_.number(), POLLIN, 0},
                                             {process_.ended(), POLLIN, 0}}};
    if (::poll(watched.data(), watched.size(), stopping_sent_ ? -1 : poll_every) < 0) return true;
    if (!stopping_sent_ && context_.worker_stopping()) send_stopping();
    if (watched[1].revents != 0) send_stop();
    if (watched[2].revents != 0) {
      timer_.set(Duration::days(1));
      process_.kill();
    }
    // Read everything that the process sent before it died.
    if (watched[0].revents != 0) return read();
    return watched[3].revents == 0;
  }

  void send_stopping() {
    stopping_sent_ = true;
    send_all(process_.socket(), Packer(MessageKind::stopping).take());
  }

  void send_stop() {
    stop_sent_ = true;
    Packer stop(MessageKind::stop);
    stop.number(static_cast<int>(context_.stop_reason()));
    send_all(process_.socket(), stop.take());
    timer_.set(patience);
  }

  bool read() {
    std::array<char, 64 * 1024> some;
    const ssize_t got = ::recv(process_.socket(), some.data(), some.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (got <= 0) return false;
    messages_.add({some.data(), static_cast<std::size_t>(got)});
    while (auto message = messages_.next()) handle_message(*message);
    return !ending_;
  }

  void handle_message(const std::string& message) {
    Unpacker from(message);
    switch (static_cast<MessageKind>(message.front())) {
      case MessageKind::report: {
        const bool has_progress = from.number() != 0;
        const double progress = from.real();
        if (has_progress) context_.progress(progress);
        if (const std::string log = from.text(); !log.empty()) context_.log(log);
        return;
      }
      case MessageKind::checkpoint: {
        Result<Nothing> saved = context_.save_checkpoint(RawJson{from.text()});
        Packer answer(MessageKind::saved);
        answer.number(saved ? 0 : static_cast<int>(saved.error().code) + 1);
        answer.text(saved ? "" : saved.error().message);
        send_all(process_.socket(), answer.take());
        return;
      }
      case MessageKind::ending:
        ending_ = unpack_ending(from);
        return;
      default:
        return;
    }
  }

  Context& context_;
  HandlerProcess& process_;
  EventFile stop_;
  TimerFile timer_;
  MessageStream messages_;
  bool stop_sent_ = false;
  bool stopping_sent_ = false;
  std::optional<Ending> ending_;
};

Ending end_of(HandlerProcess& process) {
  process.kill();  // including its children
  const std::optional<Child::End> end = process.wait_end();
  if (!end) return fail("the handler process was lost", "PROCESS_LOST");
  if (!end->exited) return crashed(end->value, process.stack());
  return fail("the handler process exited with status " + std::to_string(end->value),
              "EXIT_" + std::to_string(end->value));
}

}  // namespace

Handler isolated_handler(PlainHandler plain, const HandlerOptions& options) {
  const auto pool = std::make_shared<Pool>(ProcessLimits{.memory_bytes = options.memory_bytes});
  return [plain, pool](Context& context) -> Ending {
    Result<std::unique_ptr<HandlerProcess>> process = pool->take();
    if (!process) return fail(process.error().message, "CANNOT_RUN");
    std::optional<Ending> ending = Run(context, **process).wait(plain);
    if (ending) {
      // A process cannot be told that the worker no longer stops, so it is not reused.
      if (!context.worker_stopping()) pool->give_back(std::move(*process));
      return std::move(*ending);
    }
    Ending end = end_of(**process);
    if (!context.stop_requested()) return end;
    return context.stop_reason() == StopReason::canceled ? canceled() : release();
  };
}

}  // namespace longshore
