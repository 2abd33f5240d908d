// Commands that go through all namespaces. Each namespace has its own share, done by a unit of work
// of its own; what is oldest in all of them goes first. Those that have nothing to do are only
// asked, all at once; those that cannot be reached are left out.
#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>

#include "store/redis/reader.h"
#include "store/redis/sightings.h"
#include "store/redis/survey.h"
#include "store/redis/timetable.h"
#include "store/redis/writer.h"

namespace longshore::redis {
namespace {

// So many namespaces are looked through in one tick for what no index leads to.
constexpr std::size_t turn_length = 4;

void add(Swept& sum, const Verdict& verdict) {
  const Swept* swept = std::get_if<Swept>(&verdict);
  if (swept == nullptr) return;
  sum.count += swept->count;
  sum.more = sum.more || swept->more;
  sum.next = earlier(sum.next, swept->next);
  sum.seen_until = earlier(sum.seen_until, swept->seen_until);
  sum.repaired.insert(sum.repaired.end(), swept->repaired.begin(), swept->repaired.end());
}

// Puts what happened from `first` on into the order of these jobs; what a job brought into being
// stays with it.
void put_in_order(std::vector<JobEvent>& events, std::size_t first,
                  const std::vector<JobId>& order) {
  std::unordered_map<JobId, std::size_t> ranks;
  for (std::size_t i = 0; i < order.size(); ++i) ranks.emplace(order[i], i);
  std::vector<std::pair<std::size_t, JobEvent>> ranked;
  std::size_t rank = 0;
  for (std::size_t i = first; i < events.size(); ++i) {
    if (const auto known = ranks.find(events[i].job); known != ranks.end()) rank = known->second;
    ranked.emplace_back(rank, std::move(events[i]));
  }
  std::ranges::stable_sort(ranked, {}, [](const auto& each) { return each.first; });
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    events[first + i] = std::move(ranked[i].second);
  }
}

}  // namespace

Result<Verdict> Writer::run_wide(const Command& command, Committed& committed) {
  if (const auto* due = std::get_if<Due>(&command)) return sweep(command, due->limit, committed);
  if (const auto* reap = std::get_if<Reap>(&command)) return sweep(command, reap->limit, committed);
  if (const auto* all = std::get_if<Sweep>(&command)) {
    // The rules are spread by a later sweep, if they cannot be read now.
    [[maybe_unused]] const auto spread = spread_rules();
    return sweep(command, all->limit, committed);
  }
  if (const auto* prune_all = std::get_if<Prune>(&command)) return prune(*prune_all, committed);
  if (const auto* node = std::get_if<StartNode>(&command)) return start(*node, committed);
  if (const auto* rules = std::get_if<Configure>(&command)) return configure(*rules, committed);
  return scatter(command, committed);
}

// A namespace stays listed. One that no longer is was listed after the state that the database went
// back to, and may hold jobs again that were written as if it were.
// Those of this node's copy, if the server that lists them cannot be reached.
Result<std::vector<std::string>> Writer::namespaces() {
  const std::vector<std::string> known = around_.copies.namespaces();
  auto names = read_namespaces(around_.channel);
  if (!names && known.empty()) return names.error();
  if (!names) return known;
  around_.copies.set_namespaces(*names);
  const std::set<std::string> listed(names->begin(), names->end());
  for (const std::string& ns : known) {
    if (!listed.contains(ns) && list_again(ns)) names->push_back(ns);
  }
  return names;
}

bool Writer::list_again(const std::string& ns) {
  const Reader reader(around_.channel, Keys(around_.prefix(), ns));
  const auto exists = reader.read({{"EXISTS", reader.keys().meta()}});
  if (!exists) return false;  // the next one looks again
  if ((*exists)[0].integer == 0) {
    around_.copies.drop(ns);
    return false;
  }
  const Keys shared = Keys::shared(around_.prefix());
  const std::vector<Words> calls = {{"SADD", shared.one("namespaces"), ns}};
  return around_.channel.exchange(shared.tag(), calls, true).ok();
}

