// Real Redis servers for tests. Under ctest all tests share one server and one cluster, which are
// named in the environment; a program that is run without ctest starts its own, which end with it.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "store/redis/channel.h"
#include "store/redis/link.h"

namespace longshore::redis_test {

// redis://... of the shared server and redis+cluster://... of the shared cluster, with further
// options such as "prefix=x&lanes=2". Tests are separated by their prefix.
std::string server_url(const std::string& options);
std::string cluster_url(const std::string& options);

// Separate servers that a test may damage. They end with this object, and with this process even if
// it crashes.
class OwnServers {
 public:
  struct Options {
    bool cluster = false;  // three primaries, then a replica of each in the same order
    std::string fsync = "always";
    bool log = true;
    std::vector<std::string> settings = {};  // "name=value" of redis.conf
    std::string parent = {};                 // parent folder; empty: in memory, if possible
  };
  OwnServers() : OwnServers(Options()) {}
  explicit OwnServers(const Options& options);
  ~OwnServers();
  OwnServers(const OwnServers&) = delete;
  OwnServers& operator=(const OwnServers&) = delete;

  std::string url(const std::string& options) const;
  int size() const { return static_cast<int>(ports_.size()); }
  int port(int node) const { return ports_[static_cast<std::size_t>(node)]; }
  const std::string& folder() const { return folder_; }

  // kill -9.
  void kill(int node = 0) { tell("kill", node); }
  // After a kill, with the same files; returns when it answers.
  void start(int node = 0) { tell("start", node); }
  // SIGSTOP and SIGCONT.
  void freeze(int node = 0) { tell("stop", node); }
  void thaw(int node = 0) { tell("continue", node); }

  // One command on a separate connection; aborts if the server is down.
  redis::Reply ask(const redis::Words& words, int node = 0) const;
  // The node that is the primary of the tag's slot, as that node itself sees it.
  int primary_of(const std::string& tag) const;

 private:
  void tell(const char* verb, int node);
  std::string read_line();

  const bool cluster_;
  const std::string folder_;
  pid_t script_ = -1;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
  std::vector<int> ports_;
};

// Polls until the condition holds; false after a minute.
bool wait_until(const std::function<bool()>& holds);

}  // namespace longshore::redis_test
