// One exchange on its way: sent, sent on, waited for, judged.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/error.h"
#include "store/redis/channel.h"
#include "store/redis/lane.h"
#include "store/redis/tally.h"
#include "store/redis/topology.h"

namespace longshore::redis {

// What a journey needs of its channel. All must outlive the journey.
struct Ways {
  const Url& url;
  Topology& topology;
  Tally& tally;
  const std::string& channel_id;  // unlike that of any other channel
  int replicas = 0;               // to wait for
};

// A command or the run of a script.
struct Outgoing {
  const Words* words = nullptr;
  const ScriptCall* run = nullptr;
};

class Journey {
 public:
  Journey(const Ways& ways, Lane& lane, std::string_view tag, bool durable);

  // As Channel::exchange. Once.
  Result<std::vector<Reply>> carry(std::span<const Outgoing> calls);

 private:
  // What a reply of a round belongs to.
  enum class Part { call, asking, load, witness, wait };
  struct Expected {
    Part part = Part::call;
    std::size_t call = 0;
  };
  // What the replies of a round ask for.
  struct Next {
    std::optional<Direction> moved = {};
    std::optional<Direction> ask = {};
    bool again = false;  // the server cannot just now
    std::string why = {};
  };

  Result<Link*> find_link();
  std::int64_t elapsed_millis() const;
  Result<Nothing> go(Link& link);
  void tell_sent() const;
  void write_call(Link& link, std::size_t index);
  void write_run(Link& link, const ScriptCall& run, std::size_t index);
  void write_tail();
  void write_witness();
  void add(Part part, std::size_t call = 0) { expected_.push_back({part, call}); }
  Result<Nothing> hear(Link& link, std::vector<Reply> replies);
  // True if the call is done; otherwise it stays on its way.
  bool settle(Link& link, std::size_t index, Reply reply);
  Result<Nothing> judge_witness(const Reply& reply);
  Result<Nothing> judge_wait(const Reply& reply);
  Result<Nothing> redirect();
  Result<Nothing> wait_a_little(const std::string& why);
  Error give_up(const std::string& why) const;

  const Ways& ways_;
  Lane& lane_;
  const std::string_view tag_;
  const bool durable_;
  const int slot_;

  std::span<const Outgoing> calls_;
  std::vector<Reply> replies_;
  std::vector<std::size_t> pending_;  // calls that are not done, in order
  std::optional<Address> asked_;      // where ASK sent the next round
  bool events_ = false;               // something has been done
  int pauses_ = 0;
  int redirections_ = 0;  // since the last pause
  int paused_millis_ = 0;
  const std::int64_t began_;  // steady_micros()

  // Of one round.
  std::string wire_;
  std::vector<Expected> expected_;
  Next next_;
};

}  // namespace longshore::redis
