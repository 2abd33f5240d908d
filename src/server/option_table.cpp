#include "server/option.h"
#include "server/rule_options.h"

namespace longshore {
namespace {

using Kind = Option::Kind;

constexpr std::int64_t mebibyte = 1024 * 1024;

const std::vector<Option> table = {
    // ---- Where jobs are kept, and how they are judged
    {.name = "store",
     .fallback = "sqlite:longshore.db",
     .help = "where jobs are kept: sqlite:PATH, postgres://USER@HOST/DATABASE, memory:"},
    {.name = "profile",
     .kind = Kind::choice,
     .fallback = "native",
     .help = "the rules jobs live by; a store keeps those it was made with",
     .words = {"native", "basic", "endpoints", "scheduler", "external", "orchestrator"}},
    {.name = "accept-durability",
     .kind = Kind::choice,
     .fallback = "A",
     .help = "the weakest durability class you accept of the store",
     .words = {"A", "B", "C"}},
    {.name = "idempotency.mismatch",
     .kind = Kind::choice,
     .fallback = "accept",
     .help = "what a known idempotency key with another body gets",
     .words = {"accept", "reject"}},
    {.name = "node-name", .help = "what operators see this node as; empty: the host's name"},
    // ---- The server
    {.name = "listen", .fallback = "127.0.0.1:7788", .help = "address and port to serve on"},
    {.name = "base-url",
     .help = "how clients reach the server, where a proxy changes that; shown at the start"},
    {.name = "tls-cert", .help = "file of the certificate chain, PEM; SIGHUP reads it again"},
    {.name = "tls-key", .help = "file of the certificate's private key, PEM"},
    {.name = "allow-plaintext",
     .kind = Kind::boolean,
     .fallback = "false",
     .help = "serve without TLS on an address that others can reach"},
    {.name = "token-key",
     .help = "secret under which tokens are hashed; the same on every node",
     .secret = true},
    {.name = "io-threads",
     .kind = Kind::natural,
     .fallback = "0",
     .help = "threads that read and write sockets; 0: as many as processors, at most 4",
     .most = 256},
    {.name = "limits.connections",
     .kind = Kind::natural,
     .fallback = "20000",
     .help = "connections at once",
     .least = 1,
     .most = 1'000'000},
    {.name = "limits.body-bytes",
     .kind = Kind::natural,
     .fallback = "2097152",
     .help = "largest body of a request",
     .least = 1024,
     .most = 2 * mebibyte},
    {.name = "limits.batch-bytes",
     .kind = Kind::natural,
     .fallback = "16777216",
     .help = "largest body of a batch or a settlement of many",
     .least = 1024,
     .most = 16 * mebibyte},
    {.name = "limits.header-time",
     .kind = Kind::duration,
     .fallback = "10s",
     .help = "how long the headers of a request may take"},
    {.name = "limits.body-time",
     .kind = Kind::duration,
     .fallback = "30s",
     .help = "how long the body of a request may take"},
    {.name = "limits.idle-time",
     .kind = Kind::duration,
     .fallback = "75s",
     .help = "how long a connection may stay open without a request"},
    {.name = "log-format",
     .kind = Kind::choice,
     .fallback = "human",
     .help = "how log lines are written",
     .words = {"human", "json"}},
    {.name = "log-level",
     .kind = Kind::choice,
     .fallback = "info",
     .help = "the least serious line that is logged",
     .words = {"debug", "info", "warn", "error"}},
    // ---- Whoever talks to a server
    {.name = "server", .fallback = "http://127.0.0.1:7788", .help = "the server to talk to"},
    {.name = "token", .help = "what proves who you are to the server", .secret = true},
    {.name = "ca-cert", .help = "file of certificates to trust instead of the system's, PEM"},
    {.name = "json", .kind = Kind::boolean, .fallback = "false", .help = "print for machines"},
    // ---- A worker
    {.name = "queue",
     .kind = Kind::list,
     .fallback = "default",
     .help = "queues to take jobs from, in this order"},
    {.name = "concurrency",
     .kind = Kind::natural,
     .fallback = "0",
     .help = "jobs at once; 0: the number of processors",
     .most = 10'000},
    {.name = "exec", .kind = Kind::list, .help = "TYPE=PROGRAM: run a program for such jobs"},
    {.name = "worker-name", .help = "what operators see this worker as; empty: host and process"},
    {.name = "lease-time",
     .kind = Kind::duration,
     .fallback = "30s",
     .help = "how long a job stays with a worker that is not heard of"},
    {.name = "grace",
     .kind = Kind::duration,
     .fallback = "25s",
     .help = "what running jobs get to finish in when the worker is stopped"},
};

}  // namespace

std::span<const Option> all_options() {
  static const std::vector<Option> all = [] {
    std::vector<Option> options = table;
    options.insert(options.end(), rule_options().begin(), rule_options().end());
    return options;
  }();
  return all;
}

}  // namespace longshore
