// Many clients of an HTTP server in few threads: each sends a request, waits for the response and
// sends the next one, immediately or at a given rate. Cheap enough to leave the processors to the
// server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace longshore::bench {

// Latencies, accurate to four per cent.
class LatencyHistogram {
 public:
  void add(std::uint64_t nanos);
  void add(const LatencyHistogram& other);
  std::uint64_t count() const { return count_; }
  // The quantile in milliseconds.
  double quantile(double part) const;

 private:
  std::vector<std::uint64_t> buckets_ = std::vector<std::uint64_t>(64 * 32);
  std::uint64_t count_ = 0;
};

struct HttpLoad {
  std::uint16_t port = 0;
  int connections = 64;
  int threads = 1;
  double seconds = 2;
  std::string request;    // as it goes over the wire
  double per_second = 0;  // of all clients together; 0: unlimited
};

struct HttpLoadResult {
  std::uint64_t answers = 0;  // 2xx
  std::uint64_t refused = 0;  // any other answer
  std::uint64_t broken = 0;   // connections that ended
  double seconds = 0;
  double processor_seconds = 0;  // of the clients alone
  LatencyHistogram latency;      // of the 2xx
  LatencyHistogram refused_latency;

  std::uint64_t sent = 0;

  double per_second() const { return static_cast<double>(answers) / seconds; }
};

// Aborts if the server cannot be reached.
HttpLoadResult run_http_load(const HttpLoad& load);

// A connection to a port of the loopback address, or -1.
int connect_to(std::uint16_t port);

// A POST with this JSON body, ready to be sent.
std::string post_request(const std::string& target, const std::string& body);

}  // namespace longshore::bench
