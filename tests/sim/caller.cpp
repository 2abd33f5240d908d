#include "sim/caller.h"

#include <utility>

#include "sim/poll.h"

namespace longshore::sim {

// One call in the history. Whatever unwinds the one who asked, it gets its end.
class Caller::OpenCall {
 public:
  OpenCall(World& world, const std::string& name, checker::Call call)
      : world_(world), op_(world.writer.invoke(name, std::move(call))) {}
  ~OpenCall() {
    if (!ended_) world_.writer.info(op_, "died");
  }
  OpenCall(const OpenCall&) = delete;
  OpenCall& operator=(const OpenCall&) = delete;

  CallResult lost(std::string_view why, CallResult::Kind kind = CallResult::Kind::lost) {
    ended_ = true;
    world_.writer.info(op_, why);
    return {.kind = kind, .code = std::string(why)};
  }
  CallResult refused(std::string_view code, std::optional<Instant> at = {}) {
    ended_ = true;
    world_.writer.fail(op_, code, at);
    return {.kind = CallResult::Kind::refused, .code = std::string(code)};
  }
  CallResult answered(checker::Answer answer, Verdict verdict) {
    ended_ = true;
    world_.writer.ok(op_, std::move(answer));
    return {.kind = CallResult::Kind::answered, .verdict = std::move(verdict)};
  }
  void saw(checker::Answer answer) {
    ended_ = true;
    world_.writer.ok(op_, std::move(answer));
  }

