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
  // Serves the store of that URL once it has been started.
  explicit ServerProcess(std::string store);
  ~ServerProcess();  // kills it
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // A new token of that role. REQUIRES: it does not run, since a file has one process at a time.
  std::string make_token(const std::string& role) const;

  // Blocks until it serves. The second start serves at the same address.
  void start(const std::vector<std::string>& options = {});
  void kill();  // SIGKILL, and gone

  const std::string& url() const { return url_; }

 private:
  const std::string store_;
  std::string url_;
  std::string address_ = "127.0.0.1:0";
  pid_t pid_ = 0;
  std::jthread log_reader_;
};

// A folder that is removed with everything in it.
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
