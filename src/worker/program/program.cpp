#include "worker/program/program.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/json/json_scan.h"
#include "core/json/json_value.h"
#include "worker/plain_text.h"
#include "worker/program/child.h"

namespace longshore {
namespace {

constexpr int retry_status = 75;  // EX_TEMPFAIL
constexpr int fatal_status = 65;  // EX_DATAERR
constexpr std::size_t message_tail = 4 * 1024;
constexpr std::size_t read_bytes = 16 * 1024;
constexpr int look_at_checkpoint_every = 1000;  // milliseconds
constexpr int pipe_reads = 64;  // more than a pipe holds: the system's limit is 1 MiB

// One run, from the start of the child to its end.
class ProgramRun {
 public:
  ProgramRun(const ProgramCall& call, Child child) : call_(call), child_(std::move(child)) {}

  ProgramEnd wait(const std::stop_token& stop) {
    const std::stop_callback tell(stop, [this] { stop_.signal(); });
    while (!look()) {
    }
    // A descendant may keep the pipes open, but everything the program wrote is in them.
    for (int i = 0; i < pipe_reads && read_output(); ++i) {
    }
    for (int i = 0; i < pipe_reads && read_errors(); ++i) {
    }
    if (call_.checkpoint != nullptr) save(call_.checkpoint->take_last());
    const Child::End end = child_.reap();
    if (end.exited) {
      end_.status = end.value;
    } else {
      end_.signal = end.value;
    }
    return std::move(end_);
  }

 private:
  // Waits for the next event; true once the program has ended.
  bool look() {
    std::array<struct pollfd, 5> watched = {{{child_.ended(), POLLIN, 0},
                                             {child_.output.number(), POLLIN, 0},
                                             {child_.errors.number(), POLLIN, 0},
                                             {stopping_ ? -1 : stop_.number(), POLLIN, 0},
                                             {timer_.number(), POLLIN, 0}}};
    const int longest = call_.checkpoint == nullptr ? -1 : look_at_checkpoint_every;
    if (::poll(watched.data(), watched.size(), longest) < 0) return false;
    if (watched[1].revents != 0) read_output();
    if (watched[2].revents != 0) read_errors();
    if (watched[3].revents != 0) {
      end_.stopped = true;
      begin_to_stop();
    }
    if (watched[4].revents != 0) child_.signal(SIGKILL);
    if (call_.checkpoint != nullptr) save(call_.checkpoint->take());
    return watched[0].revents != 0;
  }

  void save(std::optional<std::string> checkpoint) const {
    if (checkpoint) call_.on_checkpoint(std::move(*checkpoint));
  }

  void begin_to_stop() {
    if (std::exchange(stopping_, true)) return;
    child_.signal(SIGTERM);
    timer_.set(call_.patience);
  }

  bool read_output() {
    if (!read(child_.output, end_.output)) return false;
    if (end_.output.size() <= call_.output_max) return true;
    end_.output.resize(call_.output_max);
    end_.overflown = true;
    child_.signal(SIGKILL);
    child_.output.close();
    return false;
  }

  bool read_errors() {
    if (!read(child_.errors, end_.errors)) return false;
    if (end_.errors.size() > call_.errors_kept) {
      end_.errors.erase(0, end_.errors.size() - call_.errors_kept);
    }
    return true;
  }

  // Reads once; false if there is nothing to read.
  static bool read(Descriptor& from, std::string& to) {
    if (!from.is_open()) return false;
    std::array<char, read_bytes> some;
    const ssize_t got = ::read(from.number(), some.data(), some.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return false;
    if (got <= 0) {
      from.close();
      return false;
    }
    to.append(some.data(), static_cast<std::size_t>(got));
    return true;
  }

  const ProgramCall& call_;
  Child child_;
  EventFile stop_;
  TimerFile timer_;
  bool stopping_ = false;
  ProgramEnd end_;
};

std::string trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(space);
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(space) - begin + 1));
}

// JSON unchanged; other text as a JSON string; empty output as null.
std::string result_of(const std::string& output) {
  if (trimmed(output).empty()) return "null";
  if (const auto scanned = scan_json(output)) return std::string(scanned->text);
  std::string json;
  append_json_string(json, plain_text(output));
  return json;
}

std::string message_of(const ProgramEnd& end) {
  std::string_view tail = end.errors;
  if (tail.size() > message_tail) tail.remove_prefix(tail.size() - message_tail);
  std::string message = plain_text(trimmed(tail));
  if (!message.empty()) return message;
  if (end.status) return "the program ended with status " + std::to_string(*end.status);
  return "the program was killed by " + signal_name(end.signal) + ": " + ::strsignal(end.signal);
}

}  // namespace

Result<ProgramEnd> run_program(const ProgramCall& call, const std::stop_token& stop) {
  Result<Child> child = Child::start({.path = call.path,
                                      .input = call.input,
                                      .environment = call.environment,
                                      .folder = call.folder,
                                      .limits = call.limits,
                                      .user = call.user,
                                      .may_gain_rights = call.may_gain_rights,
                                      .in_cgroup = call.in_cgroup});
  if (!child) return child.error();
  ProgramRun run(call, std::move(*child));
  return run.wait(stop);
}

Result<std::string> program_path(const std::string& path) {
  if (path.find('/') == std::string::npos) {
    return Error{Errc::invalid, "\"" + path +
                                    "\" must be absolute or begin with ./ : programs are not "
                                    "searched for"};
  }
  std::error_code fault;
  const std::filesystem::path absolute = std::filesystem::absolute(path, fault).lexically_normal();
  int why = ::access(absolute.c_str(), X_OK) == 0 ? 0 : errno;
  if (std::filesystem::is_directory(absolute, fault)) why = EISDIR;
  if (why == 0) return absolute.string();
  return Error{Errc::invalid, "cannot run " + path + ": " + std::strerror(why)};
}

std::string signal_name(int number) {
  const char* const name = ::sigabbrev_np(number);
  return name == nullptr ? "SIGNAL_" + std::to_string(number) : std::string("SIG") + name;
}

Ending ending_of(const ProgramEnd& end) {
  if (end.overflown)
    return fail_for_good("the program's output exceeds the result limit", "OUTPUT");
  if (!end.status && end.signal == SIGXCPU) {
    return fail("the program exceeded its CPU time limit", "CPU_LIMIT");
  }
  if (!end.status && end.signal == SIGXFSZ) {
    return fail("the program exceeded its file size limit", "FILE_LIMIT");
  }
  if (!end.status) return fail(message_of(end), signal_name(end.signal));
  switch (*end.status) {
    case 0:
      return ok(RawJson{result_of(end.output)});
    case fatal_status:
      return fail_for_good(message_of(end), "EXIT_65");
    case retry_status:
    default:
      return fail(message_of(end), "EXIT_" + std::to_string(*end.status));
  }
}

}  // namespace longshore
