#include "store/redis/repair.h"

#include <set>
#include <utility>

#include "store/redis/codec.h"
#include "store/redis/fields.h"
#include "store/redis/reader.h"
#include "store/redis/whereabouts.h"
#include "store/redis/write_back.h"

namespace longshore::redis {
namespace {

using Fields = std::map<std::string, std::string>;

Fields read_fields(const Reply& reply) {
  Fields fields;
  for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2) {
    fields[reply.items[i].text] = reply.items[i + 1].text;
  }
  return fields;
}

// The queues that counts know, and how many of their jobs are queued.
std::map<std::string, std::int64_t> queued_of(const Fields& counts) {
  std::map<std::string, std::int64_t> queued;
  for (const auto& [field, count] : counts) {
    if (!field.starts_with("q/") || !field.ends_with("/2")) continue;
    const auto queue = parse_word(std::string_view(field).substr(2, field.size() - 4));
    if (queue) queued[*queue] = parse_integer(count).value_or(0);
  }
  return queued;
}

// Looks at one namespace.
class Search {
 public:
  Search(Channel& channel, const Keys& keys, const std::string& ns, const Rules& rules)
      : reader_(channel, keys), ns_(ns), rules_(rules) {}

  Result<Lost> run(std::int64_t limit) {
    const auto sums =
        reader_.read({{"HGETALL", keys().one("counts")}, {"HGETALL", keys().one("stale")}});
    if (!sums) return sums.error();
    stale_ = read_fields((*sums)[1]);
    const auto queued = queued_of(read_fields((*sums)[0]));
    for (const auto& [queue, count] : queued) {
      auto fits = read_lengths(queue, count);
      if (!fits) return fits.error();
      if (!*fits) suspects_.insert(queue);
    }
    if (suspects_.empty()) return Lost{};
    if (auto looked = look_at_jobs(); !looked) return looked.error();
    return compare(limit);
  }

 private:
  const Keys& keys() const { return reader_.keys(); }
  std::int64_t stale_of(const std::string& field) const {
    const auto stored = stale_.find(field);
    return stored == stale_.end() ? 0 : parse_integer(stored->second).value_or(0);
  }

  Result<bool> read_lengths(const std::string& queue, std::int64_t count) {
    const auto names = reader_.read({{"SMEMBERS", keys().lists(queue)}});
    if (!names) return names.error();
    std::vector<Words> calls;
    std::vector<std::string> fields;
    for (const Reply& name : (*names)[0].items) {
      fields.push_back(word(queue) + "/" + name.text);
      calls.push_back({"LLEN", keys().one("ready:" + fields.back())});
    }
    const auto lengths = reader_.read(calls);
    if (!lengths) return lengths.error();
    std::int64_t live = 0;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      live += (*lengths)[i].integer - stale_of(fields[i]);
      lists_[queue].push_back(fields[i]);
    }
    return live == count;
  }

  // Jobs first, lists after: what is queued then either stands in its list or has been claimed
  // since, which shows when it is written.
  Result<Nothing> look_at_jobs() {
    return reader_.each_job({"given", "life", "place"}, [&](const JobId& id, const Reply& reply) {
      const HeadTexts texts{reply.items[0].text, reply.items[1].text, reply.items[2].text};
      const auto head = parse_head(id, ns_, texts, rules_.policy);
      if (!head || head->job.state != State::queued) return true;
      if (suspects_.contains(head->job.queue)) {
        wanted_[stale_field(list_of(head->job))][element_of(place_of(head->job))] = id;
      }
      return true;
    });
  }

  Result<Lost> compare(std::int64_t limit) {
    Lost lost;
    for (const std::string& queue : suspects_) {
      for (const std::string& field : lists_[queue]) {
        const std::string list = keys().one("ready:" + field);
        const auto elements = reader_.read({{"LRANGE", list, "0", "-1"}});
        if (!elements) return elements.error();
        auto& wanted = wanted_[field];
        std::int64_t stale = 0;
        for (const Reply& element : (*elements)[0].items) stale += wanted.erase(element.text) == 0;
        const auto stored = stale_.find(field);
        Lost::Recount recount{
            .list = list, .length = std::ssize((*elements)[0].items), .stored = {}, .stale = stale};
        if (stored != stale_.end()) recount.stored = stored->second;
        if (parse_integer(recount.stored.value_or("0")) == stale) continue;
        lost.recount[field] = std::move(recount);
      }
    }
    for (const auto& [field, jobs] : wanted_) {
      for (const auto& [element, id] : jobs) {
        if (std::ssize(lost.jobs) < limit) lost.jobs.push_back(id);
      }
    }
    return lost;
  }

  Reader reader_;
  const std::string ns_;
  const Rules& rules_;
  Fields stale_;
  std::set<std::string> suspects_;                              // queues
  std::map<std::string, std::vector<std::string>> lists_;       // of a queue
  std::map<std::string, std::map<std::string, JobId>> wanted_;  // elements, by list
};

}  // namespace

Result<Lost> find_lost(Channel& channel, const Keys& keys, const std::string& ns,
                       const Rules& rules, std::int64_t limit) {
  return Search(channel, keys, ns, rules).run(limit);
}

}  // namespace longshore::redis
