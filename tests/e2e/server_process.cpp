#include "e2e/server_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <future>
#include <initializer_list>
#include <stdexcept>
#include <utility>

namespace longshore::e2e {
namespace {

const char* program() {
  const char* given = std::getenv("LONGSHORE_PROGRAM");
  return given != nullptr ? given : LONGSHORE_PROGRAM_FILE;
}

// A program with outputs in a pipe that this end reads.
struct Started {
  pid_t pid = 0;
  int out = -1;
};

[[noreturn]] void become(std::vector<char*> words, int pipe, std::initializer_list<int> outputs,
                         pid_t parent) {
  for (const int output : outputs) ::dup2(pipe, output);
  // A test that aborts kills nothing.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() == parent) ::execv(words[0], words.data());
  ::_exit(127);
}

Started run(const std::vector<std::string>& words, std::initializer_list<int> outputs) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  const Started started{.pid = ::fork(), .out = pipe[0]};
  if (started.pid == 0) become(std::move(arguments), pipe[1], outputs, parent);
  ::close(pipe[1]);
  if (started.pid < 0) throw std::runtime_error("cannot start " + words[0]);
  return started;
}

std::string read_line(int file) {
  std::string line;
  char c = 0;
  while (::read(file, &c, 1) == 1 && c != '\n') line += c;
  return line;
}

// The text of a string member of a log line; empty if it has none.
std::string member(const std::string& line, const std::string& name) {
  const std::string before = "\"" + name + "\":\"";
  const std::size_t begin = line.find(before);
  if (begin == std::string::npos) return "";
  const std::size_t from = begin + before.size();
  return line.substr(from, line.find('"', from) - from);
}

// Where a server serves, once it does; empty if it never will.
std::string url_in_log(int log) {
  std::string line;
  do {
    line = read_line(log);
  } while (!line.empty() && member(line, "message") != "serving");
  return member(line, "url");
}

std::string read_to_end(int file) {
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t got = 0; (got = ::read(file, piece.data(), piece.size())) > 0;) {
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

ServerProcess::ServerProcess(std::string store) : store_(std::move(store)) {}
ServerProcess::~ServerProcess() { kill(); }

std::string ServerProcess::make_token(const std::string& role) const {
  const Started made =
      run({program(), "token", "create", "--role", role, "--store", store_}, {STDOUT_FILENO});
  const std::string text = read_to_end(made.out);
  ::close(made.out);
  ::waitpid(made.pid, nullptr, 0);
  EXPECT_TRUE(text.ends_with('\n')) << "no token was made";
  return text.substr(0, text.find('\n'));
}

void ServerProcess::start(const std::vector<std::string>& options) {
  std::vector<std::string> words = {program(),  "serve",  "--store",      store_,
                                    "--listen", address_, "--log-format", "json"};
  words.insert(words.end(), options.begin(), options.end());
  std::promise<std::string> serving;
  std::future<std::string> url = serving.get_future();
  // The kernel kills the server with the thread that started it, hence with one that outlives it.
  log_reader_ = std::jthread([this, words, told = std::move(serving)]() mutable {
    try {
      // Both: if it had an output of this test's, whoever reads that would wait for the server too.
      const Started started = run(words, {STDOUT_FILENO, STDERR_FILENO});
      pid_ = started.pid;
      told.set_value(url_in_log(started.out));
      read_to_end(started.out);  // it would be stopped by a full pipe
      ::close(started.out);
    } catch (...) {
      told.set_exception(std::current_exception());
    }
  });
  url_ = url.get();
  ASSERT_FALSE(url_.empty()) << "the server did not start";
  address_ = url_.substr(url_.find("://") + 3);
}

void ServerProcess::kill() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = 0;
  if (log_reader_.joinable()) log_reader_.join();
}

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "longshore-e2e-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder");
  path_ = name;
}
ScratchFolder::~ScratchFolder() { std::filesystem::remove_all(path_); }

}  // namespace longshore::e2e