// Of another server, if the one with what belongs to no namespace cannot be reached.
Result<Instant> Writer::time_now(const std::vector<std::string>& names) {
  const Duration asked = around_.steady();
  const auto heard = [&](Instant said, const std::string& ns) {
    return around_.time.heard({.said = said, .asked = asked, .answered = around_.steady()}, ns);
  };
  if (around_.clock != nullptr) return heard(around_.clock->now(), "");
  const Keys shared = Keys::shared(around_.prefix());
  const auto time = Reader(around_.channel, shared).read({{"TIME"}});
  if (time) return heard(read_time((*time)[0]), "");
  std::optional<Instant> latest;
  const auto ask_time = [](const Keys&) { return std::vector<Words>{{"TIME"}}; };
  for (const auto& [ns, told] : ask_each(around_.channel, names, ask_time)) {
    if (told) latest = heard(read_time((*told)[0]), ns);
  }
  if (!latest) return time.error();
  return *latest;
}

// Every namespace in turn; their answers become one.
Writer::Sum Writer::one_by_one(
    const Command& command, const std::vector<std::string>& names,
    const std::function<void(const std::string&, RedisTransaction&)>& prepare,
    Committed& committed) {
  Sum sum;
  for (const std::string& ns : names) {
    const Group group{.ns = ns, .commands = {&command}, .places = {0}};
    auto judged = commit_group(group, [&](RedisTransaction& unit) { prepare(ns, unit); });
    if (!judged) {
      if (!sum.error) sum.error = judged.error();
      continue;
    }
    sum.answered += 1;
    add(sum.swept, judged->verdicts[0]);
    std::ranges::move(judged->events, std::back_inserter(committed.events));
  }
  return sum;
}

std::set<std::string> Writer::next_turn(Walk walk, const std::vector<std::string>& names) {
  const std::set<std::string> all(names.begin(), names.end());
  MutexLock lock(mutex_);
  std::string& last = walked_[walk];
  std::set<std::string> turn;
  auto next = all.upper_bound(last);
  while (turn.size() < std::min(turn_length, all.size())) {
    if (next == all.end()) next = all.begin();
    last = *next;
    turn.insert(*next++);
  }
  return turn;
}

// What a wide command does where.
struct Writer::Round {
  std::vector<std::string> names = {};
  Instant now = {};
  Survey survey = {};
  std::map<std::string, std::int64_t> accepted = {};  // shares of recorded jobs
  std::set<std::string> turn = {};                    // looked through whatever is due there

  // The namespaces that have something to do and could be asked.
  std::vector<std::string> visited() const {
    std::vector<std::string> left = names;
    std::erase_if(left, [this](const std::string& ns) {
      const bool wanted = survey.shares.contains(ns) || accepted.contains(ns) || turn.contains(ns);
      return !wanted || survey.failed.contains(ns);
    });
    return left;
  }
};

Result<Writer::Round> Writer::begin_round() {
  auto names = namespaces();
  if (!names) return names.error();
  const auto now = time_now(*names);
  if (!now) return now.error();
  return Round{.names = std::move(*names), .now = *now};
}

// Fails if no namespace could be reached. What those that could not be reached would have said is
// not known, so nothing counts as seen.
Result<Verdict> Writer::end_round(const Round& round, std::int64_t visited, Sum sum) {
  const std::int64_t failed = visited - sum.answered + std::ssize(round.survey.failed);
  if (failed > 0 && failed == std::ssize(round.names)) {
    return sum.error ? *sum.error : round.survey.failed.begin()->second;
  }
  if (failed > 0) sum.swept.seen_until.reset();
  sum.swept.next = earlier(sum.swept.next, round.survey.next);
  return Verdict(std::move(sum.swept));
}

void Writer::survey_sweep(const Sweep& sweep, Round& round) {
  const Duration accept_after = around_.rules.get()->rules.accept_after;
  Survey& survey = round.survey;
  Survey recorded = take_survey(around_.channel, round.names, Table::recorded,
                                {.from = {}, .until = round.now - accept_after},
                                sweep.limit - std::ssize(survey.order), survey);
  round.accepted = std::move(recorded.shares);
  survey.order.insert(survey.order.end(), recorded.order.begin(), recorded.order.end());
  if (recorded.next) survey.next = earlier(survey.next, *recorded.next + accept_after);
  survey.failed.merge(recorded.failed);
  round.turn = sweep.all_namespaces ? std::set(round.names.begin(), round.names.end())
                                    : next_turn(Walk::sweep, round.names);
}

