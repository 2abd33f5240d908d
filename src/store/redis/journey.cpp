#include "store/redis/journey.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/time/clock.h"

namespace longshore::redis {
namespace {

constexpr int pause_millis_max = 100;
constexpr int redirections_max = 4;
// A cluster that has lost a node gets so much time to find another before a caller hears of it.
constexpr int unreachable_millis_max = 1000;
// A witness outlives any channel that still cares, also when Redis's clock steps forward by months:
// an expired one would be taken for a loss.
constexpr std::int64_t witness_seconds = 400 * 86400;
constexpr std::int64_t witness_trusted_seconds = 20 * 86400;

bool passes(std::string_view code) {
  return code == "TRYAGAIN" || code == "CLUSTERDOWN" || code == "LOADING" || code == "BUSY" ||
         code == "READONLY" || code == "MASTERDOWN";
}

}  // namespace

Journey::Journey(const Ways& ways, Lane& lane, std::string_view tag, bool durable)
    : ways_(ways),
      lane_(lane),
      tag_(tag),
      durable_(durable),
      slot_(slot_of(tag)),
      began_(steady_micros()) {}

std::int64_t Journey::elapsed_millis() const { return (steady_micros() - began_) / 1000; }

Result<std::vector<Reply>> Journey::carry(std::span<const Outgoing> calls) {
  calls_ = calls;
  replies_.resize(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) pending_.push_back(i);
  while (!pending_.empty()) {
    const auto link = find_link();
    if (!link) return link.error();
    // Null: there was none, but there may be one now.
    if (*link == nullptr) continue;
    if (const auto gone = go(**link); !gone) return gone.error();
    if (pending_.empty()) break;
    if (const auto sent_on = redirect(); !sent_on) return sent_on.error();
  }
  return std::move(replies_);
}

Result<Link*> Journey::find_link() {
  const auto map = ways_.topology.map();
  const Address* owner = asked_ ? &*asked_ : map->owner(slot_);
  const bool may_wait = ways_.url.cluster;
  if (may_wait && owner != nullptr) {
    if (auto why = ways_.topology.unreachable(*owner)) {
      return Error{.code = Errc::unavailable, .message = std::move(*why)};
    }
  }
  auto link =
      owner == nullptr ? Result<Link*>(Error{.message = "a slot has no node"}) : lane_.link(*owner);
  if (link || link.error().code == Errc::refused) return link;
  if (!may_wait || elapsed_millis() >= unreachable_millis_max) {
    if (may_wait && owner != nullptr) {
      ways_.topology.note_unreachable(*owner, link.error().message);
    }
    return Error{.code = Errc::unavailable, .message = link.error().message};
  }
  asked_.reset();
  if (const auto waited = wait_a_little(link.error().message); !waited) return waited.error();
  // A map that nobody has is noticed in the next round.
  [[maybe_unused]] const auto refreshed = ways_.topology.refresh();
  return nullptr;
}

Result<Nothing> Journey::go(Link& link) {
  wire_.clear();
  expected_.clear();
  next_ = {};
  for (const std::size_t index : pending_) write_call(link, index);
  if (durable_) write_tail();
  ++ways_.tally.exchanges;
  const std::int64_t sent_at = steady_micros();
  auto replies = link.converse(wire_, expected_.size(), [this] { tell_sent(); });
  if (!replies) {
    const Error error = replies.error();
    const bool silent = (steady_micros() - sent_at) / 1000 >= ways_.url.timeout.count();
    if (ways_.url.cluster && silent) ways_.topology.note_unreachable(link.address(), error.message);
    lane_.drop(link.address());
    ++ways_.tally.lost;
    return error;
  }
  return hear(link, std::move(*replies));
}

void Journey::tell_sent() const {
  for (const std::size_t index : pending_) {
    const ScriptCall* run = calls_[index].run;
    if (run != nullptr && run->when_sent) run->when_sent();
  }
}

void Journey::write_call(Link& link, std::size_t index) {
  const Outgoing& call = calls_[index];
  if (call.run != nullptr) return write_run(link, *call.run, index);
  if (asked_) {
    append_command(wire_, Words{"ASKING"});
    add(Part::asking);
  }
  append_command(wire_, *call.words);
  add(Part::call, index);
}

void Journey::write_run(Link& link, const ScriptCall& run, std::size_t index) {
  if (link.scripts().insert(run.script->sha1()).second) {
    append_command(wire_, Words{"SCRIPT", "LOAD", run.script->source()});
    add(Part::load, index);
  }
  if (asked_) {
    append_command(wire_, Words{"ASKING"});
    add(Part::asking);
  }
  // Two different keys at least, one of them missing: Redis then runs the script neither at the
  // node that a slot leaves nor at the one that gets it.
  const std::size_t guards = !ways_.url.cluster ? 0 : run.keys.empty() ? 2 : 1;
  const std::size_t keys = run.keys.size() + guards;
  begin_command(wire_, 3 + keys + run.args.size());
  append_word(wire_, "EVALSHA");
  append_word(wire_, run.script->sha1());
  append_word(wire_, std::to_string(keys));
  for (const std::string& key : run.keys) append_word(wire_, key);
  for (std::size_t i = 0; i < guards; ++i) {
    append_word(wire_, ways_.url.prefix + ":{" + std::string(tag_) + "}:guard" + std::to_string(i));
  }
  for (const std::string& arg : run.args) append_word(wire_, arg);
  add(Part::call, index);
}

void Journey::write_tail() {
  // ASK was said of the calls' keys alone. With ASKING, the node that gets a slot would make the
  // witness anew while it still stands at the node that gives the slot away.
  if (!asked_) write_witness();
  if (ways_.replicas == 0) return;
  // Less than the wait for a byte, so that a short answer is not taken for none.
  const std::int64_t millis = ways_.url.timeout.count() * 4 / 5;
  append_command(wire_, Words{"WAIT", std::to_string(ways_.replicas), std::to_string(millis)});
  add(Part::wait);
}

void Journey::write_witness() {
  const std::string key = ways_.url.prefix + ":{" + std::string(tag_) +
                          "}:witness:" + ways_.channel_id + ":" + std::to_string(lane_.number());
  const std::int64_t number = ++lane_.witness(tag_).sent;
  append_command(wire_, Words{"SET", key, std::to_string(number), "GET", "EX",
                              std::to_string(witness_seconds)});
  add(Part::witness);
}

Result<Nothing> Journey::hear(Link& link, std::vector<Reply> replies) {
  std::vector<std::size_t> left;
  bool witnessed = false;
  Result<Nothing> verdict = Nothing{};
  const auto blame = [&](const Result<Nothing>& found) {
    if (verdict && !found) verdict = found;
  };
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    const auto [part, call] = expected_[i];
    Reply& reply = replies[i];
    if (part == Part::call && !settle(link, call, std::move(reply))) left.push_back(call);
    if (part == Part::load && reply.is_error()) {
      link.scripts().erase(calls_[call].run->script->sha1());
      if (!passes(reply.code())) blame(error_of(reply, calls_[call].run->script->name()));
    }
    if (part == Part::witness) {
      // Redirected or out of memory: it is not there, and says nothing this time.
      witnessed = !reply.is_error();
      if (witnessed) blame(judge_witness(reply));
    }
    if (part == Part::wait) blame(judge_wait(reply));
  }
  pending_ = std::move(left);
  if (!verdict || !witnessed || !pending_.empty()) return verdict;
  Witness& witness = lane_.witness(tag_);
  witness.acknowledged = witness.sent;
  witness.second = ways_.tally.seconds;
  return verdict;
}

