#include "crash/kills.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <memory>

#include "checker/history_json.h"
#include "checker/history_writer.h"
#include "core/clock.h"
#include "core/random.h"
#include "core/uuid.h"
#include "crash/load.h"
#include "store/sqlite/store.h"

namespace longshore::crash {
namespace {

constexpr Duration longest_start = Duration::seconds(30);

std::string store_in(const std::string& directory) { return directory + "/longshore.db"; }

std::string history_of(const std::string& directory, int life) {
  return fmt::format("{}/history-{}.jsonl", directory, life);
}

Result<std::unique_ptr<SqliteBackend>> open_store(const std::string& directory, Clock& clock) {
  return open_sqlite({.path = store_in(directory)}, clock, Rules{});
}

// A line is in the file before the call it announces is made: the kernel keeps what was written,
// whatever becomes of the process.
checker::HistoryWriter::Line appender(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  return [file](std::string_view line) {
    if (::write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
      std::_Exit(2);
    }
  };
}

[[noreturn]] void live(const std::string& directory, const Load& load, int ready) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  SystemClock clock;
  auto opened = open_store(directory, clock);
  if (!opened.ok()) {
    fmt::print(stderr, "cannot open again: {}\n", opened.error().message);
    std::_Exit(3);
  }
  checker::HistoryWriter history(appender(history_of(directory, load.life)));
  if (::write(ready, "r", 1) != 1) std::_Exit(4);
  work_for_ever((*opened)->store(), clock, history, load);
}

// Whether something came from the child, or it died, within the time.
bool hears(int from, Duration within) {
  pollfd waiting{.fd = from, .events = POLLIN, .revents = 0};
  return ::poll(&waiting, 1, static_cast<int>(within.count())) > 0;
}

struct Child {
  pid_t pid = 0;
  int pipe = -1;

  static Child start(const std::string& directory, const Load& load) {
    int ends[2] = {};
    if (::pipe2(ends, O_CLOEXEC) != 0) return {};
    const pid_t pid = ::fork();
    if (pid == 0) live(directory, load, ends[1]);
    ::close(ends[1]);
    return {pid, ends[0]};
  }

  bool ready() const {
    char byte = 0;
    return hears(pipe, longest_start) && ::read(pipe, &byte, 1) == 1;
  }

  // Whether it was still alive until then.
  bool kill() const {
    int status = 0;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, &status, 0);
    ::close(pipe);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }
};

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

void count(const checker::History& history, Life& life) {
  for (const checker::Event& event : history.events) {
    life.in_flight += event.kind == checker::Kind::invoke ? 1 : 0;
    life.in_flight -= event.kind == checker::Kind::ok || event.kind == checker::Kind::fail ? 1 : 0;
    life.acknowledged += event.kind == checker::Kind::ok ? 1 : 0;
  }
}

// The keys that clients named in any life, as the store knows them now.
Result<Nothing> dump_keys(const checker::History& history, Catalog& catalog,
                          checker::HistoryWriter& writer) {
  for (const checker::Event& event : history.events) {
    const auto* call = std::get_if<checker::Call>(&event.what);
    if (call == nullptr) continue;
    for (const checker::Asked& asked : call->jobs) {
      if (asked.idempotency_key.empty()) continue;
      const auto view = catalog.find_idempotency_key(call->ns, asked.idempotency_key);
      if (view.ok()) {
        writer.dump(checker::KeyDump{call->ns, asked.idempotency_key, *view});
      } else if (view.error().code != Errc::not_found) {
        return view.error();
      }
    }
  }
  return Nothing{};
}

Result<Nothing> add_dump(const std::string& directory, checker::History& history) {
  SystemClock clock;
  auto opened = open_store(directory, clock);
  if (!opened.ok()) return opened.error();
  std::string text;
  checker::HistoryWriter writer([&](std::string_view line) { text += line; });
  Catalog& catalog = (*opened)->catalog();
  if (auto done = dump_keys(history, catalog, writer); !done.ok()) return done;
  if (auto done = checker::dump_store(catalog, writer); !done.ok()) return done;
  return checker::read_lines(text, history);
}

class KillingParent {
 public:
  KillingParent(std::string directory, std::uint64_t seed)
      : directory_(std::move(directory)), random_(seed), node_(random_id<NodeId>(random_)) {}

  Kills run(int kills) {
    for (int n = 1; n <= kills && kills_.problem.empty(); ++n) kill_one(n);
    if (kills_.problem.empty()) judge();
    return std::move(kills_);
  }

 private:
  void kill_one(int number) {
    const Load load{.seed = random_.next(), .life = number, .node = node_};
    const Instant started = clock_.now();
    const Child child = Child::start(directory_, load);
    // Some die while they recover from the last kill, most in the middle of work.
    const bool young = number > 1 && random_.chance(0.15);
    const bool ready = young || child.ready();
    Life life{.ready = clock_.now() - started};
    const auto age = Duration::millis(static_cast<std::int64_t>(random_.below(young ? 10 : 300)));
    const bool died_early = hears(child.pipe, age) && !young;
    if (!child.kill() || died_early || !ready) {
      kills_.problem = fmt::format("process {} died before it was killed", number);
      return;
    }
    take_history(number, life);
  }

  void take_history(int number, Life& life) {
    const std::string text = text_of(history_of(directory_, number));
    checker::History alone;
    auto read = checker::read_lines(text, alone);
    if (read.ok()) read = checker::read_lines(text, history_);
    if (!read.ok()) {
      kills_.problem = read.error().message;
      return;
    }
    count(alone, life);
    fmt::print("kill {}: {} acknowledged, {} in flight, ready in {} ms\n", number,
               life.acknowledged, life.in_flight, life.ready.count());
    kills_.lives.push_back(life);
  }

  void judge() {
    const auto dumped = add_dump(directory_, history_);
    if (!dumped.ok()) {
      kills_.problem = dumped.error().message;
      return;
    }
    checker::Options options;
    options.required = {"acked", "grants"};
    kills_.judgement = checker::judge(history_, options);
  }

  const std::string directory_;
  SeededRandom random_;
  const NodeId node_;
  SystemClock clock_;
  checker::History history_;
  Kills kills_;
};

}  // namespace

std::int64_t Kills::acknowledged() const {
  std::int64_t sum = 0;
  for (const Life& life : lives) sum += life.acknowledged;
  return sum;
}

std::int64_t Kills::in_flight() const {
  std::int64_t sum = 0;
  for (const Life& life : lives) sum += life.in_flight;
  return sum;
}

Kills kill_often(const std::string& directory, int kills, std::uint64_t seed) {
  return KillingParent(directory, seed).run(kills);
}

}  // namespace longshore::crash
