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
#include "worker/isolated/parcel.h"
#include "worker/isolated/zygote.h"
#include "worker/plain_text.h"
#include "worker/program/child.h"
#include "worker/program/program.h"

namespace longshore {
namespace {

constexpr Duration patience = Duration::seconds(2);
constexpr int look_every = 200;  // milliseconds; a stopping worker is not an event
constexpr std::size_t lines_shown = 8;

// Processes between two jobs.
class Pool {
 public:
  explicit Pool(const ProcessLimits& limits) : limits_(limits) {}

  Result<std::unique_ptr<Hatchling>> take() {
    {
      MutexLock lock(mutex_);
      while (!idle_.empty()) {
        std::unique_ptr<Hatchling> one = std::move(idle_.back());
        idle_.pop_back();
        if (one->is_alive()) return one;
      }
    }
    return Hatchling::hatch(limits_);
  }
  void give_back(std::unique_ptr<Hatchling> one) {
    MutexLock lock(mutex_);
    idle_.push_back(std::move(one));
  }

 private:
  const ProcessLimits limits_;
  Mutex mutex_;
  std::vector<std::unique_ptr<Hatchling>> idle_ LONGSHORE_GUARDED_BY(mutex_);
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
      fail("the handler's process was killed by " + name + ": " + ::strsignal(number), name);
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
  Run(Context& context, Hatchling& process) : context_(context), process_(process) {}

  // Nothing if the process did not live to say.
  std::optional<Ending> wait(const PlainHandler& plain) {
    const std::stop_callback tell(context_.stop_token(), [this] { stop_.happen(); });
    if (!send_job(plain)) return std::nullopt;
    while (look()) {
    }
    return std::move(ending_);
  }

 private:
  bool send_job(const PlainHandler& plain) {
    Packer job(ParcelKind::job);
    job.number(reinterpret_cast<std::intptr_t>(plain.call));
    job.number(reinterpret_cast<std::intptr_t>(plain.function));
    job.number(context_.time_left().count());
    pack(job, context_.lease());
    return send_all(process_.socket(), job.take());
  }

  // Sleeps until something happens; false once there is an ending, or will be none.
  bool look() {
    std::array<struct pollfd, 4> watched = {{{process_.socket(), POLLIN, 0},
                                             {stop_told_ ? -1 : stop_.number(), POLLIN, 0},
                                             {timer_.number(), POLLIN, 0},
                                             {process_.ended(), POLLIN, 0}}};
    if (::poll(watched.data(), watched.size(), stopping_told_ ? -1 : look_every) < 0) return true;
    if (!stopping_told_ && context_.worker_stopping()) tell_stopping();
    if (watched[1].revents != 0) tell_stop();
    if (watched[2].revents != 0) {
      timer_.set(Duration::days(1));
      process_.kill();
    }
    // What it said before its end counts.
    if (watched[0].revents != 0) return read();
    return watched[3].revents == 0;
  }

  void tell_stopping() {
    stopping_told_ = true;
    send_all(process_.socket(), Packer(ParcelKind::stopping).take());
  }

  void tell_stop() {
    stop_told_ = true;
    Packer stop(ParcelKind::stop);
    stop.number(static_cast<int>(context_.stop_reason()));
    send_all(process_.socket(), stop.take());
    timer_.set(patience);
  }

  bool read() {
    std::array<char, 64 * 1024> some;
    const ssize_t got = ::recv(process_.socket(), some.data(), some.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (got <= 0) return false;
    parcels_.add({some.data(), static_cast<std::size_t>(got)});
    while (auto parcel = parcels_.next()) hear(*parcel);
    return !ending_;
  }

  void hear(const std::string& parcel) {
    Unpacker from(parcel);
    switch (static_cast<ParcelKind>(parcel.front())) {
      case ParcelKind::report: {
        const bool has_progress = from.number() != 0;
        const double progress = from.real();
        if (has_progress) context_.progress(progress);
        if (const std::string log = from.text(); !log.empty()) context_.log(log);
        return;
      }
      case ParcelKind::checkpoint: {
        Result<Nothing> saved = context_.save_checkpoint(RawJson{from.text()});
        Packer answer(ParcelKind::saved);
        answer.number(saved ? 0 : static_cast<int>(saved.error().code) + 1);
        answer.text(saved ? "" : saved.error().message);
        send_all(process_.socket(), answer.take());
        return;
      }
      case ParcelKind::ending:
        ending_ = unpack_ending(from);
        return;
      default:
        return;
    }
  }

  Context& context_;
  Hatchling& process_;
  EventFile stop_;
  TimerFile timer_;
  Parcels parcels_;
  bool stop_told_ = false;
  bool stopping_told_ = false;
  std::optional<Ending> ending_;
};

Ending end_of(Hatchling& process) {
  process.kill();  // whatever it started
  const std::optional<Child::End> end = process.wait_end();
  if (!end) return fail("the process of the handler is gone", "PROCESS_LOST");
  if (!end->exited) return crashed(end->value, process.stack());
  return fail("the handler ended its process with status " + std::to_string(end->value),
              "EXIT_" + std::to_string(end->value));
}

}  // namespace

Handler isolated_handler(PlainHandler plain, const HandlerOptions& options) {
  const auto pool = std::make_shared<Pool>(ProcessLimits{.memory_bytes = options.memory_bytes});
  return [plain, pool](Context& context) -> Ending {
    Result<std::unique_ptr<Hatchling>> process = pool->take();
    if (!process) return fail(process.error().message, "CANNOT_RUN");
    std::optional<Ending> ending = Run(context, **process).wait(plain);
    if (ending) {
      // One that heard that the worker stops would believe it for ever.
      if (!context.worker_stopping()) pool->give_back(std::move(*process));
      return std::move(*ending);
    }
    Ending end = end_of(**process);
    if (!context.stop_requested()) return end;
    return context.stop_reason() == StopReason::canceled ? canceled() : release();
  };
}

}  // namespace longshore
