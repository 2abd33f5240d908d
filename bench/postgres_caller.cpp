#include "bench/postgres_caller.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bench/measure.h"

namespace longshore::bench {

void give_up(const std::string& why) {
  fmt::print(stderr, "{}\n", why);
  std::exit(1);
}

void Caller::enqueue(int jobs) {
  std::vector<Command> commands;
  commands.reserve(static_cast<std::size_t>(jobs));
  for (int i = 0; i < jobs; ++i) {
    NewJob job{.id = ids_.next(clock_.now()), .type = "work"};
    job.body.payload = std::string(198, 'x');
    commands.emplace_back(Enqueue{.ns = "default", .jobs = {std::move(job)}});
  }
  commit(commands);
}

int Caller::work(int jobs) {
  std::vector<Command> completes;
  for (const Lease& lease : claim(jobs)) {
    completes.emplace_back(Complete{.ns = "default", .job = lease.job, .token = lease.token});
  }
  if (!completes.empty()) commit(completes);
  return static_cast<int>(completes.size());
}

std::vector<Lease> Caller::claim(int jobs) {
  std::vector<Command> commands;
  commands.reserve(static_cast<std::size_t>(jobs));
  for (int i = 0; i < jobs; ++i) {
    commands.emplace_back(
        Claim{.id = random_id<RequestId>(random_), .ns = "default", .worker = "w"});
  }
  std::vector<Lease> leases;
  for (Verdict& verdict : commit(commands)) {
    auto* leased = std::get_if<Leased>(&verdict);
    if (leased == nullptr) give_up("a claim was refused");
    for (Lease& lease : leased->leases) leases.push_back(std::move(lease));
  }
  return leases;
}

std::vector<Verdict> Caller::commit(const std::vector<Command>& commands) {
  auto committed = store_.commit(commands);
  if (!committed) give_up(committed.error().message);
  for (const Verdict& verdict : committed->verdicts) {
    if (const auto* refusal = std::get_if<Refusal>(&verdict)) give_up(refusal->detail);
  }
  return std::move(committed->verdicts);
}

double seconds_with_server(const std::string& folder) {
  std::ifstream file(folder + "/data/postmaster.pid");
  long server = 0;
  file >> server;
  double ticks = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (std::isdigit(static_cast<unsigned char>(name[0])) == 0) continue;
    std::ifstream stat(entry.path() / "stat");
    std::string text;
    if (!std::getline(stat, text)) continue;  // it has ended meanwhile
    const std::size_t end = text.rfind(')');
    if (end == std::string::npos) continue;
    std::istringstream fields(text.substr(end + 1));
    std::string state;
    long parent = 0;
    fields >> state >> parent;
    const bool is_server = name == std::to_string(server);
    if (!is_server && parent != server) continue;
    // Of the server itself also what its ended children used.
    double skipped = 0, user = 0, system = 0, children_user = 0, children_system = 0;
    for (int i = 0; i < 9; ++i) fields >> skipped;
    fields >> user >> system >> children_user >> children_system;
    ticks += user + system + (is_server ? children_user + children_system : 0);
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK)) + processor_seconds();
}

}  // namespace longshore::bench
