#include "redis/server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/assert.h"
#include "store/redis/slots.h"

namespace longshore::redis_test {
namespace {

using redis::Link;
using redis::Reply;
using redis::Words;

constexpr const char* script = "tests/redis/server.py";
constexpr int pause_millis = 10;
constexpr int pauses_max = 6000;

// In memory if possible: files survive a killed process there as well.
std::string new_folder(std::filesystem::path parent) {
  const bool has_memory = std::filesystem::is_directory("/dev/shm");
  if (parent.empty()) parent = has_memory ? "/dev/shm" : std::filesystem::temp_directory_path();
  std::string path = (parent / "longshore-redis-XXXXXX").string();
  LONGSHORE_ASSERT(::mkdtemp(path.data()) != nullptr, "tests can write to this directory");
  return path;
}

std::string url_of(bool cluster, std::span<const int> ports, const std::string& options) {
  std::string url = cluster ? "redis+cluster://" : "redis://";
  for (const int port : ports) {
    url += (url.back() == '/' ? "" : ",") + std::string("127.0.0.1:") + std::to_string(port);
    if (!cluster) break;
  }
  return url + (options.empty() ? "" : "?" + options);
}

std::vector<std::string> command_line(const OwnServers::Options& options,
                                      const std::string& folder) {
  std::vector<std::string> words = {"python3", "-B",      script,       "run",
                                    folder,    "--fsync", options.fsync};
  if (options.cluster) words.push_back("--cluster");
  if (!options.log) words.push_back("--no-log");
  for (const std::string& setting : options.settings) {
    words.push_back("--option");
    words.push_back(setting);
  }
  return words;
}

[[noreturn]] void become(std::vector<std::string> words, int in, int out) {
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execvp("python3", pointers.data());
  ::_exit(127);
}

Reply ask_port(int port, const Words& words) {
  const redis::Url url{.timeout = Duration::seconds(30)};
  auto link = Link::open(url, {.host = "127.0.0.1", .port = port}, nullptr);
  LONGSHORE_ASSERT(link.ok(), "the test's Redis server answers");
  auto reply = (*link)->ask(words);
  LONGSHORE_ASSERT(reply.ok(), "the test's Redis server answers");
  return std::move(*reply);
}

std::vector<int> read_ports(const std::string& folder) {
  std::ifstream file(folder + "/ports");
  std::vector<int> ports;
  for (int port = 0; file >> port;) ports.push_back(port);
  LONGSHORE_ASSERT(ports.size() > 1, "the shared Redis servers are running");
  return ports;
}

}  // namespace

std::string server_url(const std::string& options) {
  if (const char* given = std::getenv("LONGSHORE_TEST_REDIS")) {
    return url_of(false, read_ports(given), options);
  }
  static const OwnServers own;
  return own.url(options);
}

std::string cluster_url(const std::string& options) {
  if (const char* given = std::getenv("LONGSHORE_TEST_REDIS")) {
    const std::vector<int> ports = read_ports(given);
    return url_of(true, std::span(ports).subspan(1), options);
  }
  static const OwnServers own({.cluster = true});
  return own.url(options);
}

bool wait_until(const std::function<bool()>& holds) {
  for (int i = 0; i < pauses_max; ++i) {
    if (holds()) return true;
    ::poll(nullptr, 0, pause_millis);
  }
  return false;
}

OwnServers::OwnServers(const Options& options)
    : cluster_(options.cluster), folder_(new_folder(options.parent)) {
  std::array<int, 2> to;
  std::array<int, 2> from;
  LONGSHORE_ASSERT(::pipe2(to.data(), O_CLOEXEC) == 0 && ::pipe2(from.data(), O_CLOEXEC) == 0,
                   "tests can open pipes");
  script_ = ::fork();
  LONGSHORE_ASSERT(script_ >= 0, "tests can start a process");
  if (script_ == 0) become(command_line(options, folder_), to[0], from[1]);
  ::close(to[0]);
  ::close(from[1]);
  to_ = ::fdopen(to[1], "w");
  from_ = ::fdopen(from[0], "r");
  std::istringstream ready(read_line());
  std::string word;
  ready >> word;
  LONGSHORE_ASSERT(word == "ready", "the test's Redis servers start");
  for (int port = 0; ready >> port;) ports_.push_back(port);
}

OwnServers::~OwnServers() {
  std::fclose(to_);
  std::fclose(from_);
  ::waitpid(script_, nullptr, 0);
  std::filesystem::remove_all(folder_);
}

std::string OwnServers::read_line() {
  std::array<char, 256> line;
  return std::fgets(line.data(), line.size(), from_) == nullptr ? "" : line.data();
}

void OwnServers::tell(const char* verb, int node) {
  std::fprintf(to_, "%s %d\n", verb, node);
  std::fflush(to_);
  LONGSHORE_ASSERT(read_line() == "ok\n", "the test's Redis servers obey");
}

std::string OwnServers::url(const std::string& options) const {
  return url_of(cluster_, ports_, options);
}

Reply OwnServers::ask(const Words& words, int node) const { return ask_port(port(node), words); }

int OwnServers::primary_of(const std::string& tag) const {
  const Words slots = {"CLUSTER", "SLOTS"};
  for (int node = 0; node < size(); ++node) {
    const redis::Address asked{.host = "127.0.0.1", .port = port(node)};
    const redis::Url url{.timeout = Duration::seconds(5)};
    auto link = Link::open(url, asked, nullptr);
    if (!link) continue;
    const auto reply = (*link)->ask(slots);
    if (!reply) continue;
    const auto map = redis::SlotMap::read(*reply, asked);
    const auto* owner = map ? map->owner(redis::slot_of(tag)) : nullptr;
    if (owner != nullptr && *owner == asked) return node;
  }
  return -1;
}

}  // namespace longshore::redis_test
