#include "store/redis/repair.h"

#include <set>
#include <utility>

#include "store/redis/codec.h"
#include "store/redis/reader.h"
#include "store/redis/whereabouts.h"
#include "store/redis/write_back.h"

namespace longshore::redis {
namespace {

// The queue that the name of a list, QUEUE/PRIORITY/TYPE, begins with.
std::string queue_of(const std::string& field) { return field.substr(0, field.find('/')); }

// Looks at one namespace.
class Search {
 public:
  Search(Channel& channel, const Keys& keys, const std::string& ns, const Policy& usual,
         const Balance& balance)
      : reader_(channel, keys), ns_(ns), usual_(usual), balance_(balance) {}

  Result<Lost> run(std::int64_t limit) {
    find_suspects();
    if (suspects_.empty() && gone_.empty()) return Lost{};
    if (!suspects_.empty()) {
      if (auto looked = look_at_jobs(); !looked) return looked.error();
    }
    return compare(limit);
  }

 private:
  const Keys& keys() const { return reader_.keys(); }

  void find_suspects() {
    std::map<std::string, std::int64_t> live;
    for (const auto& [field, length] : balance_.lengths) live[queue_of(field)] += length;
    for (const auto& [field, count] : balance_.stale) {
      if (balance_.lengths.contains(field)) {
        live[queue_of(field)] -= count;
      } else if (count != 0) {
        gone_.insert(field);
      }
    }
    for (const auto& [field, count] : balance_.counts) {
      if (!field.starts_with("q/") || !field.ends_with("/2")) continue;
      const std::string queue = field.substr(2, field.size() - 4);
      if (live[queue] != count) suspects_.insert(queue);
    }
  }

  // Jobs first, lists after: what is queued then either stands in its list or has been claimed
  // since, which shows when it is written.
  Result<Nothing> look_at_jobs() {
    return reader_.each_job({"given", "life", "place"}, [&](const JobId& id, const Reply& reply) {
      const HeadTexts texts{reply.items[0].text, reply.items[1].text, reply.items[2].text};
      const auto head = parse_head(id, ns_, texts, usual_);
      if (!head || head->job.state != State::queued) return true;
      const std::string field = stale_field(list_of(head->job));
      if (suspects_.contains(queue_of(field))) {
        wanted_[field][element_of(place_of(head->job))] = id;
      }
      return true;
    });
  }

  Result<Lost> compare(std::int64_t limit) {
    Lost lost;
    std::set<std::string> fields = gone_;
    for (const auto& [field, length] : balance_.lengths) {
      if (suspects_.contains(queue_of(field))) fields.insert(field);
    }
    for (const std::string& field : fields) {
      if (const auto counted = count_list(field, lost); !counted) return counted.error();
    }
    for (const auto& [field, jobs] : wanted_) {
      for (const auto& [element, id] : jobs) {
        if (std::ssize(lost.jobs) < limit) lost.jobs.push_back(id);
      }
    }
    lost.unexplained = lost.jobs.empty() && lost.recount.empty();
    return lost;
  }

  Result<Nothing> count_list(const std::string& field, Lost& lost) {
    const std::string list = keys().one("ready:" + field);
    const auto seen =
        reader_.read({{"LRANGE", list, "0", "-1"}, {"HGET", keys().one("stale"), field}});
    if (!seen) return seen.error();
    const std::vector<Reply>& elements = (*seen)[0].items;
    const Reply& stored = (*seen)[1];
    Lost::Recount recount{.list = list, .length = std::ssize(elements), .stored = {}};
    if (!stored.is_nil()) recount.stored = stored.text;
    // No claim finds anything in a list that its queue does not name.
    const bool hidden = !balance_.lengths.contains(field);
    auto& wanted = wanted_[field];
    std::set<std::string> found;
    for (const Reply& element : elements) {
      if (!hidden && wanted.erase(element.text) > 0) {
        found.insert(element.text);
      } else if (found.contains(element.text)) {
        recount.twins.push_back(element.text);
      } else {
        ++recount.stale;
      }
    }
    const bool fits = recount.stored.value_or("0") == std::to_string(recount.stale);
    if (!fits || !recount.twins.empty()) lost.recount[field] = std::move(recount);
    return Nothing{};
  }

  Reader reader_;
  const std::string ns_;
  const Policy& usual_;
  const Balance& balance_;
  std::set<std::string> suspects_;                              // queues, as keys write them
  std::set<std::string> gone_;                                  // lists that only a count names
  std::map<std::string, std::map<std::string, JobId>> wanted_;  // elements, by list
};

}  // namespace

Result<Lost> find_lost(Channel& channel, const Keys& keys, const std::string& ns,
                       const Policy& usual, const Balance& balance, std::int64_t limit) {
  return Search(channel, keys, ns, usual, balance).run(limit);
}

}  // namespace longshore::redis