bool Journey::settle(Link& link, std::size_t index, Reply reply) {
  const std::string_view code = reply.code();
  const bool moved = code == "MOVED";
  if ((moved || code == "ASK") && ways_.url.cluster) {
    const auto direction = read_direction(reply, link.address());
    if (direction) (moved ? next_.moved : next_.ask) = *direction;
    next_.again = next_.again || !direction.ok();
    return false;
  }
  if (code == "NOSCRIPT" && calls_[index].run != nullptr) {
    link.scripts().erase(calls_[index].run->script->sha1());
    next_.why = reply.text;
    return false;
  }
  if (passes(code)) {
    next_.again = true;
    next_.why = reply.text;
    return false;
  }
  events_ = true;
  replies_[index] = std::move(reply);
  return true;
}

Result<Nothing> Journey::judge_witness(const Reply& reply) {
  Witness& witness = lane_.witness(tag_);
  std::int64_t known = 0;
  std::from_chars(reply.text.data(), reply.text.data() + reply.text.size(), known);
  const bool old = ways_.tally.seconds - witness.second > witness_trusted_seconds;
  if (known >= witness.acknowledged || old) return Nothing{};
  const std::string text =
      ways_.url.shown + " went back in time: it knows " + std::to_string(known) + " of " +
      std::to_string(witness.acknowledged) +
      " acknowledged writes of one connection; acknowledged jobs and outcomes are lost. Did it "
      "start from an older file, or was a replica promoted that had not received them?";
  witness.acknowledged = 0;
  ++ways_.tally.went_back;
  ways_.tally.alarm(text);
  return Error{.code = Errc::unavailable, .message = text};
}

Result<Nothing> Journey::judge_wait(const Reply& reply) {
  if (reply.kind == Reply::Kind::integer && reply.integer >= ways_.replicas) return Nothing{};
  ++ways_.tally.short_waits;
  const std::string had = reply.is_error() ? reply.text : std::to_string(reply.integer);
  return Error{.code = Errc::unavailable,
               .message = ways_.url.shown + ": replicas that have the writes: " + had + " of " +
                          std::to_string(ways_.replicas)};
}

Result<Nothing> Journey::redirect() {
  asked_.reset();
  if (next_.again) {
    ++ways_.tally.tried;
    const bool elsewhere = !next_.moved && !next_.ask && !next_.why.starts_with("TRYAGAIN");
    if (elsewhere) [[maybe_unused]]
      const auto refreshed = ways_.topology.refresh();
    return wait_a_little(next_.why);
  }
  if (next_.moved) {
    ++ways_.tally.moved;
    ways_.topology.moved(*next_.moved);
  }
  if (next_.ask) {
    ++ways_.tally.asked;
    asked_ = next_.ask->to;
  }
  if (++redirections_ <= redirections_max) return Nothing{};
  redirections_ = 0;
  return wait_a_little("sent from node to node");
}

Result<Nothing> Journey::wait_a_little(const std::string& why) {
  if (paused_millis_ >= ways_.url.patience.count()) return give_up(why);
  const int millis = std::min(2 << std::min(pauses_++, 6), pause_millis_max);
  paused_millis_ += millis;
  pause_for(millis);
  return Nothing{};
}

Error Journey::give_up(const std::string& why) const {
  return {.code = events_ ? Errc::unavailable : Errc::overloaded,
          .message = ways_.url.shown + ": not in " +
                     std::to_string(ways_.url.patience.count() / 1000) + " s: " + why};
}

}  // namespace longshore::redis
