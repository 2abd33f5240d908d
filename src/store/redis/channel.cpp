#include "store/redis/channel.h"

#include <utility>

#include "store/redis/fan_out.h"
#include "store/redis/journey.h"
#include "store/redis/lane.h"
#include "store/redis/listener.h"
#include "store/redis/tally.h"
#include "store/redis/tls.h"
#include "store/redis/topology.h"
#include "store/redis/watchdog.h"

namespace longshore::redis {
namespace {

class WireChannel final : public Channel {
 public:
  WireChannel(const Url& url, const ChannelOptions& options, std::shared_ptr<TlsContext> tls)
      : url_(url),
        tls_(std::move(tls)),
        tally_(options.alarm),
        topology_(url_, tls_.get()),
        lanes_(url_, tls_.get(), tally_),
        watchdog_(url_, tls_.get(), topology_, tally_, options.accepted) {}

  Result<Nothing> open() {
    if (const auto found = topology_.refresh(); !found) return found;
    if (const auto fit = watchdog_.first_look(); !fit) return fit;
    replicas_ = watchdog_.standing().replicas_awaited;
    watchdog_.start();
    return Nothing{};
  }

  Result<std::vector<Reply>> exchange(std::string_view tag, std::span<const Words> calls,
                                      bool durable) override {
    std::vector<Outgoing> outgoing;
    for (const Words& words : calls) outgoing.push_back({.words = &words});
    return carry(tag, outgoing, durable);
  }
  Result<std::vector<Reply>> run_all(std::string_view tag, std::span<const ScriptCall> calls,
                                     bool durable) override {
    std::vector<Outgoing> outgoing;
    for (const ScriptCall& call : calls) outgoing.push_back({.run = &call});
    return carry(tag, outgoing, durable);
  }

  std::vector<Result<Reply>> exchange_each(std::span<const TaggedWords> calls) override {
    const Ways ways = ways_of();
    Lanes::Hold hold(lanes_);
    return fan_out(ways, hold.lane(), calls);
  }

  Standing standing() const override { return watchdog_.standing(); }
  ConditionBook& conditions() override { return watchdog_.conditions(); }
  Counts counts() const override { return tally_.counts(); }
  const Url& url() const override { return url_; }

  std::unique_ptr<Subscription> subscribe(std::vector<std::string> channels) override {
    return std::make_unique<Listener>(url_, tls_.get(), topology_, tally_, std::move(channels));
  }
  const std::string& publish_word() const override {
    static const std::string everywhere = "PUBLISH";
    static const std::string in_slot = "SPUBLISH";
    return url_.cluster ? in_slot : everywhere;
  }

 private:
  Ways ways_of() {
    return {.url = url_,
            .topology = topology_,
            .tally = tally_,
            .channel_id = watchdog_.channel_id(),
            .replicas = replicas_};
  }
  Result<std::vector<Reply>> carry(std::string_view tag, std::span<const Outgoing> calls,
                                   bool durable) {
    const Ways ways = ways_of();
    Lanes::Hold hold(lanes_);
    return Journey(ways, hold.lane(), tag, durable).carry(calls);
  }

  // Constant once open.
  const Url url_;
  const std::shared_ptr<TlsContext> tls_;  // null without TLS
  int replicas_ = 0;

  // In the order of opening; closed in reverse.
  Tally tally_;
  Topology topology_;
  Lanes lanes_;
  Watchdog watchdog_;
};

}  // namespace

Result<Reply> Channel::run(std::string_view tag, const ScriptCall& call, bool durable) {
  auto replies = run_all(tag, {&call, 1}, durable);
  if (!replies) return replies.error();
  return std::move(replies->front());
}

Result<std::unique_ptr<Channel>> connect(const Url& url, const ChannelOptions& options) {
  std::shared_ptr<TlsContext> tls;
  if (url.tls) {
    auto made = TlsContext::make(url);
    if (!made) return made.error();
    tls = std::move(*made);
  }
  auto channel = std::make_unique<WireChannel>(url, options, std::move(tls));
  if (const auto opened = channel->open(); !opened) return opened.error();
  return std::unique_ptr<Channel>(std::move(channel));
}

}  // namespace longshore::redis
