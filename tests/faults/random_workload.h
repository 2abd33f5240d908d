// A random workload for a store: a sequence of commits with all commands, determined by a seed and
// by the store's answers so far.
#pragma once

#include <string>
#include <vector>

#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "longshore/command.h"
#include "longshore/store.h"

namespace longshore::faults {

// Not safe to share between threads.
class RandomWorkload {
 public:
  explicit RandomWorkload(std::uint64_t seed);

  // How much time passes before the next commit.
  Duration pause();
  // The commands of the next commit: one or a few. The first commits register a node, configure
  // queues and create some jobs.
  std::vector<Command> next(Instant now);
  // The store acknowledged them.
  void learn(const Committed& committed);

 private:
  using Maker = Command (RandomWorkload::*)();
  struct Choice {
    int weight;
    Maker make;
  };

  struct Known {
    std::string ns;
    JobId id;
  };
  struct Held {
    std::string ns;
    JobId job;
    LeaseToken token;
  };

  Command any();
  Command enqueue();
  Command enqueue_group();
  Command claim();
  Command heartbeat();
  Command complete();
  Command fail();
  Command release();
  Command hand_off();
  Command finish_by_key();
  Command cancel();
  Command promote();
  Command resolve();
  Command redrive();
  Command pause_queue();
  Command sweeps();
  Command nodes();
  Command observe();
  Command configure();

  NewJob job();
  std::string payload();
  Held lease();
  Known known_job();
  std::string ns() { return random_.chance(0.8) ? "main" : "side"; }
  std::string one_of(std::initializer_list<const char*> words);
  RequestId request() { return random_id<RequestId>(random_); }
  bool chance(double probability) { return random_.chance(probability); }
  int below(int bound) { return static_cast<int>(random_.below(static_cast<unsigned>(bound))); }

  SeededRandom random_;
  JobIds ids_{random_};
  Instant now_;
  int commits_ = 0;
  int serial_ = 0;
  NodeId node_;
  std::vector<Known> jobs_;
  std::vector<Held> leases_;
  std::vector<Command> sent_;
};

}  // namespace longshore::faults
