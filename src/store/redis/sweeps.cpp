// Commands that go through all namespaces. Each namespace has its own share, done by a unit of work
// of its own; what is oldest in all of them goes first.
#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>

#include "store/redis/reader.h"
#include "store/redis/sightings.h"
#include "store/redis/survey.h"
#include "store/redis/writer.h"

namespace longshore::redis {
namespace {

std::optional<Instant> earlier(std::optional<Instant> a, std::optional<Instant> b) {
  return a && b ? std::min(a, b) : (a ? a : b);
}

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
void put_in_order(std::vector<Happened>& happened, std::size_t first,
                  const std::vector<JobId>& order) {
  std::unordered_map<JobId, std::size_t> ranks;
  for (std::size_t i = 0; i < order.size(); ++i) ranks.emplace(order[i], i);
  std::vector<std::pair<std::size_t, Happened>> ranked;
  std::size_t rank = 0;
  for (std::size_t i = first; i < happened.size(); ++i) {
    if (const auto known = ranks.find(happened[i].job); known != ranks.end()) rank = known->second;
    ranked.emplace_back(rank, std::move(happened[i]));
  }
  std::ranges::stable_sort(ranked, {}, [](const auto& each) { return each.first; });
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    happened[first + i] = std::move(ranked[i].second);
  }
}

}  // namespace

Result<Verdict> Writer::run_wide(const Command& command, Committed& committed) {
  if (const auto* due = std::get_if<Due>(&command)) return sweep(command, due->limit, committed);
  if (const auto* reap = std::get_if<Reap>(&command)) return sweep(command, reap->limit, committed);
  if (const auto* all = std::get_if<Sweep>(&command)) {
    if (const auto spread = spread_rules(); !spread) return spread.error();
    return sweep(command, all->limit, committed);
  }
  if (const auto* prune_all = std::get_if<Prune>(&command)) return prune(*prune_all, committed);
  if (const auto* node = std::get_if<StartNode>(&command)) return start(*node, committed);
  if (const auto* rules = std::get_if<Configure>(&command)) return configure(*rules, committed);
  return scatter(command, committed);
}

