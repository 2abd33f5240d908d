#include "store/redis/listener.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <utility>

namespace longshore::redis {
namespace {

// Who has not listened for so long looks at everything anyway.
constexpr std::size_t messages_kept = 4096;
constexpr int reconnect_millis = 200;
constexpr int silence_millis = 2000;
constexpr Duration patience_max = Duration::hours(1);

// Between the first braces, or all of it.
std::string_view tag_of(std::string_view name) {
  const std::size_t open = name.find('{');
  const std::size_t close = open == name.npos ? open : name.find('}', open);
  if (close == name.npos || close == open + 1) return name;
  return name.substr(open + 1, close - open - 1);
}

}  // namespace

Listener::Listener(const Url& url, const TlsContext* tls, Topology& topology, Tally& tally,
                   std::vector<std::string> channels)
    : url_(url),
      tls_(tls),
      topology_(topology),
      tally_(tally),
      channels_(std::move(channels)),
      slot_(slot_of(tag_of(channels_.front()))),
      bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  thread_ = std::thread([this] { run(); });
}

Listener::~Listener() {
  stop();
  closing_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(bell_, &one, sizeof one);
  thread_.join();
  ::close(bell_);
}

std::vector<Message> Listener::wait(Duration longest) {
  const Duration patience = std::clamp(longest, Duration(), patience_max);
  MutexLock lock(mutex_);
  // The predicate runs with the mutex held; the checker cannot see that.
  changed_.wait_for(mutex_, std::chrono::milliseconds(patience.count()), [this] {
    mutex_.assert_held();
    return stopped_ || !heard_.empty();
  });
  std::deque<Message> heard = std::exchange(heard_, {});
  return {std::make_move_iterator(heard.begin()), std::make_move_iterator(heard.end())};
}

void Listener::stop() {
  MutexLock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

bool Listener::wait_for_bell(int millis) const {
  pollfd asked{.fd = bell_, .events = POLLIN, .revents = 0};
  return ::poll(&asked, 1, millis) > 0;
}

void Listener::run() {
  while (!closing_) {
    const auto map = topology_.map();
    const Address* owner = map->owner(slot_);
    if (owner != nullptr) {
      auto link = Link::open(url_, *owner, tls_);
      if (link) serve(**link);
    }
    hears_ = false;
    if (closing_ || wait_for_bell(reconnect_millis)) return;
    [[maybe_unused]] const auto refreshed = topology_.refresh();
  }
}

void Listener::serve(Link& link) {
  ++tally_.connected;
  std::string wire;
  std::vector<std::string> words = {url_.cluster ? "SSUBSCRIBE" : "SUBSCRIBE"};
  words.insert(words.end(), channels_.begin(), channels_.end());
  append_command(wire, words);
  if (!link.stream().send(wire)) return;
  const std::vector<std::string> ping = {"PING"};
  bool waits_for_pong = false;
  while (!closing_) {
    while (auto reply = link.reader().next()) {
      if (!hear(*reply)) return;
      waits_for_pong = false;
    }
    if (link.reader().broken()) return;
    if (!link.stream().wait_readable(bell_, silence_millis)) {
      // A connection that is silent may be dead; only an answer tells.
      if (closing_ || waits_for_pong) return;
      waits_for_pong = true;
      wire.clear();
      append_command(wire, ping);
      if (!link.stream().send(wire)) return;
      continue;
    }
    std::string bytes;
    if (!link.stream().receive(bytes)) return;
    link.reader().feed(bytes);
  }
}

bool Listener::hear(const Reply& reply) {
  if (reply.is_error()) return false;
  if (reply.kind != Reply::Kind::array || reply.items.empty()) return true;
  const std::string& kind = reply.items.front().text;
  // The slot has gone elsewhere.
  if (kind == "sunsubscribe") return false;
  if (kind == "subscribe" || kind == "ssubscribe") hears_ = true;
  if ((kind != "message" && kind != "smessage") || reply.items.size() < 3) return true;
  MutexLock lock(mutex_);
  heard_.push_back({.channel = reply.items[1].text, .text = reply.items[2].text});
  if (heard_.size() > messages_kept) heard_.pop_front();
  changed_.notify_all();
  return true;
}

}  // namespace longshore::redis
