// A real server for C++ tests: the program itself, in a folder of its own, ended with the test,
// however that ends.
#pragma once

#include <sys/types.h>

#include <string>
#include <thread>
#include <vector>

namespace longshore::e2e {

class ServerProcess {
 public:
  // Serves this store once it is started.
  explicit ServerProcess(std::string store);
  ~ServerProcess();  // kills it
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // Creates a token of that role. REQUIRES: it does not run, since only one process may open a
  // file.
  std::string make_token(const std::string& role) const;

  // Blocks until it is ready. A second start uses the same address.
  void start(const std::vector<std::string>& options = {});
  void kill();  // SIGKILL, and waits

  const std::string& url() const { return url_; }

 private:
  const std::string store_;
  std::string url_;
  std::string address_ = "127.0.0.1:0";
  pid_t pid_ = 0;
  std::jthread log_reader_;
};

// A temporary folder, removed with its content.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace longshore::e2e
