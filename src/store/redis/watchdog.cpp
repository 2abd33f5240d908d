#include "store/redis/watchdog.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace longshore::redis {
namespace {

constexpr auto between_looks = std::chrono::seconds(1);
constexpr std::int64_t seconds_between_maps = 10;

char letter(Durability durability) {
  return durability == Durability::a ? 'A' : durability == Durability::b ? 'B' : 'C';
}

// The nearer of the two to its limit.
bool is_fuller(const Facts& facts, const Standing& standing) {
  const auto share = [](std::int64_t used, std::int64_t most) {
    return most == 0 ? 0.0 : static_cast<double>(used) / static_cast<double>(most);
  };
  return share(facts.memory_used, facts.memory_max) >=
         share(standing.memory_used, standing.memory_max);
}

void add(const Facts& facts, const Address& address, bool cluster, Standing& standing) {
  standing.durability = std::max(standing.durability, durability_of(facts));
  if (is_fuller(facts, standing)) {
    standing.memory_used = facts.memory_used;
    standing.memory_max = facts.memory_max;
  }
  const auto fault = unfit(facts, cluster);
  const std::string trouble = fault ? *fault : complaint(facts);
  if (standing.trouble.empty() && !trouble.empty()) {
    standing.trouble = to_text(address) + ": " + trouble;
  }
}

}  // namespace

Watchdog::Watchdog(const Url& url, const TlsContext* tls, Topology& topology, Tally& tally)
    : url_(url), tls_(tls), topology_(topology), tally_(tally) {}

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

Result<Nothing> Watchdog::first_look() {
  Standing seen{.durability = Durability::a, .reachable = true};
  const auto map = topology_.map();
  bool has_replicas = false;
  bool too_few = false;
  const auto refused = [&](const Address& address, const std::string& why) {
    return Error{.code = Errc::refused, .message = to_text(address) + ": " + why};
  };
  for (const Address& address : map->primaries()) {
    const auto facts = look_at(address);
    if (!facts) return facts.error();
    if (const auto fault = unfit(*facts, url_.cluster)) return refused(address, *fault);
    if (channel_id_.empty()) {
      if (const auto named = name_channel(*facts, address); !named) return named;
    }
    add(*facts, address, url_.cluster, seen);
    if (url_.accepted && seen.durability > *url_.accepted) {
      return refused(address, std::string("durability class ") + letter(seen.durability) + ": " +
                                  complaint(*facts));
    }
    has_replicas = has_replicas || facts->replicas > 0;
    too_few = too_few || facts->replicas < url_.replicas.value_or(0);
  }
  if (too_few) return refused(map->primaries().front(), "a primary has fewer replicas than asked");
  replicas_ = url_.replicas.value_or(has_replicas ? 1 : 0);
  promised_ = seen.durability;
  seen.primaries = static_cast<int>(map->primaries().size());
  seen.replicas_awaited = replicas_;
  MutexLock lock(mutex_);
  standing_ = seen;
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

void Watchdog::look() {
  const auto map = topology_.map();
  Standing seen{.durability = Durability::a,
                .reachable = true,
                .primaries = static_cast<int>(map->primaries().size()),
                .replicas_awaited = replicas_};
  bool changed_roles = false;
  for (const Address& address : map->primaries()) {
    const auto facts = look_at(address);
    note(address, facts);
    if (!facts) {
      seen.reachable = false;
      if (seen.trouble.empty()) seen.trouble = facts.error().message;
      continue;
    }
    changed_roles = changed_roles || !facts->primary;
    add(*facts, address, url_.cluster, seen);
    if (facts->loading) seen.reachable = false;
  }
  const bool due = tally_.seconds % seconds_between_maps == 0;
  if (changed_roles || !seen.reachable || due) {
    [[maybe_unused]] const auto refreshed = topology_.refresh();
  }
  std::erase_if(links_, [&](const auto& entry) {
    return std::ranges::find(map->primaries(), entry.first) == map->primaries().end();
  });
  Standing before = standing();
  judge(before, seen);
  if (!seen.reachable) seen.durability = std::max(seen.durability, before.durability);
  seen.looks = before.looks + 1;
  MutexLock lock(mutex_);
  standing_ = std::move(seen);
}

// A server that is gone needs no alarm: every call says so. One that answers but keeps less than it
// promised does, once.
void Watchdog::judge(const Standing& before, const Standing& now) {
  const bool weaker = now.durability > promised_;
  const bool evicts = now.trouble.find("maxmemory-policy") != std::string::npos;
  const bool fails = now.trouble.find("cannot write its log") != std::string::npos;
  if (!weaker && !evicts && !fails) {
    if (now.reachable) told_.clear();
    return;
  }
  if (now.trouble == told_ || now.trouble == before.trouble) return;
  told_ = now.trouble;
  tally_.alarm(told_);
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
