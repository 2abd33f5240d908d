// What a batch will want, found out from its commands before the first is judged, and asked for in
// one exchange.
#include <algorithm>
#include <map>
#include <utility>

#include "core/rules/enqueue.h"
#include "store/redis/transaction.h"

namespace longshore::redis {
namespace {

constexpr std::int64_t most_at_once = 1000;
// A smaller claim asks once and gets all: what is not remembered would cost it a second question.
constexpr std::int64_t bare_from = 32;

class Prefetch {
 public:
  Prefetch(std::span<const Command* const> commands, bool hopeful) : hopeful_(hopeful) {
    for (const Command* command : commands) {
      std::visit([this](const auto& said) { look(said); }, *command);
    }
    unite(question.ids);
    unite(question.once);
    unite(question.job_keys);
    for (const auto& [name, limit] : wishes_) {
      question.wishes.push_back({.queue = name.first,
                                 .types = name.second,
                                 .limit = std::clamp<std::int64_t>(limit, 1, most_at_once)});
    }
  }

  Question question;
  std::map<JobId, bool> fresh;  // ids that whoever enqueues brings, and whether they were made here
  std::vector<JobId> hoped;     // of them, those that are not asked for
  bool is_all = true;           // no command will ask for more
  std::int64_t may_end = 0;     // how many running jobs the commands may end

  bool wants_nothing() const {
    return is_all && question.ids.empty() && question.once.empty() && question.job_keys.empty() &&
           question.claims.empty() && question.wishes.empty();
  }

 private:
  template <class T>
  static void unite(std::vector<T>& names) {
    std::ranges::sort(names);
    const auto rest = std::ranges::unique(names);
    names.erase(rest.begin(), rest.end());
  }

  void look(const Enqueue& enqueue) {
    for (const NewJob& job : enqueue.jobs) {
      (hopeful_ ? hoped : question.ids).push_back(job.id);
      fresh.emplace(job.id, job.id_is_made);
      if (!job.idempotency_key.empty()) {
        question.once.push_back(once_name(is_platform_type(job.type), job.idempotency_key));
      }
      if (!job.job_key.empty()) question.job_keys.push_back(job_key_name(job.type, job.job_key));
    }
  }
  void look(const Accept& accept) {
    question.ids.insert(question.ids.end(), accept.jobs.begin(), accept.jobs.end());
  }
  void look(const Claim& claim) {
    question.claims.push_back(claim.id);
    for (const std::string& queue : claim.queues) wishes_[{queue, claim.types}] += claim.limit;
  }
  void look(const Redrive& redrive) {
    question.ids.push_back(redrive.job);
    question.ids.push_back(redrive.successor);
    fresh.emplace(redrive.successor, false);
  }
  void look(const FinishByKey& finish) {
    ++may_end;
    question.job_keys.push_back(job_key_name(finish.type, finish.key));
  }
  // Those that name one job; the others look for themselves.
  template <class Said>
  void look(const Said& said) {
    ++may_end;
    if constexpr (requires { JobId(said.job); }) {
      question.ids.push_back(said.job);
    } else {
      is_all = false;
    }
  }

  const bool hopeful_;
  std::map<std::pair<std::string, std::optional<std::vector<std::string>>>, std::int64_t> wishes_;
};

}  // namespace

void RedisTransaction::begin(std::span<const Command* const> commands, bool hopeful) {
  Prefetch wanted(commands, hopeful);
  if (hopeful) {
    recall(wanted.question.ids);
    for (Question::Wish& wish : wanted.question.wishes) {
      wish.bare = wish.limit >= bare_from && around_.copies.heads().know_most();
    }
  }
  if (!wanted.question.wishes.empty() && config_->has_limits()) {
    wanted.question.counts = true;
    wanted.question.limits = type_limits(wanted.may_end);
  }
  if (!hopeful || !wanted.wants_nothing() || !carry_on()) ask(std::move(wanted.question));
  for (const JobId& id : wanted.hoped) {
    if (entries_.contains(id)) continue;
    hoped_.insert(id);
    absent_.insert(id);
  }
  brought_ = std::move(wanted.fresh);
  if (!hopeful && !trouble_) look_abroad();
}

bool RedisTransaction::carry_on() {
  const auto told = around_.copies.server_time().now(ns_, steady_micros());
  if (!told) return false;
  carried_ = around_.clock == nullptr ? Instant::millis(*told / 1000) : around_.clock->now();
  now_ = std::max(now_, *carried_);
  seq_ = now_.count() * 1000;
  config_guard_ = config_->version;
  return true;
}

void RedisTransaction::recall(std::vector<JobId>& ids) {
  std::erase_if(ids, [this](const JobId& id) {
    std::unique_ptr<Entry> entry = around_.copies.heads().take(id);
    if (!entry || entry->job().ns != ns_) return false;
    now_ = std::max(now_, entry->job().updated_at);
    entries_[id] = std::move(entry);
    return recalled_ = true;
  });
}

// The jobs of lists that were answered without them.
void RedisTransaction::look_behind(const Question& question, const Answer& answer) {
  std::vector<JobId> ids;
  bool bare = false;
  for (std::size_t i = 0; i < question.wishes.size(); ++i) {
    if (question.wishes[i].limit < bare_from) continue;
    bare = bare || question.wishes[i].bare;
    for (const Answer::Row& row : answer.shelves[i].rows) {
      for (std::size_t at = 0; at < row.elements.size(); ++at) {
        if (row.is_stale(at)) continue;
        const auto place = parse_element(row.elements[at], row.list.priority);
        if (place && (!bare || (known(place->job) == nullptr && !absent_.contains(place->job)))) {
          ids.push_back(place->job);
        }
      }
    }
  }
  if (ids.empty()) return;
  const std::size_t all = ids.size();
  if (!bare) return around_.copies.heads().note(around_.copies.heads().count(ids), all);
  recall(ids);
  around_.copies.heads().note(all - ids.size(), all);
  if (!ids.empty()) ask({.ids = std::move(ids)});
}

}  // namespace longshore::redis
