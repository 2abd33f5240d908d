#include "store/redis/topology.h"

#include <algorithm>
#include <utility>

#include "store/redis/link.h"

namespace longshore::redis {

Topology::Topology(const Url& url, const TlsContext* tls)
    : url_(url), tls_(tls), map_(std::make_shared<const SlotMap>(url.hosts.front())) {}

std::shared_ptr<const SlotMap> Topology::map() const {
  MutexLock lock(mutex_);
  return map_;
}

void Topology::set(SlotMap map) {
  auto shared = std::make_shared<const SlotMap>(std::move(map));
  MutexLock lock(mutex_);
  map_ = std::move(shared);
}

void Topology::moved(const Direction& direction) {
  const auto known = map();
  const Address* owner = known->owner(direction.slot);
  if (owner == nullptr || *owner != direction.to) set(known->with(direction.slot, direction.to));
}

// Another one first each time: a node that was cut off may go on telling an old map. Those that
// could not be reached come last.
std::vector<Address> Topology::candidates() {
  MutexLock lock(mutex_);
  std::vector<Address> nodes = map_->nodes();
  for (const Address& host : url_.hosts) {
    if (std::ranges::find(nodes, host) == nodes.end()) nodes.push_back(host);
  }
  std::ranges::rotate(nodes, nodes.begin() + static_cast<std::ptrdiff_t>(asked_++ % nodes.size()));
  std::ranges::stable_partition(
      nodes, [this](const Address& node) { return !unreachable_.contains(node); });
  return nodes;
}

void Topology::note_unreachable(const Address& address, const std::string& why) {
  MutexLock lock(mutex_);
  unreachable_[address] = why;
}

void Topology::note_reachable(const Address& address) {
  MutexLock lock(mutex_);
  unreachable_.erase(address);
}

std::optional<std::string> Topology::unreachable(const Address& address) const {
  MutexLock lock(mutex_);
  const auto found = unreachable_.find(address);
  return found == unreachable_.end() ? std::nullopt : std::optional(found->second);
}

Result<SlotMap> Topology::ask(const Address& address) const {
  auto link = Link::open(url_, address, tls_);
  if (!link) return link.error();
  const std::vector<std::string> question = {"CLUSTER", "SLOTS"};
  const auto reply = (*link)->ask(question);
  if (!reply) return reply.error();
  if (reply->is_error()) {
    return Error{.code = Errc::refused, .message = to_text(address) + ": " + reply->text};
  }
  return SlotMap::read(*reply, address);
}

Result<Nothing> Topology::refresh() {
  if (!url_.cluster || !refreshing_.try_lock()) return Nothing{};
  Error last{.code = Errc::unavailable, .message = "no node answers"};
  bool found = false;
  for (const Address& address : candidates()) {
    auto map = ask(address);
    if (map && map->whole()) {
      set(std::move(*map));
      found = true;
      break;
    }
    last = map ? Error{.code = Errc::unavailable,
                       .message = to_text(address) + ": some slots have no node"}
               : map.error();
  }
  refreshing_.unlock();
  if (found) return Nothing{};
  return last;
}

}  // namespace longshore::redis