Result<Verdict> Writer::sweep(const Command& command, std::int64_t limit, Committed& committed) {
  using execute::Timetable;
  auto round = begin_round();
  if (!round) return round.error();
  const bool is_due = std::holds_alternative<Due>(command);
  const auto* reap = std::get_if<Reap>(&command);
  const auto* all = std::get_if<Sweep>(&command);
  const bool is_reap = reap != nullptr;
  const execute::TimeSpan span{.from = is_reap ? reap->ended_from : Instant(), .until = round->now};
  // Lost leases that a reap leaves alone use up nothing of its limit.
  const bool passes_over = is_reap && !reap->lost_leases;
  const std::int64_t surveyed = passes_over ? std::numeric_limits<int>::max() : limit;
  const Table first = is_due ? Table::future : is_reap ? Table::leases : Table::expiry;
  round->survey = take_survey(around_.channel, round->names, first, span, surveyed);
  if (all != nullptr) survey_sweep(*all, *round);
  const std::vector<std::string> visited = round->visited();
  const std::size_t before = committed.events.size();
  Sum sum = one_by_one(
      command, visited,
      [&](const std::string& ns, RedisTransaction& unit) {
        const Timetable table = is_due    ? Timetable::future
                                : is_reap ? Timetable::holding
                                          : Timetable::expiry;
        unit.limit_due(table, round->survey.shares[ns]);
        if (!is_due && !is_reap) unit.limit_due(Timetable::recorded, round->accepted[ns]);
      },
      committed);
  put_in_order(committed.events, before, round->survey.order);
  Swept& swept = sum.swept;
  if (is_reap) swept.seen_until = earlier(swept.seen_until, round->now);
  swept.more = swept.more || swept.count >= limit;
  if (swept.more) swept.seen_until.reset();
  return end_round(*round, std::ssize(visited), std::move(sum));
}

// Keys that outlived their job, and more finished jobs than are kept, are asked for as well.
void Writer::survey_prune(const Prune& prune, Round& round) {
  const Instant allowed = around_.time.prune_by();
  const Instant by = allowed == around_.time.highest() ? round.now : std::min(allowed, round.now);
  round.survey = take_survey(around_.channel, round.names, Table::prune, {.from = {}, .until = by},
                             prune.limit);
  // What is left because of the clock does not make the next look come sooner.
  if (by < round.now) round.survey.next.reset();
  if (round.names.size() == 1) return;
  round.turn = next_turn(Walk::prune, round.names);
  const Url& url = around_.channel.url();
  const auto replies = ask_each(around_.channel, round.names, [&](const Keys& keys) {
    return std::vector<Words>{
        {"ZRANGEBYSCORE", keys.one("gone"), "-inf", "+inf", "WITHSCORES", "LIMIT", "0", "1"},
        {"ZCARD", keys.one("prune")},
        {"HGET", keys.meta(), "kept"}};
  });
  for (const auto& [ns, told] : replies) {
    if (!told) continue;
    std::optional<Instant> first_gone;
    if ((*told)[0].items.size() == 2) first_gone = parse_score((*told)[0].items[1].text);
    const bool many = url.keep_jobs && (*told)[1].integer > *url.keep_jobs;
    const bool large = url.keep_bytes && read_integer((*told)[2]) > *url.keep_bytes;
    if (many || large || (first_gone && *first_gone <= by)) {
      round.turn.insert(ns);
    } else if (by == round.now) {
      round.survey.next = earlier(round.survey.next, first_gone);
    }
  }
}

Result<Verdict> Writer::prune(const Prune& prune, Committed& committed) {
  auto round = begin_round();
  if (!round) return round.error();
  learn_step();
  survey_prune(prune, *round);
  std::vector<std::string> visited = round->visited();
  // What was done to tokens belongs to no namespace; it is one more that may fail alone.
  visited.emplace_back();
  round->names.emplace_back();
  Sum sum = one_by_one(
      prune, visited,
      [&](const std::string& ns, RedisTransaction& unit) {
        unit.limit_pruning(round->survey.shares[ns]);
      },
      committed);
  sum.swept.more = sum.swept.more || sum.swept.count >= prune.limit;
  return end_round(*round, std::ssize(visited), std::move(sum));
}

