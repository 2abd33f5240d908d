#include "bench/server_process.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "server/server.h"

namespace longshore::bench {
namespace {

std::string text_of(pid_t process, std::string_view name) {
  std::ifstream file("/proc/" + std::to_string(process) + "/" + std::string(name));
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

ServerProcess::ServerProcess(const std::string& store) {
  int told[2];
  int until[2];
  if (::pipe(told) != 0 || ::pipe(until) != 0) throw std::runtime_error("no pipe can be made");
  process_ = ::fork();
  if (process_ == 0) {
    ::close(told[0]);
    ::close(until[1]);
    serve(store, told[1], until[0]);
  }
  ::close(told[1]);
  ::close(until[0]);
  hold_ = until[1];
  const bool ready = ::read(told[0], &port_, sizeof port_) == sizeof port_;
  ::close(told[0]);
  if (!ready) throw std::runtime_error("the server did not start");
}

ServerProcess::~ServerProcess() {
  ::close(hold_);
  ::waitpid(process_, nullptr, 0);
}

void ServerProcess::serve(const std::string& store, int told, int until) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  {
    Settings::Sources sources;
    sources.flags[find_option("store")] = {store};
    sources.flags[find_option("listen")] = {"127.0.0.1:0"};
    Log log{LogFormat::human, LogLevel::error};
    const auto server = Server::start(Settings::from(std::move(sources)).value(), log).value();
    const std::uint16_t port = server->address().port;
    if (::write(told, &port, sizeof port) != sizeof port) ::_exit(1);
    char nothing = 0;
    while (::read(until, &nothing, 1) > 0) continue;
  }
  ::_exit(0);
}

double ServerProcess::memory_mib() const {
  std::istringstream status(text_of(process_, "status"));
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("RssAnon:")) return std::stod(line.substr(8)) / 1024;
  }
  throw std::runtime_error("the server has ended");
}

double ServerProcess::processor_seconds() const {
  const std::string text = text_of(process_, "stat");
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;  // up to the time in user mode
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace longshore::bench