 private:
  World& world_;
  const std::int64_t op_;
  bool ended_ = false;
};

Node& Caller::choose_node() {
  if (home_ != nullptr) return *home_;
  return *world_.nodes[world_.random.below(world_.nodes.size())];
}

Duration Caller::patience() {
  return world_.healing ? Duration::seconds(60) : world_.millis_between(300, 4'000);
}

CallResult Caller::ask(const Command& command) {
  return exchange(command, Duration(), patience(), false);
}

CallResult Caller::claim(const Claim& claim, Duration wait, Duration patience) {
  return exchange(claim, wait, patience, true);
}

CallResult Caller::exchange(const Command& command, Duration wait, Duration patience,
                            bool may_leave) {
  const Harm& harm = world_.setup.harm;
  const bool calm = world_.healed;
  OpenCall call(world_, name_, checker::call_of(command));
  world_.scheduler.let_pass(world_.travel());
  // Within one process nothing gets lost.
  const bool remote = home_ == nullptr;
  if (remote && world_.unlucky(harm.request_lost)) {
    world_.scheduler.let_pass(patience);
    return call.lost("request lost");
  }
  Node& node = choose_node();
  if (!node.up()) return call.refused("STORE_UNAVAILABLE");
  const BoxRef box = node.take(command, wait);
  std::uint64_t seen = 0;
  world_.scheduler.wait(box->signal, seen, world_.scheduler.now() + patience);
  if (!box->answer) {
    node.forget(box);
    if (calm && !may_leave) world_.complain(name_ + " was never answered, long after the healing");
    const bool left = may_leave && !box->closed;
    return call.lost("no answer", left ? CallResult::Kind::left : CallResult::Kind::lost);
  }
  world_.scheduler.let_pass(world_.travel());
  if (remote && world_.unlucky(harm.reply_late)) {
    world_.scheduler.let_pass(world_.millis_between(500, 8'000));
  }
  if (remote && world_.unlucky(harm.reply_lost)) return call.lost("reply lost");
  return hear(call, *box->answer);
}

CallResult Caller::hear(OpenCall& call, const Result<Answered>& answer) {
  if (!answer) {
    if (answer.error().code == Errc::unavailable) return call.lost("unavailable");
    return call.refused(to_text(answer.error().code));
  }
  const bool timed = answer->at != Instant();
  const std::optional<Instant> at = timed ? std::optional(answer->at) : std::nullopt;
  if (const Refusal* refusal = std::get_if<Refusal>(&answer->verdict)) {
    return call.refused(to_text(refusal->code), at);
  }
  checker::Answer told = checker::answer_of(answer->verdict);
  told.at = at;
  return call.answered(std::move(told), answer->verdict);
}

namespace {

// The worker's end. Whatever unwinds it, the line goes down.
class Line {
 public:
  explicit Line(PollRef poll) : poll_(std::move(poll)) {}
  ~Line() { poll_->hang_up(); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  Poll* operator->() { return poll_.get(); }

 private:
  const PollRef poll_;
};

}  // namespace

CallResult Caller::poll(const Claim& claim, Duration wait, Duration patience) {
  const Harm& harm = world_.setup.harm;
  const bool calm = world_.healed;
  OpenCall call(world_, name_, checker::call_of(claim));
  world_.scheduler.let_pass(world_.travel());
  if (world_.unlucky(harm.request_lost)) {
    world_.scheduler.let_pass(patience);
    return call.lost("request lost");
  }
  Node& node = choose_node();
  if (!node.up()) return call.refused("STORE_UNAVAILABLE");
  Line line(node.poll(claim, wait));
  std::uint64_t seen = 0;
  world_.scheduler.wait(line->signal(), seen, world_.scheduler.now() + patience);
  if (!line->answer()) {
    if (calm && !line->is_dead()) world_.complain(name_ + " was never answered, after the healing");
    return call.lost("no answer");
  }
  if (world_.unlucky(harm.reply_lost)) return call.lost("reply lost");
  const Result<Answered> answer = *line->answer();
  line->hear();
  world_.scheduler.let_pass(world_.travel());
  return hear(call, answer);
}

std::vector<CallResult> Caller::ask_all(const std::vector<Command>& commands) {
  const Harm& harm = world_.setup.harm;
  std::vector<std::unique_ptr<OpenCall>> calls;
  for (const Command& command : commands) {
    calls.push_back(std::make_unique<OpenCall>(world_, name_, checker::call_of(command)));
  }
  std::vector<CallResult> heard;
  const auto all_lost = [&](std::string_view why) {
    for (std::size_t i = heard.size(); i < calls.size(); ++i) heard.push_back(calls[i]->lost(why));
    return heard;
  };
  world_.scheduler.let_pass(world_.travel());
  const bool remote = home_ == nullptr;
  const Instant until = world_.scheduler.now() + patience();
  if (remote && world_.unlucky(harm.request_lost)) return all_lost("request lost");
  Node& node = choose_node();
  if (!node.up()) {
    for (const auto& call : calls) heard.push_back(call->refused("STORE_UNAVAILABLE"));
    return heard;
  }
  std::vector<BoxRef> boxes;
  for (const Command& command : commands) boxes.push_back(node.take(command, Duration()));
  for (const BoxRef& box : boxes) {
    std::uint64_t seen = 0;
    world_.scheduler.wait(box->signal, seen, until);
  }
  world_.scheduler.let_pass(world_.travel());
  if (remote && world_.unlucky(harm.reply_lost)) return all_lost("reply lost");
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    heard.push_back(boxes[i]->answer ? hear(*calls[i], *boxes[i]->answer)
                                     : calls[i]->lost("no answer"));
  }
  return heard;
}

CallResult Caller::claim_twice(const Claim& claim, Duration wait, Duration patience) {
  const Instant until = world_.scheduler.now() + patience;
  OpenCall first_call(world_, name_, checker::call_of(claim));
  Node& first = choose_node();
  if (!first.up()) return first_call.refused("STORE_UNAVAILABLE");
  const BoxRef first_box = first.take(claim, wait);
  world_.scheduler.let_pass(world_.travel());
  OpenCall second_call(world_, name_, checker::call_of(claim));
  Node& second = choose_node();
  if (!second.up()) {
    second_call.refused("STORE_UNAVAILABLE");
    if (first_box->answer) return hear(first_call, *first_box->answer);
    first.forget(first_box);
    return first_call.lost("no answer");
  }
  const BoxRef second_box = second.take(claim, wait);
  std::uint64_t seen = 0;
  world_.scheduler.wait(second_box->signal, seen, until);
  // If the caller disconnects, the node releases what it would have delivered.
  if (first_box->answer) {
    hear(first_call, *first_box->answer);
  } else {
    first.forget(first_box);
    first_call.lost("no answer");
  }
  if (second_box->answer) return hear(second_call, *second_box->answer);
  second.forget(second_box);
  return second_call.lost("no answer");
}

CallResult Caller::ask_until_answered(const Command& command) {
  const Instant enough = world_.scheduler.now() + Duration::seconds(10);
  while (true) {
    CallResult heard = ask(command);
    const bool unsure = heard.kind == CallResult::Kind::lost;
    const bool turned_away = heard.kind == CallResult::Kind::refused &&
                             (heard.code == "STORE_UNAVAILABLE" || heard.code == "overloaded");
    if (!unsure && !turned_away) return heard;
    const bool tired = world_.scheduler.now() > enough || !world_.chance(0.75);
    if (tired && !world_.setup.gentle) return heard;
    world_.scheduler.let_pass(world_.millis_between(10, 600));
  }
}

void Caller::read(const std::string& ns, const JobId& job) {
  checker::Call asked;
  asked.verb = checker::Verb::get;
  asked.ns = ns;
  asked.job = job;
  OpenCall call(world_, name_, std::move(asked));
  world_.scheduler.let_pass(world_.travel());
  if (!choose_node().up()) {
    call.refused("STORE_UNAVAILABLE");
    return;
  }
  const Result<JobRecord> record = world_.host->backend().catalog().get(ns, job);
  std::optional<Instant> at;
  if (world_.setup.wide.on) {
    const auto now = world_.host->backend().catalog().now();
    if (now) at = *now;
  }
  world_.scheduler.let_pass(world_.travel());
  if (!record) {
    const bool missing = record.error().code == Errc::not_found;
    call.refused(missing ? "NOT_FOUND" : "STORE_UNAVAILABLE", missing ? at : std::nullopt);
  } else {
    call.saw(checker::Answer{.view = checker::view_of(*record)});
  }
}

}  // namespace longshore::sim