// A namespace stays listed. One that no longer is was listed after the state that the database went
// back to, and may hold jobs again that were written as if it were.
Result<std::vector<std::string>> Writer::namespaces() {
  const std::vector<std::string> known = around_.copies.namespaces();
  auto names = read_namespaces(around_.channel);
  if (!names) return names;
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

Result<Instant> Writer::time_now() {
  if (around_.clock != nullptr) return std::max(highest(), around_.clock->now());
  const Keys shared = Keys::shared(around_.prefix());
  const auto time = Reader(around_.channel, shared).read({{"TIME"}});
  if (!time) return time.error();
  return std::max(highest(), read_time((*time)[0]));
}

// Every namespace in turn; their answers become one.
Result<Verdict> Writer::one_by_one(
    const Command& command, const std::vector<std::string>& names,
    const std::function<void(const std::string&, UnitOfWork&)>& prepare, Committed& committed) {
  Swept sum;
  for (const std::string& ns : names) {
    const Group group{.ns = ns, .commands = {&command}, .places = {0}};
    auto judged = commit_group(group, [&](UnitOfWork& unit) { prepare(ns, unit); });
    if (!judged) return judged.error();
    add(sum, judged->verdicts[0]);
    std::ranges::move(judged->happened, std::back_inserter(committed.happened));
  }
  return Verdict(std::move(sum));
}

Result<Verdict> Writer::sweep(const Command& command, std::int64_t limit, Committed& committed) {
  using judge::Timetable;
  const auto names = namespaces();
  if (!names) return names.error();
  const auto now = time_now();
  if (!now) return now.error();
  const bool is_due = std::holds_alternative<Due>(command);
  const auto* reap = std::get_if<Reap>(&command);
  const bool is_reap = reap != nullptr;
  const judge::TimeSpan span{.from = is_reap ? reap->ended_from : Instant(), .until = *now};
  // Lost leases that a reap leaves alone use up nothing of its limit.
  const bool passes_over = is_reap && !reap->lost_leases;
  const std::int64_t surveyed = passes_over ? std::numeric_limits<int>::max() : limit;
  const Table first = is_due ? Table::future : is_reap ? Table::leases : Table::expiry;
  auto survey = take_survey(around_.channel, *names, first, span, surveyed);
  if (!survey) return survey.error();
  std::map<std::string, std::int64_t> accepted;
  if (!is_due && !is_reap) {
    auto recorded =
        take_survey(around_.channel, *names, Table::recorded,
                    {.from = {}, .until = *now - around_.rules.get()->rules.accept_after},
                    limit - std::ssize(survey->order), *survey);
    if (!recorded) return recorded.error();
    accepted = std::move(recorded->shares);
    survey->order.insert(survey->order.end(), recorded->order.begin(), recorded->order.end());
  }
  const std::size_t before = committed.happened.size();
  auto verdict = one_by_one(
      command, *names,
      [&](const std::string& ns, UnitOfWork& unit) {
        const Timetable table = is_due    ? Timetable::future
                                : is_reap ? Timetable::holding
                                          : Timetable::expiry;
        unit.limit_due(table, survey->shares[ns]);
        if (!is_due && !is_reap) unit.limit_due(Timetable::recorded, accepted[ns]);
      },
      committed);
  if (!verdict) return verdict;
  put_in_order(committed.happened, before, survey->order);
  Swept& swept = std::get<Swept>(*verdict);
  swept.more = swept.more || swept.count >= limit;
  if (swept.more) swept.seen_until.reset();
  return verdict;
}

Result<Verdict> Writer::prune(const Prune& prune, Committed& committed) {
  const auto names = namespaces();
  if (!names) return names.error();
  const auto now = time_now();
  if (!now) return now.error();
  auto survey =
      take_survey(around_.channel, *names, Table::prune, {.from = {}, .until = *now}, prune.limit);
  if (!survey) return survey.error();
  std::vector<std::string> everywhere = *names;
  everywhere.emplace_back();  // what was done to tokens
  auto verdict = one_by_one(
      prune, everywhere,
      [&](const std::string& ns, UnitOfWork& unit) { unit.limit_pruning(survey->shares[ns]); },
      committed);
  if (!verdict) return verdict;
  Swept& swept = std::get<Swept>(*verdict);
  swept.more = swept.more || swept.count >= prune.limit;
  return verdict;
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
  for (const std::string& ns : names) {
    const Reader reader(around_.channel, Keys(around_.prefix(), ns));
    const auto at = reader.read({{"HGET", reader.keys().meta(), "at"}});
    if (!at) return at.error();
    up = std::max(up, Instant::millis(read_integer((*at)[0])));
  }
  return std::optional(up);
}

Result<Verdict> Writer::start(const StartNode& start, Committed& committed) {
  const auto names = namespaces();
  if (!names) return names.error();
  const auto up = last_up(*names);
  if (!up) return up.error();
  std::vector<std::string> everywhere = *names;
  everywhere.emplace_back();
  const std::size_t before = committed.happened.size();
  auto verdict = one_by_one(
      start, everywhere, [&](const std::string&, UnitOfWork& unit) { unit.set_last_up(*up); },
      committed);
  std::vector<JobId> order;
  for (std::size_t i = before; i < committed.happened.size(); ++i) {
    order.push_back(committed.happened[i].job);
  }
  std::ranges::sort(order);
  put_in_order(committed.happened, before, order);
  return verdict;
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
  if (version == spread_.load()) return Nothing{};
  const Configure rules = parse_rules((*stored)[0].items[1].text);
  auto names = namespaces();
  if (!names) return names.error();
  std::set<std::string> everywhere(names->begin(), names->end());
  for (const QueueRule& rule : rules.queues) everywhere.insert(rule.ns);
  for (const TypeRule& rule : rules.types) everywhere.insert(rule.ns);
  for (const std::string& ns : everywhere) {
    const Group group{.ns = ns, .commands = {}, .places = {}};
    const auto done = commit_group(group, [&](UnitOfWork& unit) { unit.adopt_rules(rules); });
    if (!done) return done.error();
  }
  spread_ = version;
  return Nothing{};
}

Result<Verdict> Writer::scatter(const Command& command, Committed& committed) {
  std::map<std::string, Command> parts;
  if (const auto* seen = std::get_if<SeeWorkers>(&command)) {
    for (const WorkerInfo& info : seen->workers) {
      std::get<SeeWorkers>(parts.try_emplace(info.ns, SeeWorkers{}).first->second)
          .workers.push_back(info);
    }
  }
  if (const auto* record = std::get_if<RecordMinutes>(&command)) {
    for (const MinuteRow& row : record->rows) {
      std::get<RecordMinutes>(parts.try_emplace(row.ns, RecordMinutes{}).first->second)
          .rows.push_back(row);
    }
  }
  std::vector<Group> groups;
  Committed unread;
  unread.verdicts.resize(1);
  for (const auto& [ns, part] : parts)
    groups.push_back({.ns = ns, .commands = {&part}, .places = {0}});
  if (const auto done = commit_groups(groups, unread); !done) return done.error();
  std::ranges::move(unread.happened, std::back_inserter(committed.happened));
  return Verdict(Done{});
}

}  // namespace longshore::redis
