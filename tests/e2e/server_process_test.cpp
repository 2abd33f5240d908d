#include "e2e/server_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "deadline.h"
#include "longshore/longshore.h"

namespace longshore::e2e {
namespace {

// A test that starts a server, says where, and aborts.
[[noreturn]] void abort_beside_a_server(const std::string& folder, int output) {
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ServerProcess server("sqlite:" + folder + "/jobs.db");
  server.start();
  std::printf("\nserves %s\n", server.url().c_str());
  std::fflush(stdout);
  std::abort();
}

// What comes until the last process that can write there has ended.
std::string read_until_all_ended(int file) {
  constexpr int longest = std::chrono::milliseconds(test_deadline).count();
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t got = 1; got > 0;) {
    pollfd waiting{.fd = file, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, longest) <= 0) return text + "and no end";
    got = ::read(file, piece.data(), piece.size());
    if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return text;
}

// ctest waits until nobody can write to a test's output any more.
TEST(ServerProcess, EndsWithATestThatAborts) {
  const ScratchFolder folder;
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  const pid_t test = ::fork();
  if (test == 0) abort_beside_a_server(folder.path(), pipe[1]);
  ::close(pipe[1]);
  const std::string output = read_until_all_ended(pipe[0]);
  ::close(pipe[0]);
  ::waitpid(test, nullptr, 0);
  const std::size_t told = output.find("\nserves http://");
  ASSERT_NE(told, std::string::npos) << output;
  EXPECT_EQ(output.find("and no end"), std::string::npos) << output;
  const std::size_t from = output.find("http://", told);
  const std::string url = output.substr(from, output.find('\n', from) - from);
  EXPECT_TRUE(
      eventually([&] { return !open(url, {.retry_for = std::chrono::milliseconds(1)}).ok(); }));
}

}  // namespace
}  // namespace longshore::e2e
