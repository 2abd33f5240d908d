#include "store/redis/watchdog.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "core/time/clock.h"
#include "store/redis/lane.h"

namespace longshore::redis {
namespace {

constexpr auto between_looks = std::chrono::seconds(1);
constexpr std::int64_t seconds_between_maps = 10;

// The nearer of the two to its limit.
bool is_fuller(const Facts& facts, const Standing& standing) {
  const auto share = [](std::int64_t used, std::int64_t most) {
    return most == 0 ? 0.0 : static_cast<double>(used) / static_cast<double>(most);
  };
  return share(facts.memory_used, facts.memory_max) >=
         share(standing.memory_used, standing.memory_max);
}

std::string trouble_of(const Facts& facts, bool cluster) {
  if (auto fault = unfit(facts, cluster)) return *fault;
  const std::string weakness = complaint(facts);
  return weakness.empty() ? warning(facts) : weakness;
}

}  // namespace

Watchdog::Watchdog(const Url& url, const TlsContext* tls, Topology& topology, Tally& tally,
                   std::optional<Durability> accepted)
    : url_(url), tls_(tls), topology_(topology), tally_(tally), accepted_(accepted) {}

Watchdog::~Watchdog() {
  {
    MutexLock lock(mutex_);
    ended_ = true;
    ending_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

Standing Watchdog::standing() const {
  MutexLock lock(mutex_);
  return standing_;
}

Result<Facts> Watchdog::look_at(const Address& address) {
  std::unique_ptr<Link>& link = links_[address];
  if (!link || !link->usable()) {
    auto opened = Link::open(url_, address, tls_);
    if (!opened) return opened.error();
    link = std::move(*opened);
  }
  auto facts = inspect(*link);
  if (!facts) link.reset();
  return facts;
}

// A server's run and a client's number in it: nobody else ever had both.
Result<Nothing> Watchdog::name_channel(const Facts& facts, const Address& address) {
  const std::vector<std::string> question = {"CLIENT", "ID"};
  const auto number = links_[address]->ask(question);
  if (!number) return number.error();
  if (number->kind != Reply::Kind::integer) {
    return Error{.code = Errc::refused, .message = to_text(address) + ": " + number->text};
  }
  channel_id_ = facts.run_id.substr(0, 16) + "-" + std::to_string(number->integer);
  return Nothing{};
}

// While it loads, Redis says that it has no log.
Result<Facts> Watchdog::look_once_loaded(const Address& address) {
  constexpr int pause_millis = 50;
  const std::int64_t until = steady_micros() + url_.patience.count() * 1000;
  auto facts = look_at(address);
  while (facts && facts->loading) {
    if (steady_micros() > until) {
      return Error{.code = Errc::unavailable, .message = to_text(address) + ": it loads its data"};
    }
    pause_for(pause_millis);
    facts = look_at(address);
  }
  return facts;
}

Result<Nothing> Watchdog::first_look() {
  Seen seen;
  const auto map = topology_.map();
  bool has_replicas = false;
  bool too_few = false;
  const auto refused = [&](const Address& address, const std::string& why) {
    return Error{.code = Errc::refused, .message = to_text(address) + ": " + why};
  };
  seen.sighting.durability = Durability::a;
  for (const Address& address : map->primaries()) {
    const auto facts = look_once_loaded(address);
    if (!facts) return facts.error();
    if (const auto fault = unfit(*facts, url_.cluster)) return refused(address, *fault);
    if (channel_id_.empty()) {
      if (const auto named = name_channel(*facts, address); !named) return named;
    }
    add(*facts, address, seen);
    const Durability durability = seen.sighting.durability;
    if (url_.accepted && durability > *url_.accepted) {
      return refused(address, std::string("durability class ") + letter_of(durability) + ": " +
                                  complaint(*facts));
    }
    has_replicas = has_replicas || facts->replicas > 0;
    too_few = too_few || facts->replicas < url_.replicas.value_or(0);
  }
  if (too_few) return refused(map->primaries().front(), "a primary has fewer replicas than asked");
  replicas_ = url_.replicas.value_or(has_replicas ? 1 : 0);
  seen.standing.reachable = true;
  seen.standing.primaries = static_cast<int>(map->primaries().size());
  seen.standing.replicas_awaited = replicas_;
  const Durability promised = seen.sighting.durability;
  const Durability least =
      std::min(url_.accepted.value_or(Durability::c), accepted_.value_or(Durability::c));
  conditions_.emplace(promised, url_.accepted || accepted_ ? least : promised);
  conditions_->saw(seen.sighting, steady_micros());
  MutexLock lock(mutex_);
  standing_ = seen.standing;
  return Nothing{};
}

void Watchdog::start() {
  thread_ = std::thread([this] { run(); });
}

void Watchdog::note(const Address& address, const Result<Facts>& facts) {
  if (!url_.cluster) return;
  if (facts && !facts->loading) {
    failures_.erase(address);
    topology_.note_reachable(address);
  } else if (++failures_[address] > 1) {
    topology_.note_unreachable(
        address, facts ? to_text(address) + ": it loads its data" : facts.error().message);
  }
}

Result<Facts> Watchdog::look_again_if_weaker(const Address& address) {
  auto facts = look_at(address);
  if (!facts || facts->loading) return facts;
  if (durability_of(*facts) <= conditions_->condition().durability) return facts;
  return look_at(address);
}

// A log that is turned on begins with a rewrite, and is worth nothing until that is done.
bool Watchdog::is_settled(const Facts& facts, const Address& address) {
  if (!facts.logs) {
    without_log_.insert(address);
  } else if (!facts.rewriting && !facts.rewrite_fails) {
    without_log_.erase(address);
  }
  return !without_log_.contains(address);
}

void Watchdog::add(const Facts& facts, const Address& address, Seen& seen) {
  Standing& standing = seen.standing;
  Sighting& sighting = seen.sighting;
  seen.sighted = true;
  seen.changed_roles = seen.changed_roles || !facts.primary;
  if (is_fuller(facts, standing)) {
    standing.memory_used = facts.memory_used;
    standing.memory_max = facts.memory_max;
  }
  if (!is_settled(facts, address)) sighting.settled = false;
  const Durability durability = durability_of(facts);
  const bool weakest = durability > sighting.durability;
  if (!weakest && !sighting.trouble.empty()) return;
  sighting.durability = std::max(sighting.durability, durability);
  sighting.trouble = trouble_of(facts, url_.cluster);
  sighting.where = sighting.trouble.empty() ? "" : to_text(address);
}

Watchdog::Seen Watchdog::look_at_all(const SlotMap& map) {
  Seen seen;
  seen.sighting.durability = Durability::a;
  seen.standing = {.reachable = true,
                   .primaries = static_cast<int>(map.primaries().size()),
                   .replicas_awaited = replicas_};
  for (const Address& address : map.primaries()) {
    const auto facts = look_again_if_weaker(address);
    note(address, facts);
    if (facts && !facts->loading) {
      add(*facts, address, seen);
    } else {
      seen.standing.reachable = false;
      seen.sighting.settled = false;
    }
  }
  return seen;
}

void Watchdog::look() {
  auto map = topology_.map();
  Seen seen = look_at_all(*map);
  const bool due = tally_.seconds % seconds_between_maps == 0;
  if (seen.changed_roles || !seen.standing.reachable || due) {
    [[maybe_unused]] const auto refreshed = topology_.refresh();
    const auto after = topology_.map();
    const bool same = after->primaries() == map->primaries();
    map = after;
    // Others take the writes now; what they promise may be less.
    if (!same) seen = look_at_all(*map);
  }
  std::erase_if(links_, [&](const auto& entry) {
    return std::ranges::find(map->primaries(), entry.first) == map->primaries().end();
  });
  // A server that is away promises nothing new, and every call says that it is away.
  if (seen.sighted) conditions_->saw(seen.sighting, steady_micros());
  MutexLock lock(mutex_);
  seen.standing.looks = standing_.looks + 1;
  standing_ = seen.standing;
}

bool Watchdog::wait_for_next_look() {
  MutexLock lock(mutex_);
  // The predicate runs with the mutex held; the checker cannot see that.
  const bool ended = ending_.wait_for(mutex_, between_looks, [this] {
    mutex_.assert_held();
    return ended_;
  });
  return !ended;
}

void Watchdog::run() {
  while (wait_for_next_look()) {
    ++tally_.seconds;
    look();
  }
}

}  // namespace longshore::redis
