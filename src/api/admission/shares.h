// Limits on what requests hold at once, and their fair shares. A namespace may hold at most a share
// of what the others leave, and a token at most that share of what the other tokens of its
// namespace leave. So no client can exhaust a limit for all others.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "api/wire/problem.h"
#include "api/wire/route.h"
#include "core/sync/mutex.h"

namespace longshore {

enum class Limit { requests, bytes, streams, polls, queues };
inline constexpr std::size_t limit_count = 5;

struct LimitOptions {
  std::size_t requests = 20'000;           // in progress, waiting ones included
  std::size_t bytes = 1024 * 1024 * 1024;  // of their bodies
  std::size_t streams = 2'000;             // of events
  std::size_t polls = 20'000;              // waits for a job, and long polls for leases
  std::size_t queues = 200'000;            // named by waiting lease requests, summed up
  double share = 0.75;
  Duration scan_time = Duration::seconds(10);  // of one list
};

// Safe to share between threads.
class Shares {
 public:
  explicit Shares(const LimitOptions& limits);

  struct Amount {
    Limit limit = Limit::requests;
    std::size_t amount = 1;
  };
  // Destroying it releases what it holds. Must not outlive the shares.
  class Hold;
  using HoldRef = std::shared_ptr<Hold>;  // shared by what the call waits for

  // All or nothing; the OVERLOADED problem names the limit. Callers without a token have no share
  // limit.
  std::variant<HoldRef, Problem> take(const Caller& caller, std::vector<Amount> amounts);
  // The same for requests that are never refused.
  HoldRef count(const Caller& caller, std::vector<Amount> amounts);

  std::size_t held(Limit limit) const;

 private:
  struct OfNamespace {
    std::size_t all = 0;
    std::unordered_map<std::string, std::size_t> tokens;
  };
  struct Usage {
    std::size_t all = 0;
    std::unordered_map<std::string, OfNamespace> namespaces;
  };

  bool has_room(const Caller& caller, const Amount& wanted) const;
  void add(const Caller& caller, const Amount& amount);
  void give_back(const std::string& ns, const std::string& token,
                 const std::vector<Amount>& amounts);

  const std::array<std::size_t, limit_count> most_;
  const double share_;

  mutable Mutex mutex_;
  std::array<Usage, limit_count> usage_ LONGSHORE_GUARDED_BY(mutex_);
};

class Shares::Hold {
 public:
  Hold(Shares& shares, const Caller& caller, std::vector<Amount> amounts)
      : shares_(shares), ns_(caller.ns), token_(caller.token), amounts_(std::move(amounts)) {}
  ~Hold() { shares_.give_back(ns_, token_, amounts_); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  Shares& shares_;
  const std::string ns_;
  const std::string token_;
  const std::vector<Amount> amounts_;
};

// "limits.polls", as the option is called.
std::string_view name_of(Limit limit);

}  // namespace longshore
