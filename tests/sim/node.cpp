#include "sim/node.h"

#include <algorithm>
#include <utility>

#include "checker/calls.h"
#include "core/assert.h"
#include "sim/clients.h"
#include "sim/poll.h"

namespace longshore::sim {

constexpr Process first_node_process = 1;

Node::Node(World& world, int number)
    : world_(world),
      name_("node" + std::to_string(number)),
      process_(first_node_process + number),
      id_(random_id<NodeId>(world.random)) {
  skew_ = world.millis_between(-5'000, 5'000);
}

Node::~Node() { vanish(); }

// Node clocks differ.
Instant Node::now() const {
  return Instant::millis(1'000'000'000) + (world_.scheduler.now() - Instant()) + skew_;
}

// ---- Beginning --------------------------------------------------------------------------------

void Node::boot(Duration outage) {
  LONGSHORE_ASSERT(engine_ == nullptr, "a node is not started twice");
  world_.scheduler.spawn(name_ + ".start", process_, [this, outage] {
    world_.scheduler.let_pass(outage);
    start();
  });
}

void Node::start() {
  while (!world_.host->is_open()) {
    const bool calm = world_.healing;
    const Result<Nothing> opened = world_.host->open();
    if (opened) break;
    if (calm) return world_.complain("the store cannot be opened: " + opened.error().message);
    // Its disk fails again; tried once more after a repair.
    world_.note(name_, "cannot open its store");
    world_.host->crash(world_.random, world_.chance(0.5));
    world_.scheduler.let_pass(world_.millis_between(10, 500));
  }
  store_ = std::make_unique<NodeStore>(world_, *this);
  announce();
  committer_ = std::make_unique<SignalWaker>(world_);
  ticker_ = std::make_unique<SignalWaker>(world_);
  stopping_ = false;
  engine_ = std::make_unique<Engine>(
      *store_, *committer_, *ticker_,
      EngineOptions{.node = id_, .name = name_, .rules = rules(), .limits = world_.setup.limits});
  desk_ = std::make_unique<LeasePollRegistry>();
  for (int i = 0; i < world_.setup.committers; ++i) {
    world_.scheduler.spawn(name_ + ".commit" + std::to_string(i), process_,
                           [this] { commit_for_ever(); });
  }
  world_.scheduler.spawn(name_ + ".tick", process_, [this] { tick_for_ever(); });
  spawn_inside_workers(world_, *this);
  world_.note(name_, "is up");
}

// Read from the store, because they can change.
RulesNow Node::rules() {
  auto first = std::make_shared<const Rules>(world_.setup.rules);
  if (!world_.setup.wide.sets_rules) return [first] { return first; };
  return [this, first]() -> std::shared_ptr<const Rules> {
    return world_.host->is_open() ? rules_of(world_.host->backend()) : first;
  };
}

void Node::announce() {
  if (world_.setup.planted == Planted::starts_without_a_word) {
    world_.starts.emplace_back(name_, *world_.host->backend().catalog().now());
    return;
  }
  const Command start = StartNode{.node = id_, .name = name_};
  while (true) {
    const std::int64_t op = world_.writer.invoke(name_, checker::call_of(start));
    const Result<Committed> done = store_->commit({&start, 1});
    if (done) {
      world_.starts.emplace_back(name_, done->at);
      return world_.writer.ok(op, checker::Answer{.at = done->at});
    }
    world_.writer.info(op);
    world_.scheduler.let_pass(world_.millis_between(10, 500));
  }
}

void Node::commit_for_ever() {
  std::uint64_t seen = 0;
  while (true) {
    while (engine_->commit_once()) world_.scheduler.pass();
    world_.scheduler.wait(committer_->signal, seen, Instant::never());
  }
}

void Node::tick_for_ever() {
  std::uint64_t seen = 0;
  while (true) {
    if (std::exchange(hinted_, false)) engine_->hint();
    const Instant next = engine_->tick(now());
    const Duration wait = std::max(next - now(), Duration());
    world_.scheduler.wait(ticker_->signal, seen, world_.scheduler.now() + wait);
  }
}

void Node::hint() {
  if (!up()) return;
  hinted_ = true;
  ticker_->wake();
}

// ---- Serving ----------------------------------------------------------------------------------

BoxRef Node::take(Command command, Duration wait) {
  LONGSHORE_ASSERT(up(), "only a node that is up takes commands");
  auto box = std::make_shared<Box>();
  const std::int64_t number = next_box_++;
  boxes_[number] = box;
  Answer answer = [this, box, number](Result<Answered> answered) {
    boxes_.erase(number);
    if (box->closed) return;
    box->answer = std::move(answered);
    world_.scheduler.ring(box->signal);
  };
  if (Claim* claim = std::get_if<Claim>(&command)) {
    box->ticket = engine_->claim(std::move(*claim), now(), wait, std::move(answer));
  } else {
    engine_->submit(std::move(command), std::move(answer));
  }
  return box;
}

void Node::forget(const BoxRef& box) {
  if (box->closed || box->answer || !box->ticket) return;
  if (world_.setup.planted == Planted::keeps_the_job_of_one_who_left) return;
  engine_->abandon(*box->ticket);
}

PollRef Node::poll(Claim claim, Duration wait) {
  LONGSHORE_ASSERT(up(), "only a node that is up takes commands");
  auto poll = std::make_shared<Poll>(world_, *this, *engine_);
  std::erase_if(polls_, [](const std::weak_ptr<Poll>& one) { return one.expired(); });
  polls_.push_back(poll);
  auto named = desk_->poll(claim.id, *engine_, claim.ns);
  poll->start(std::move(claim), wait, std::move(named));
  return poll;
}

// ---- Ending -----------------------------------------------------------------------------------

void Node::stop(Duration grace) {
  if (!up()) return;
  stopping_ = true;
  world_.scheduler.spawn(name_ + ".stop", process_, [this, grace] {
    engine_->stop_dispatching();
    world_.scheduler.let_pass(grace);
    engine_->stop();
    world_.scheduler.outside([this] {
      if (stopping_) {
        crash(false);
        boot(Duration::millis(100));
      }
    });
  });
}

void Node::crash(bool power) {
  world_.note(name_, "is gone");
  world_.scheduler.kill(process_);
  vanish();
  if (world_.host->dies_with_its_node()) world_.host->crash(world_.random, power);
}

void Node::vanish() {
  // Callers see a lost connection, and none of the answers that the engine gives when it stops.
  for (const auto& [number, box] : boxes_) {
    box->closed = true;
    world_.scheduler.ring(box->signal);
  }
  boxes_.clear();
  for (const std::weak_ptr<Poll>& one : std::exchange(polls_, {})) {
    if (const PollRef poll = one.lock()) poll->die();
  }
  engine_.reset();
  desk_.reset();
  store_.reset();
  stopping_ = false;
  hinted_ = false;
}

}  // namespace longshore::sim
