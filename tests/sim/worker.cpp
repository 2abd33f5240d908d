#include <algorithm>
#include <iterator>

#include "core/rules/enqueue.h"
#include "sim/clients.h"

namespace longshore::sim {
namespace {

constexpr const char* codes[] = {"", "E_NET", "E_DB", "NO_HANDLER", "CANCELED"};
constexpr Process first_worker_process = 20;

}  // namespace

Process worker_process(int number) { return first_worker_process + number; }
std::string worker_name(int number) { return "worker" + std::to_string(number); }

void spawn_worker(World& world, int number) {
  const std::string name = worker_name(number);
  // The second one alone serves the other namespace, so that there is always one for each.
  const std::string ns = number == 1                     ? other_ns
                         : number == world.setup.workers ? third_ns
                                                         : main_ns;
  world.scheduler.spawn(name, worker_process(number),
                        [&world, name, ns] { Worker(world, name, ns, nullptr).run(); });
}

void spawn_inside_workers(World& world, Node& node) {
  const std::string name = node.name() + ".worker";
  world.scheduler.spawn(name, node.process(),
                        [&world, name, &node] { Worker(world, name, main_ns, &node).run(); });
  if (!world.setup.wide.on) return;
  world.scheduler.spawn(name + "2", node.process(), [&world, name, &node] {
    Worker(world, name + "2", other_ns, &node).run();
  });
}

Worker::Worker(World& world, std::string name, std::string ns, Node* home)
    : world_(world),
      caller_(world, std::move(name), home),
      ns_(std::move(ns)),
      polls_(world.setup.wide.polls && home == nullptr) {}

void Worker::run() {
  while (true) {
    const bool idle = held_.empty() || (!world_.healing && world_.chance(0.2));
    if (idle) {
      claim_jobs();
    } else if (world_.setup.wide.settles_together && held_.size() > 1 && world_.chance(0.3)) {
      settle_together();
    } else {
      work_on(world_.random.below(held_.size()));
    }
    world_.scheduler.let_pass(world_.millis_between(0, world_.healing ? 20 : 300));
  }
}

// ---- Claiming ---------------------------------------------------------------------------------

Claim Worker::make_claim() {
  Claim claim{.id = random_id<RequestId>(world_.random), .ns = ns_, .worker = caller_.name()};
  if (caller_.home() != nullptr) claim.node = caller_.home()->id();
  claim.queues = {"default", "narrow", "longshore.callbacks"};
  if (world_.chance(0.2) && !world_.healing) claim.types = {{"mail", "report"}};
  claim.limit =
      std::min(world_.setup.rules.claim_limit, 1 + static_cast<int>(world_.random.below(3)));
  return claim;
}

void Worker::claim_jobs() {
  Claim claim = make_claim();
  bool unsure = false;  // an earlier try may have been granted
  while (true) {
    const Duration wait = world_.chance(0.3) ? Duration() : world_.millis_between(0, 4'000);
    // Some hang up before their time is over. What they are given then is released; should the
    // store not hear of that, the lease has to run out, which gentle worlds do not want to see.
    const bool deaf_store =
        !world_.healing && world_.setup.harm.commit_lost + world_.setup.harm.answer_lost > 0;
    // What two nodes gave one who then stays away is released by neither.
    const bool stays = polls_ && world_.healing;
    const bool hasty = world_.chance(0.3) && !(world_.setup.gentle && deaf_store) && !stays;
    const Duration patience =
        hasty ? world_.millis_between(0, 1'000) : wait + Duration::seconds(world_.healing ? 60 : 3);
    const bool twice = world_.setup.wide.claims_again && !polls_ && caller_.home() == nullptr &&
                       !world_.setup.gentle && !world_.healing && world_.chance(0.1);
    if (twice) world_.sent_twice.insert(claim.id);
    const CallResult heard = twice    ? caller_.claim_twice(claim, wait, patience)
                             : polls_ ? caller_.poll(claim, wait, patience)
                                      : caller_.claim(claim, wait, patience);
    if (heard.answered()) {
      const auto* leased = std::get_if<Leased>(&*heard.verdict);
      if (leased == nullptr) return world_.complain("Q3: a claim was answered as something else");
      hold(*leased);
      if (!leased->leases.empty()) claim_again(claim);
      return;
    }
    // What it may have been given must be asked for again, or it is lost until its lease ends. A
    // node that is down cannot tell.
    unsure = unsure || heard.kind == CallResult::Kind::lost;
    if (!unsure || heard.kind == CallResult::Kind::left ||
        (!world_.setup.gentle && !world_.chance(0.7)))
      return;
    if (world_.setup.planted == Planted::retries_a_claim_as_a_new_one) claim = make_claim();
    if (polls_) world_.sent_twice.insert(claim.id);
    world_.scheduler.let_pass(world_.millis_between(0, 200));
  }
}

// The connection went down with the answer, and came back: the same is asked for once more, perhaps
// of another node.
void Worker::claim_again(const Claim& claim) {
  if (!world_.setup.wide.claims_again || polls_ || world_.healing || !world_.chance(0.15)) return;
  world_.sent_twice.insert(claim.id);
  const CallResult heard = caller_.claim(claim, Duration(), Duration::seconds(3));
  const Leased* leased = heard.answered() ? std::get_if<Leased>(&*heard.verdict) : nullptr;
  if (leased != nullptr) hold(*leased);
}

void Worker::hold(const Leased& leased) {
  for (const Lease& lease : leased.leases) {
    const bool known = std::ranges::any_of(held_, [&](const Held& one) {
      return one.lease.job == lease.job && one.lease.token == lease.token;
    });
    if (!known) held_.push_back({lease});
  }
}

// ---- Working ----------------------------------------------------------------------------------

void Worker::drop(std::size_t which) {
  held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(which));
}

void Worker::work_on(std::size_t which) {
  if (world_.unlucky(world_.setup.harm.fall_silent)) {
    world_.note(caller_.name(), "falls silent");
    return drop(which);
  }
  Held& held = held_[which];
  if (!held.last && world_.chance(world_.healing ? 0.1 : 0.4)) return beat(held);
  if (!held.last) held.last = settlement(held);
  const CallResult heard = caller_.ask_until_answered(*held.last);
  // Sometimes repeats an answered command.
  const bool again = heard.answered() && !world_.healing && world_.chance(0.2);
  if (!again) drop(which);
}

// Commands without an answer are repeated.
void Worker::settle_together() {
  std::vector<Command> commands;
  for (Held& held : held_) {
    if (!held.last) held.last = settlement(held);
    commands.push_back(*held.last);
  }
  const std::vector<CallResult> heard = caller_.ask_all(commands);
  std::vector<Held> rest;
  for (std::size_t i = 0; i < heard.size(); ++i) {
    const bool turned_away = heard[i].code == "STORE_UNAVAILABLE" || heard[i].code == "overloaded";
    const bool unsure = heard[i].kind == CallResult::Kind::lost || turned_away;
    if (unsure) rest.push_back(std::move(held_[i]));
  }
  held_ = std::move(rest);
}

void Worker::beat(const Held& held) {
  Heartbeat beat{.id = random_id<RequestId>(world_.random), .ns = ns_};
  beat.job = held.lease.job;
  beat.token = held.lease.token;
  if (world_.chance(0.3)) beat.progress = 50;
  if (world_.chance(0.2)) beat.checkpoint = payload(world_);
  if (world_.chance(0.2)) beat.log = "still at it\n";
  const CallResult heard = caller_.ask(beat);
  if (heard.code != "LEASE_LOST" || world_.chance(0.2)) return;
  // A token alone does not identify a lease: a claim may have several.
  std::erase_if(held_, [&](const Held& one) {
    return one.lease.job == beat.job && one.lease.token == beat.token;
  });
}

Command Worker::settlement(const Held& held) {
  const JobId job = held.lease.job;
  const LeaseToken token = held.lease.token;
  // A delivery has the platform's own long timeout, and would wait beyond any horizon; other jobs
  // are handed off where the rules allow it.
  const bool allowed = world_.setup.rules.other_moves == Rules::OtherMoves::allowed;
  const bool keeps = is_platform_type(held.lease.type) || !allowed;
  const std::uint64_t dice = world_.healing ? 0 : world_.random.below(keeps ? 9 : 10);
  const bool no_release = dice == 8 && world_.sent_twice.contains(token.claim);
  if (dice < 5 || no_release) return Complete{ns_, job, token, payload(world_), ""};
  if (dice < 8) {
    Fail fail{.ns = ns_, .job = job, .token = token};
    fail.error.code = codes[world_.random.below(std::size(codes))];
    fail.error.message = "it did not work";
    fail.retryable = world_.chance(0.85);
    if (world_.chance(0.2)) fail.retry_after = Duration::millis(1500);
    return fail;
  }
  if (dice == 8) {
    Release release{.ns = ns_, .job = job, .token = token};
    if (world_.chance(0.5)) release.delay = Duration::millis(900);
    world_.given_back.insert({token.claim, job});
    return release;
  }
  HandOff hand_off{.ns = ns_, .job = job, .token = token};
  if (world_.setup.gentle || world_.chance(0.5)) hand_off.timeout = Duration::seconds(3);
  return hand_off;
}

}  // namespace longshore::sim
