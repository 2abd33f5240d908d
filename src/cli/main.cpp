#include <fcntl.h>

#include <csignal>
#include <exception>
#include <iostream>

#include "cli/command.h"

int main(int argc, char** argv) {
  // Whoever starts us with a standard file closed would have the next one we open in its place.
  while (true) {
    const int free = ::open("/dev/null", O_RDWR);
    if (free < 0 || free > 2) break;
  }
  // A reader that went away is an error of the write, not the end of the program.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return static_cast<int>(longshore::run_command_line(argc, argv));
  } catch (const std::exception& thrown) {
    std::cerr << "error: " << thrown.what() << std::endl;
    return static_cast<int>(longshore::ExitCode::internal);
  }
}
