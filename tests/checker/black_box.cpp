#include "checker/black_box.h"

#include <algorithm>

namespace longshore::checker {
namespace {

using Phase = Model::Phase;

bool held(const Model& model) {
  return model.phase == Phase::running || model.phase == Phase::waiting;
}

Status status(const Model& model) {
  switch (model.phase) {
    case Phase::absent:
    case Phase::pending:
      return Status::pending;
    case Phase::running:
    case Phase::waiting:
      return Status::running;
    case Phase::success:
      return Status::completed;
    case Phase::dead:
      return Status::failed;
    case Phase::canceled:
      return Status::canceled;
  }
  return Status::pending;
}

Model moved(Model model, Phase phase) {
  model.phase = phase;
  if (phase != Phase::running) model.cancel_requested = false;
  return model;
}

// The possible states after an unsuccessful attempt.
void add_failed(const Model& model, std::vector<Model>& all) {
  if (model.cancel_requested) {
    all.push_back(moved(model, Phase::canceled));
    return;
  }
  all.push_back(moved(model, Phase::pending));
  all.push_back(moved(model, Phase::dead));
}

void keep_answered(const Operation& op, std::vector<Model>& all, std::size_t from) {
  if (!op.ok() || !op.answer->status) return;
  const auto other = [&](const Model& model) { return status(model) != *op.answer->status; };
  all.erase(std::remove_if(all.begin() + static_cast<std::ptrdiff_t>(from), all.end(), other),
            all.end());
}

void remember(const Operation& op, std::vector<Model>& all, std::size_t from) {
  for (std::size_t i = from; i < all.size(); ++i) {
    all[i].settled_epoch = op.call->token.epoch;
    all[i].settled_as = op.call->verb;
    all[i].settled_status = status(all[i]);
  }
}

void after_settling(const Model& model, const Operation& op, std::vector<Model>& all) {
  const Call& call = *op.call;
  const bool again = model.settled_epoch == call.token.epoch && model.settled_as == call.verb;
  if (again && (!op.ok() || op.answer->status == model.settled_status)) all.push_back(model);
  if (again && !held(model)) return;
  if (!held(model) || model.epoch != call.token.epoch) return;
  const std::size_t from = all.size();
  if (call.verb == Verb::complete) {
    Model done = moved(model, Phase::success);
    done.result = call.hash.value_or(0);
    all.push_back(done);
  } else if (call.verb == Verb::hand_off) {
    if (model.phase != Phase::running) return;
    all.push_back(moved(model, model.cancel_requested ? Phase::canceled : Phase::waiting));
  } else if (call.code == "CANCELED") {
    all.push_back(moved(model, Phase::canceled));
  } else {
    add_failed(model, all);
  }
  keep_answered(op, all, from);
  remember(op, all, from);
}

// Replies by key and by operators: they need no token and revoke it.
void after_reply(const Model& model, const Operation& op, std::vector<Model>& all) {
  if (op.ok() && op.answer->status == status(model)) all.push_back(model);  // a repeat
  if (model.phase != Phase::pending && !held(model)) return;
  const std::size_t from = all.size();
  Model claimed = model;
  if (!held(model)) claimed.epoch += 1;
  claimed.settled_as = Verb::other;
  if (op.call->hash) {
    Model done = moved(claimed, Phase::success);
    done.result = *op.call->hash;
    all.push_back(done);
  } else {
    add_failed(claimed, all);
    all.push_back(moved(claimed, Phase::canceled));
    all.push_back(moved(claimed, Phase::dead));
  }
  keep_answered(op, all, from);
}

void after_claim(const World& world, const Model& model, const Operation& op,
                 std::vector<Model>& all) {
  if (!op.ok()) return;
  for (const Grant& grant : op.answer->grants) {
    if (grant.job != world.job) continue;
    if (model.phase == Phase::running && model.epoch == grant.token.epoch) all.push_back(model);
    if (model.phase != Phase::pending || grant.token.epoch <= model.epoch) continue;
    Model running = moved(model, Phase::running);
    running.epoch = grant.token.epoch;
    running.settled_as = Verb::other;
    all.push_back(running);
  }
}

void after_cancel(const Model& model, const Operation& op, std::vector<Model>& all) {
  const bool over = model.phase == Phase::canceled;
  const bool asks = model.phase == Phase::running && !op.call->force;
  if (over && (!op.ok() || !op.answer->asked)) all.push_back(model);
  if (asks && (!op.ok() || op.answer->asked)) {
    all.push_back(model);
    all.back().cancel_requested = true;
  }
  const bool at_once = model.phase == Phase::pending || model.phase == Phase::waiting ||
                       (model.phase == Phase::running && op.call->force);
  if (at_once && (!op.ok() || !op.answer->asked)) all.push_back(moved(model, Phase::canceled));
}

Phase phase_of(State state) {
  switch (status_of(state)) {
    case Status::pending:
      return Phase::pending;
    case Status::running:
      return state == State::waiting ? Phase::waiting : Phase::running;
    case Status::completed:
      return Phase::success;
    case Status::failed:
      return Phase::dead;
    case Status::canceled:
      return Phase::canceled;
  }
  return Phase::absent;
}

void after_get(const Model& model, const Operation& op, std::vector<Model>& all) {
  if (!op.ok() || !op.answer->view) return;
  const View& view = *op.answer->view;
  // Under rules without a canceled state, what was canceled is kept as DEAD.
  const bool withdrawn = view.state == State::dead && model.phase == Phase::canceled;
  if (phase_of(view.state) != model.phase && !withdrawn) return;
  if (model.phase == Phase::success && view.result != model.result) return;
  all.push_back(model);
}

void after_enqueue(const World& world, const Model& model, const Operation& op,
                   std::vector<Model>& all) {
  if (model.phase == Phase::absent) {
    all.push_back(moved(model, Phase::pending));
    return;
  }
  if (!op.ok()) {
    all.push_back(model);
    return;
  }
  for (const EnqueuedJob& job : op.answer->jobs) {
    if (job.id != world.job || job.status != status(model)) continue;
    all.push_back(model);
    return;
  }
  // A successor, as the redrive that made it sees it.
  if (op.call->verb == Verb::redrive) all.push_back(model);
}

void after_heartbeat(const Model& model, const Operation& op, std::vector<Model>& all) {
  if (!held(model) || model.epoch != op.call->token.epoch) return;
  if (op.ok() && op.answer->cancel_requested != model.cancel_requested) return;
  all.push_back(model);
}

}  // namespace

void with_time(const World& world, const Model& model, std::vector<Model>& all) {
  all.push_back(model);
  if (held(model)) add_failed(model, all);
  const bool waits =
      std::ranges::any_of(all, [](const Model& m) { return m.phase == Phase::pending; });
  if (!waits) return;
  const Model pending = moved(model, Phase::pending);
  if (world.expires) all.push_back(moved(pending, Phase::canceled));
  if (!world.hidden_claims) return;
  // Several claims may have gone unheard one after the other. One that came back to the queue
  // leaves nothing that a later story needs.
  Model running = moved(pending, Phase::running);
  running.settled_as = Verb::other;
  all.push_back(moved(running, Phase::pending));
  all.push_back(moved(running, Phase::dead));
  do {
    running.epoch += 1;
    all.push_back(running);
  } while (running.epoch < world.last_epoch);
}

void after(const World& world, const Model& model, const Operation& op, std::vector<Model>& all) {
  switch (op.call->verb) {
    case Verb::enqueue:
      return after_enqueue(world, model, op, all);
    case Verb::redrive:
      if (op.call->successor == world.job) return after_enqueue(world, model, op, all);
      if (op.call->job != world.job) {  // an earlier redrive's successor answered
        if (model.phase != Phase::absent) all.push_back(model);
        return;
      }
      if (model.phase == Phase::dead || model.phase == Phase::canceled) all.push_back(model);
      return;
    case Verb::claim:
      return after_claim(world, model, op, all);
    case Verb::heartbeat:
      return after_heartbeat(model, op, all);
    case Verb::complete:
    case Verb::fail:
    case Verb::release:
    case Verb::hand_off:
      return after_settling(model, op, all);
    case Verb::finish_by_key:
    case Verb::resolve:
      return after_reply(model, op, all);
    case Verb::cancel:
      return after_cancel(model, op, all);
    case Verb::get:
      return after_get(model, op, all);
    case Verb::promote:
      if (model.phase == Phase::pending) all.push_back(model);
      return;
    default:
      if (model.phase != Phase::absent) all.push_back(model);
      return;
  }
}

}  // namespace longshore::checker