// A node says seldom that it is there, but whoever writes is there too, and whoever commits.
Result<std::optional<Instant>> Writer::last_up(const std::vector<std::string>& names) {
  const Keys shared = Keys::shared(around_.prefix());
  const auto told = Reader(around_.channel, shared)
                        .read({{"HVALS", shared.one("nodes")},
                               {"HGET", shared.one("store"), "up"},
                               {"HGET", shared.meta(), "at"}});
  if (!told) return told.error();
  if ((*told)[0].items.empty()) return std::optional<Instant>();
  Instant up = Instant::millis(std::max(read_integer((*told)[1]), read_integer((*told)[2])));
  for (const Reply& node : (*told)[0].items) up = std::max(up, parse_node({}, node.text).seen_at);
  const auto ask_at = [](const Keys& keys) {
    return std::vector<Words>{{"HGET", keys.meta(), "at"}};
  };
  for (const auto& [ns, at] : ask_each(around_.channel, names, ask_at)) {
    if (at) up = std::max(up, Instant::millis(read_integer((*at)[0])));
  }
  return std::optional(up);
}

Result<Verdict> Writer::start(const StartNode& start, Committed& committed) {
  const auto names = namespaces();
  if (!names) return names.error();
  const auto up = last_up(*names);
  if (!up) return up.error();
  const auto prepare = [&](const std::string&, RedisTransaction& unit) { unit.set_last_up(*up); };
  const std::size_t before = committed.events.size();
  // Jobs of a namespace that cannot be reached come back when their leases end.
  Sum sum = one_by_one(start, *names, prepare, committed);
  // The node itself is seen with what belongs to no namespace.
  Sum itself = one_by_one(start, {""}, prepare, committed);
  if (itself.error) return *itself.error;
  std::vector<JobId> order;
  for (std::size_t i = before; i < committed.events.size(); ++i) {
    order.push_back(committed.events[i].job);
  }
  std::ranges::sort(order);
  put_in_order(committed.events, before, order);
  return Verdict(std::move(sum.swept));
}

// The whole is written first. A node that ends before every namespace has its part is succeeded
// by the next sweep of any other.
Result<Verdict> Writer::configure(const Configure& configure, Committed&) {
  const Command command = configure;
  const Group group{.ns = "", .commands = {&command}, .places = {0}};
  auto judged = commit_group(group, nullptr);
  if (!judged) return judged.error();
  if (const auto spread = spread_rules(); !spread) return spread.error();
  return std::move(judged->verdicts[0]);
}

Result<Nothing> Writer::spread_rules() {
  const Keys shared = Keys::shared(around_.prefix());
  const auto stored =
      Reader(around_.channel, shared).read({{"HMGET", shared.one("config"), "version", "rules"}});
  if (!stored) return stored.error();
  const std::int64_t version = read_integer((*stored)[0].items[0]);
  // A namespace whose configuration is not what it was may have gone back without the whole.
  if (around_.copies.take_replaced()) spread_ = -1;
  std::set<std::string> left;
  {
    MutexLock lock(mutex_);
    left = unspread_;
  }
  if (version == spread_.load() && left.empty()) return Nothing{};
  const Configure rules = parse_rules((*stored)[0].items[1].text);
  if (version != spread_.load()) {
    const auto names = namespaces();
    if (!names) return names.error();
    left.insert(names->begin(), names->end());
    for (const QueueRule& rule : rules.queues) left.insert(rule.ns);
    for (const TypeRule& rule : rules.types) left.insert(rule.ns);
  }
  std::erase_if(left, [&](const std::string& ns) {
    const Group group{.ns = ns, .commands = {}, .places = {}};
    return commit_group(group, [&](RedisTransaction& unit) { unit.adopt_rules(rules); }).ok();
  });
  MutexLock lock(mutex_);
  spread_ = version;
  unspread_ = std::move(left);
  return Nothing{};
}

}  // namespace longshore::redis
