#include "store/redis/fan_out.h"

#include <map>
#include <string>
#include <utility>

#include "store/redis/resp.h"

namespace longshore::redis {
namespace {

bool is_redirection(const Reply& reply) { return reply.code() == "MOVED" || reply.code() == "ASK"; }

Error unavailable(std::string message) {
  return {.code = Errc::unavailable, .message = std::move(message)};
}

class FanOut {
 public:
  FanOut(const Ways& ways, Lane& lane, std::span<const TaggedWords> calls)
      : ways_(ways), lane_(lane), calls_(calls) {}

  std::vector<Result<Reply>> run() {
    answers_.resize(calls_.size(), unavailable("a slot has no node"));
    for (const auto& [owner, places] : by_owner()) {
      auto replies = ask(owner, places);
      for (std::size_t i = 0; i < places.size(); ++i) {
        answers_[places[i]] = replies ? answer_of(places[i], std::move((*replies)[i]))
                                      : Result<Reply>(replies.error());
      }
    }
    return std::move(answers_);
  }

 private:
  using Places = std::vector<std::size_t>;

  std::map<Address, Places> by_owner() const {
    const auto map = ways_.topology.map();
    std::map<Address, Places> owners;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const Address* owner = map->owner(slot_of(calls_[i].tag));
      if (owner != nullptr) owners[*owner].push_back(i);
    }
    return owners;
  }

  Result<std::vector<Reply>> ask(const Address& owner, const Places& places) {
    if (auto why = ways_.topology.unreachable(owner)) return unavailable(std::move(*why));
    const auto link = lane_.link(owner);
    if (!link) return unavailable(link.error().message);
    std::string wire;
    for (const std::size_t place : places) append_command(wire, calls_[place].words);
    ++ways_.tally.exchanges;
    auto replies = (*link)->converse(wire, places.size());
    if (!replies) {
      lane_.drop(owner);
      ++ways_.tally.lost;
    }
    return replies;
  }

  // A slot that has moved is asked for where it is now.
  Result<Reply> answer_of(std::size_t place, Reply reply) {
    if (!is_redirection(reply)) {
      if (reply.is_error()) return error_of(reply, ways_.url.shown);
      return reply;
    }
    const Outgoing call{.words = &calls_[place].words};
    auto replies = Journey(ways_, lane_, calls_[place].tag, false).carry({&call, 1});
    if (!replies) return replies.error();
    if (replies->front().is_error()) return error_of(replies->front(), ways_.url.shown);
    return std::move(replies->front());
  }

  const Ways& ways_;
  Lane& lane_;
  const std::span<const TaggedWords> calls_;
  std::vector<Result<Reply>> answers_;
};

}  // namespace

std::vector<Result<Reply>> fan_out(const Ways& ways, Lane& lane,
                                   std::span<const TaggedWords> calls) {
  return FanOut(ways, lane, calls).run();
}

}  // namespace longshore::redis
