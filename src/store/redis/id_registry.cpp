#include "store/redis/id_registry.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/ids/uuid.h"
#include "store/redis/fields.h"
#include "store/redis/keys.h"
#include "store/redis/timetable.h"

namespace longshore::redis {
namespace {

constexpr Duration an_hour = Duration::hours(1);
// An id's time is within 24 h of the moment at which it is brought (chosen_id_fault).
constexpr Duration kept_after_hour = Duration::hours(25);
constexpr Duration kept_max = Duration::hours(50);
// From being registered to being written, or given up.
constexpr Duration writing_max = Duration::minutes(10);

std::int64_t hour_of(const JobId& id) { return time_of(id).count() / an_hour.count(); }

std::string seconds_kept(std::int64_t hour, Instant now) {
  const Instant end = Instant::millis((hour + 1) * an_hour.count()) + kept_after_hour;
  return std::to_string(std::clamp(end - now, an_hour, kept_max).count() / 1000);
}

std::map<std::int64_t, std::vector<JobId>> by_hour(const std::vector<JobId>& ids) {
  std::map<std::int64_t, std::vector<JobId>> hours;
  for (const JobId& id : ids) hours[hour_of(id)].push_back(id);
  return hours;
}

std::string holder_text(const IdRegistry::Holder& holder) {
  FieldWriter fields;
  fields.text(holder.ns).instant(holder.since);
  return std::move(fields).take();
}

IdRegistry::Holder parse_holder(const std::string& text) {
  FieldReader fields(text);
  IdRegistry::Holder holder{.ns = fields.text(), .since = {}};
  holder.since = fields.instant();
  return holder;
}

// Calls on their way, and who wants which reply.
class Calls {
 public:
  using Read = std::function<void(const Reply&)>;
  void add(const Keys& keys, Words words, Read read = {}) {
    calls_.push_back({.tag = keys.tag(), .words = std::move(words)});
    reads_.push_back(std::move(read));
  }
  void run(Channel& channel) {
    if (calls_.empty()) return;
    const auto replies = channel.exchange_each(calls_);
    for (std::size_t i = 0; i < replies.size(); ++i) {
      if (replies[i] && reads_[i]) reads_[i](*replies[i]);
    }
  }

 private:
  std::vector<TaggedWords> calls_;
  std::vector<Read> reads_;
};

}  // namespace

std::map<JobId, IdRegistry::Holder> IdRegistry::ask(const Query& query, Instant now) {
  const std::string& prefix = channel_.url().prefix;
  std::map<JobId, Holder> held;
  Calls calls;
  const auto look_up = [&](const Keys& keys, const std::vector<JobId>& ids) {
    Words words = {"HMGET", keys.one("ids")};
    for (const JobId& id : ids) words.push_back(to_text(id));
    calls.add(keys, std::move(words), [this, &held, ids](const Reply& reply) {
      for (std::size_t i = 0; i < ids.size() && i < reply.items.size(); ++i) {
        if (reply.items[i].is_nil()) continue;
        Holder holder = parse_holder(reply.items[i].text);
        if (holder.ns != ns_) held[ids[i]] = std::move(holder);
      }
    });
  };
  const std::string own = holder_text({.ns = ns_, .since = now});
  for (const auto& [hour, ids] : by_hour(query.enter)) {
    const Keys keys = Keys::ids(prefix, hour);
    for (const JobId& id : ids) calls.add(keys, {"HSETNX", keys.one("ids"), to_text(id), own});
    calls.add(keys, {"EXPIRE", keys.one("ids"), seconds_kept(hour, now)});
    look_up(keys, ids);
  }
  for (const auto& [hour, ids] : by_hour(query.find)) look_up(Keys::ids(prefix, hour), ids);
  const Keys home(prefix, unregistered_namespace);
  for (const JobId& id : query.look_for) {
    calls.add(home, {"EXISTS", home.job(id)}, [&held, id](const Reply& reply) {
      if (reply.integer != 0) held[id] = {.ns = unregistered_namespace, .since = {}};
    });
  }
  calls.run(channel_);
  return held;
}

std::vector<JobId> IdRegistry::release_unused(const std::map<JobId, Holder>& held, Instant now) {
  const std::string& prefix = channel_.url().prefix;
  std::vector<JobId> free;
  Calls look;
  for (const auto& [id, holder] : held) {
    if (holder.ns == unregistered_namespace || holder.since + writing_max > now) continue;
    const Keys there(prefix, holder.ns);
    look.add(there, {"EXISTS", there.job(id)}, [&free, id = id](const Reply& reply) {
      if (reply.integer == 0) free.push_back(id);
    });
  }
  look.run(channel_);
  Calls release;
  for (const JobId& id : free) {
    const Keys keys = Keys::ids(prefix, hour_of(id));
    release.add(keys, {"HDEL", keys.one("ids"), to_text(id)});
  }
  release.run(channel_);
  return free;
}

}  // namespace longshore::redis
