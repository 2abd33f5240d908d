// PgBouncer in transaction mode: a session is assigned for one transaction only.
#include <poll.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "core/assert.h"
#include "postgres/fixture.h"

namespace longshore::postgres_test {
namespace {

// A pooler with fewer sessions than the stores have connections, so that they are shared.
class Pooler {
 public:
  explicit Pooler(const std::string& folder) : folder_(folder) {
    std::ofstream(folder_ + "/pooler.ini")
        << "[databases]\npostgres = host=" << folder_ << " user=postgres\n[pgbouncer]\n"
        << "unix_socket_dir = " << folder_ << "\nlisten_port = 6543\nauth_type = any\n"
        << "pool_mode = transaction\ndefault_pool_size = 2\nlogfile = " << folder_
        << "/pooler.log\n";
    program_ = ::fork();
    LONGSHORE_ASSERT(program_ >= 0, "tests can start a process");
    if (program_ == 0) start();
    for (int i = 0; i < 200 && PQping(url("").c_str()) != PQPING_OK; ++i) ::poll(nullptr, 0, 50);
  }
  ~Pooler() {
    ::kill(program_, SIGQUIT);
    ::waitpid(program_, nullptr, 0);
  }
  Pooler(const Pooler&) = delete;
  Pooler& operator=(const Pooler&) = delete;

  std::string url(const std::string& more) const {
    return "postgres://postgres@/postgres?port=6543&host=" + folder_ +
           (more.empty() ? "" : "&" + more);
  }

 private:
  // PgBouncer refuses root, as PostgreSQL does.
  [[noreturn]] void start() const {
    const std::string settings = folder_ + "/pooler.ini";
    if (::geteuid() == 0) {
      ::execlp("pgbouncer", "pgbouncer", "-q", "-u", "postgres", settings.c_str(), nullptr);
    } else {
      ::execlp("pgbouncer", "pgbouncer", "-q", settings.c_str(), nullptr);
    }
    ::_exit(127);
  }

  const std::string folder_;
  pid_t program_ = -1;
};

void run_jobs(Backend& backend, std::uint64_t seed, int jobs) {
  SeededRandom random(seed);
  JobIds ids(random);
  const auto say = [&](const Command& command) {
    auto committed = backend.store().commit({&command, 1});
    EXPECT_TRUE(committed.ok()) << committed.error().message;
    return committed ? committed->verdicts[0] : Verdict(Done{});
  };
  for (int i = 0; i < jobs; ++i) {
    NewJob job{.id = ids.next(Instant::millis(1'800'000'000'000)), .type = "work"};
    job.body.payload = "{}";
    say(Enqueue{.ns = "default", .jobs = {job}});
    const Verdict claimed =
        say(Claim{.id = random_id<RequestId>(random), .ns = "default", .worker = "w"});
    const auto* leased = std::get_if<Leased>(&claimed);
    if (leased == nullptr) continue;
    for (const Lease& lease : leased->leases) {
      say(Complete{.ns = "default", .job = lease.job, .token = lease.token});
    }
  }
}

TEST(Pooler, InTransactionModeWorksWithoutPreparedStatements) {
  const OwnServer server;
  const Pooler pooler(server.folder());
  auto opened = open_postgres({.url = pooler.url("prepare=off&lanes=4")}, Rules());
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] { run_jobs(**opened, 100 + i, 25); });
    }
  }
  const auto queues = (*opened)->catalog().queues("default");
  ASSERT_TRUE(queues.ok());
  ASSERT_EQ(queues->size(), 1u);
  std::int64_t jobs = 0;
  for (const auto& [state, count] : (*queues)[0].depth) jobs += count;
  EXPECT_EQ(jobs, 100);
  EXPECT_TRUE((*opened)->catalog().audit()->sound());
}

}  // namespace
}  // namespace longshore::postgres_test
