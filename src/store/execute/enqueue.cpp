// New jobs, alone or in groups. A group is judged whole before anything of it is applied, so a
// refused one leaves no trace.
#include "core/rules/enqueue.h"

#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/assert.h"
#include "store/execute/apply_decision.h"

namespace longshore::execute {
namespace {

struct Wish {
  const std::string& ns;
  const NewJob& job;
  bool reject_mismatch = false;
};

// What a group would change: later jobs of the group see what earlier ones did. A single job is
// judged and done in one: there is nobody after it who could be refused.
class Plan {
 public:
  Plan(Transaction& tx, std::size_t jobs) : unit_(tx), is_group_(jobs > 1) {}

  // A refusal, or the answer to be given when the plan is carried out.
  std::variant<Refusal, EnqueuedJob> add(const Wish& wish);
  void apply_decision() &&;

 private:
  using IdempotencyKey = std::tuple<std::string, bool, std::string>;
  using Step = std::variant<Change, std::pair<IdempotencyKey, Binding>>;

  const Job* find(const JobId& id);
  const Job* find_holder(const Wish& wish);
  std::optional<KeyView> find_key(const Wish& wish);
  EnqueuedJob plan_change(Change&& change);
  void bind(const Wish& wish, const JobId& to);

  Transaction& unit_;
  const bool is_group_;
  std::vector<Step> steps_;
  std::unordered_map<JobId, Job> jobs_;
  std::map<std::pair<std::string, std::string>, JobId> holders_;  // by type and key
  std::map<IdempotencyKey, Binding> keys_;
};

IdempotencyRef key_of(const Wish& wish) {
  return {wish.ns, is_platform_type(wish.job.type), wish.job.idempotency_key};
}

const Job* Plan::find(const JobId& id) {
  const auto planned = jobs_.find(id);
  if (planned != jobs_.end()) return &planned->second;
  const Entry* entry = unit_.find(id);
  return entry == nullptr ? nullptr : &entry->job();
}

const Job* Plan::find_holder(const Wish& wish) {
  if (wish.job.job_key.empty()) return nullptr;
  const auto planned = holders_.find({wish.job.type, wish.job.job_key});
  if (planned != holders_.end()) return find(planned->second);
  const Entry* entry = unit_.find_holder({wish.ns, wish.job.type, wish.job.job_key}, wish.job.id);
  return entry == nullptr ? nullptr : find(entry->job().id);
}

std::optional<KeyView> Plan::find_key(const Wish& wish) {
  const IdempotencyRef key = key_of(wish);
  if (key.key.empty()) return std::nullopt;
  const auto planned = is_group_ ? keys_.find({key.ns, key.platform, key.key}) : keys_.end();
  if (planned == keys_.end()) {
    return unit_.find_key(key, {.job = wish.job.id, .body_hash = wish.job.body_hash});
  }
  KeyView view{.job = planned->second.job, .body_hash = planned->second.body_hash};
  if (const Job* job = find(view.job)) view.last_status = status_of(*job);
  return view;
}

std::variant<Refusal, EnqueuedJob> Plan::add(const Wish& wish) {
  const NewJob& job = wish.job;
  const std::optional<KeyView> same_key = find_key(wish);
  const EnqueueFacts facts{.same_id = find(job.id),
                           .same_key = same_key ? &*same_key : nullptr,
                           .holder_of_key = find_holder(wish)};
  EnqueueDecision decision =
      decide_enqueue(wish.ns, job, facts, wish.reject_mismatch, unit_.rules(), unit_.now());
  if (auto* refusal = std::get_if<Refusal>(&decision)) return std::move(*refusal);
  EnqueuedJob answer;
  if (const auto* answered = std::get_if<AnsweredBy>(&decision)) {
    answer = answered->job;
  } else {
    answer = plan_change(std::move(std::get<Change>(decision)));
  }
  if (!same_key) bind(wish, answer.id);
  return answer;
}

EnqueuedJob Plan::plan_change(Change&& change) {
  const Job& after = change.after;
  const EnqueuedJob answer{.id = after.id, .status = status_of(after)};
  if (!is_group_) {
    apply(unit_, std::move(change));
    return answer;
  }
  jobs_[after.id] = after;
  if (!after.job_key.empty()) holders_[{after.type, after.job_key}] = after.id;
  steps_.emplace_back(std::move(change));
  return answer;
}

// A key that already stands for a job goes on standing for it.
void Plan::bind(const Wish& wish, const JobId& to) {
  if (wish.job.idempotency_key.empty()) return;
  const IdempotencyRef key = key_of(wish);
  const Binding binding{.job = to, .body_hash = wish.job.body_hash};
  if (!is_group_) return unit_.bind_key(key, binding);
  const IdempotencyKey kept{key.ns, key.platform, key.key};
  keys_[kept] = binding;
  steps_.emplace_back(std::pair(kept, binding));
}

void Plan::apply_decision() && {
  for (Step& step : steps_) {
    if (auto* change = std::get_if<Change>(&step)) {
      apply(unit_, std::move(*change));
      continue;
    }
    const auto& [kept, binding] = std::get<std::pair<IdempotencyKey, Binding>>(step);
    const auto& [ns, platform, key] = kept;
    unit_.bind_key({ns, platform, key}, binding);
  }
}

bool stops_running(const Change& change) {
  return !change.transitions.empty() && change.transitions.front().from == State::running &&
         change.after.state != State::running;
}

}  // namespace

Verdict run(Transaction& tx, const Enqueue& enqueue) {
  Plan plan(tx, enqueue.jobs.size());
  Enqueued answer;
  answer.jobs.reserve(enqueue.jobs.size());
  for (std::size_t i = 0; i < enqueue.jobs.size(); ++i) {
    auto one = plan.add({enqueue.ns, enqueue.jobs[i], enqueue.reject_mismatch});
    if (auto* refusal = std::get_if<Refusal>(&one)) {
      refusal->index = i;
      return std::move(*refusal);
    }
    answer.jobs.push_back(std::get<EnqueuedJob>(one));
  }
  std::move(plan).apply_decision();
  return answer;
}

Entry& apply(Transaction& tx, Change&& change) {
  const std::optional<NewJob> spawned = std::move(change.spawn);
  const bool stops = stops_running(change);
  Entry& entry = tx.apply(std::move(change));
  if (stops && tx.is_limited(entry.job())) tx.hint(entry.job().ns, entry.job().queue);
  if (!spawned) return entry;
  const std::string ns = entry.job().ns;
  Plan plan(tx, 1);
  const auto answer = plan.add({ns, *spawned});
  // A spawned job has no job key and no expiry, so nothing stands in its way.
  LONGSHORE_ASSERT(std::holds_alternative<EnqueuedJob>(answer), "a spawned job is never refused");
  std::move(plan).apply_decision();
  return entry;
}

std::optional<Refusal> enqueue_successor(Transaction& tx, const std::string& ns,
                                         const NewJob& job) {
  Plan plan(tx, 1);
  auto answer = plan.add({ns, job});
  if (auto* refusal = std::get_if<Refusal>(&answer)) return std::move(*refusal);
  std::move(plan).apply_decision();
  return std::nullopt;
}

}  // namespace longshore::execute
