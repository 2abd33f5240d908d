// Searches for an order of a job's operations that the model allows and that respects real time
// (the algorithm of Wing and Gong, with memoization).
#include <algorithm>
#include <unordered_set>

#include "checker/black_box.h"

namespace longshore::checker {
namespace {

constexpr int nodes_most = 1'000'000;

class Search {
 public:
  Search(const World& world, std::vector<const Operation*> ops, const JobDump* dump)
      : world_(world), ops_(std::move(ops)), dump_(dump), done_(ops_.size(), '0') {}

  bool explains() { return from({}); }
  bool gave_up() const { return nodes_ > nodes_most; }

 private:
  bool from(const Model& model);
  bool at_the_end(const Model& model) const;
  bool try_next(const Model& model, std::size_t index);
  std::string key(const Model& model) const;

  const World& world_;
  const std::vector<const Operation*> ops_;
  const JobDump* dump_;
  std::string done_;  // a character for each operation: '1' if it is ordered
  std::unordered_set<std::string> dead_ends_;
  int nodes_ = 0;
};

std::string Search::key(const Model& model) const {
  std::string text = done_;
  for (std::int64_t part :
       {static_cast<std::int64_t>(model.phase), model.epoch,
        static_cast<std::int64_t>(model.cancel_requested), static_cast<std::int64_t>(model.result),
        model.settled_epoch, static_cast<std::int64_t>(model.settled_as),
        static_cast<std::int64_t>(model.settled_status)}) {
    text += '.' + std::to_string(part);
  }
  return text;
}

// Whether the final record matches the model.
bool Search::at_the_end(const Model& model) const {
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    if (done_[i] == '0' && ops_[i]->ok()) return false;
  }
  if (dump_ == nullptr) return true;
  using Phase = Model::Phase;
  std::vector<Model> all;
  with_time(world_, model, all);
  return std::ranges::any_of(all, [&](const Model& last) {
    switch (dump_->job.state) {
      case State::running:
        return last.phase == Phase::running;
      case State::waiting:
        return last.phase == Phase::waiting;
      case State::success:
        return last.phase == Phase::success && dump_->result == last.result;
      case State::dead:
        return last.phase == (dump_->job.withdrawn ? Phase::canceled : Phase::dead);
      case State::canceled:
        return last.phase == Phase::canceled;
      default:
        return last.phase == Phase::pending;
    }
  });
}

bool Search::try_next(const Model& model, std::size_t index) {
  std::vector<Model> now, next;
  with_time(world_, model, now);
  for (const Model& one : now) after(world_, one, *ops_[index], next);
  done_[index] = '1';
  for (const Model& one : next) {
    if (from(one)) return true;
  }
  done_[index] = '0';
  return false;
}

bool Search::from(const Model& model) {
  if (++nodes_ > nodes_most) return true;
  if (at_the_end(model)) return true;
  if (!dead_ends_.empty() && dead_ends_.contains(key(model))) return false;
  std::int64_t first_return = seq_never;
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    if (done_[i] == '0') first_return = std::min(first_return, ops_[i]->returned);
  }
  // Answered operations first: most histories need no others.
  for (const bool answered : {true, false}) {
    for (std::size_t i = 0; i < ops_.size() && ops_[i]->invoked < first_return; ++i) {
      if (done_[i] == '0' && ops_[i]->ok() == answered && try_next(model, i)) return true;
    }
  }
  dead_ends_.insert(key(model));
  return false;
}

// A refusal changes nothing, and a reply for another job is irrelevant.
bool concerns(const Operation& op, const JobFacts& job) {
  if (!op.maybe() || op.call->verb == Verb::other) return false;
  const bool unanswered_claim = op.call->verb == Verb::claim && !op.ok();
  const bool unanswered_read = op.call->verb == Verb::get && !op.ok();
  if (unanswered_claim || unanswered_read) return false;
  if (op.call->verb != Verb::enqueue) return true;
  const bool made = std::ranges::any_of(
      op.call->jobs, [&](const Asked& asked) { return asked.id == job.id || job.asked == &asked; });
  if (!op.ok()) return made;
  return std::ranges::any_of(op.answer->jobs,
                             [&](const EnqueuedJob& answered) { return answered.id == job.id; });
}

// A repeated reply by key gets the first answer, in any state of the job. The effect of the first
// is already in the search.
bool is_sent_again(const Operation& op, const JobFacts& job) {
  if (op.call->verb != Verb::finish_by_key || !op.ok()) return false;
  return std::ranges::any_of(job.ops, [&](const Operation* other) {
    return other->call->verb == Verb::finish_by_key && other->call->id == op.call->id &&
           other->maybe() && other->invoked < op.invoked;
  });
}

// A repeated claim may be the first to show an epoch of a claim without an answer.
std::int64_t last_epoch(const JobId& job, const std::vector<const Operation*>& ops) {
  std::int64_t last = 0;
  for (const Operation* op : ops) {
    last = std::max(last, op->call->token.epoch);
    if (!op->ok()) continue;
    for (const Grant& grant : op->answer->grants) {
      if (grant.job == job) last = std::max(last, grant.token.epoch);
    }
  }
  return last;
}

}  // namespace

void check_black_box(Facts& facts) {
  if (facts.options.rules.terminal != Rules::Terminal::fixed) return;
  World world;
  world.hidden_claims = std::ranges::any_of(facts.ops, [](const Operation& op) {
    return op.call->verb == Verb::claim && op.kind == Kind::info;
  });
  for (const JobFacts* job : facts.ordered) {
    // No client saw the creation of a platform job.
    if (job->asked == nullptr && job->redriven_by == nullptr) continue;
    std::vector<const Operation*> ops;
    for (const Operation* op : job->ops) {
      if (concerns(*op, *job) && !is_sent_again(*op, *job)) ops.push_back(op);
    }
    world.job = job->id;
    world.last_epoch = last_epoch(job->id, ops);
    world.expires = job->dump == nullptr || job->dump->job.expires_at.has_value();
    Search search(world, std::move(ops), job->dump);
    const bool explained = search.explains();
    if (search.gave_up()) facts.count("searches given up");
    if (!explained) {
      facts.violate("X1", job,
                    "no order of what clients saw can be explained: " + to_text(job->id));
    }
  }
  const std::int64_t given_up = facts.judgement.counters["searches given up"];
  if (given_up * 10'000 > static_cast<std::int64_t>(facts.ordered.size())) {
    facts.violate("X1", nullptr, "too many searches were given up to say anything");
  }
}

}  // namespace longshore::checker
