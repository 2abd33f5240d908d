#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/process_secrets.h"

namespace {

// Whether output was lost, for example on a full disk. A reader that closed the pipe, such as
// `head`, is not an error.
bool is_output_lost() {
  std::cout.flush();
  if (std::cout) return false;
  pollfd reader{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&reader, 1, 0) < 0 || (reader.revents & (POLLERR | POLLHUP)) == 0;
}

longshore::ExitCode run(int argc, char** argv) {
  std::vector<std::string> copies(argv, argv + argc);
  longshore::hide_secrets(argc, argv);
  longshore::hide_environment(::environ);
  std::vector<char*> arguments;
  for (std::string& copy : copies) arguments.push_back(copy.data());
  arguments.push_back(nullptr);
  const longshore::ExitCode code = longshore::run_command_line(argc, arguments.data());
  if (code != longshore::ExitCode::done || !is_output_lost()) return code;
  std::cerr << "error: cannot write to standard output" << std::endl;
  return longshore::ExitCode::failed;
}

}  // namespace

int main(int argc, char** argv) {
  // If a standard descriptor is closed, the next file we open would take its place.
  while (true) {
    const int free = ::open("/dev/null", O_RDWR);
    if (free < 0 || free > 2) break;
  }
  // A closed pipe is an error of the write and must not end the program.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return static_cast<int>(run(argc, argv));
  } catch (const std::exception& thrown) {
    std::cerr << "error: " << thrown.what() << std::endl;
    return static_cast<int>(longshore::ExitCode::internal);
  }
}
