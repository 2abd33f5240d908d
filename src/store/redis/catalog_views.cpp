// Everything in the catalog that is not a job.
#include <algorithm>
#include <map>
#include <utility>

#include "core/ids/uuid.h"
#include "core/record/error_group.h"
#include "store/redis/annals.h"
#include "store/redis/catalog.h"
#include "store/redis/config.h"
#include "store/redis/fetch.h"
#include "store/redis/fields.h"
#include "store/redis/sightings.h"
#include "store/redis/survey.h"

namespace longshore::redis {
namespace {

// Calls visit(field, value) for what HGETALL answered.
template <class Visit>
void each_field(const Reply& reply, Visit visit) {
  for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2) {
    visit(reply.items[i].text, reply.items[i + 1].text);
  }
}

struct AuditPage {
  const std::string& ns;
  std::int64_t limit = 0;
  std::optional<std::int64_t> before;
};

// A field is q/QUEUE/STATE.
void add_count(const std::string& field, std::int64_t count,
               std::map<std::string, QueueView>& views) {
  if (!field.starts_with("q/") || field.size() < 5 || count == 0) return;
  const auto queue = parse_word(std::string_view(field).substr(2, field.size() - 4));
  const int state = field.back() - '0';
  if (queue && state >= 0 && state < state_count) {
    views[*queue].depth[static_cast<State>(state)] = count;
  }
}

// Nothing touches a job while it is queued, so its last update is when it became eligible.
Result<Nothing> add_heads(const View& view, const std::string& ns,
                          std::map<std::string, QueueView>& views) {
  Question question;
  for (const auto& [name, queue] : views) {
    if (queue.depth.contains(State::queued)) {
      question.wishes.push_back({.queue = name, .types = {}, .limit = 1});
    }
  }
  if (question.wishes.empty()) return Nothing{};
  const Keys keys(view.channel.url().prefix, ns);
  const auto answer = fetch(view.channel, keys, ns, question, view.usual);
  if (!answer) return answer.error();
  std::map<std::string, std::pair<std::pair<int, std::int64_t>, Instant>> heads;
  for (const Answer::StoredJob& stored : answer->jobs) {
    const Job& job = stored.head.job;
    if (job.state != State::queued) continue;
    const std::pair place(job.priority, job.order);
    const auto [head, is_new] = heads.try_emplace(job.queue, place, job.updated_at);
    if (!is_new && place < head->second.first) head->second = {place, job.updated_at};
  }
  for (const auto& [name, head] : heads) views[name].oldest_queued = head.second;
  return Nothing{};
}

}  // namespace

// A queue exists while it has jobs, a rule or a pause.
Result<std::vector<QueueView>> queues(const View& view, const std::string& ns,
                                      const std::string& from, int limit) {
  const Reader reader = view.of(ns);
  const Keys& keys = reader.keys();
  const auto replies =
      reader.read({{"HGETALL", keys.one("counts")}, {"HMGET", keys.meta(), "rules", "pauses"}});
  if (!replies) return replies.error();
  std::map<std::string, QueueView> views;
  each_field((*replies)[0], [&](const std::string& field, const std::string& count) {
    add_count(field, parse_integer(count).value_or(0), views);
  });
  const std::vector<Reply>& meta = (*replies)[1].items;
  const Config config = make_config(0, meta[0].text, meta[1].text);
  for (const std::string& queue : config.pauses) views[queue].paused = true;
  for (const auto& [queue, rule] : config.queues) views[queue].max_running = rule.max_running;
  views.erase(views.begin(), views.lower_bound(from));
  if (std::ssize(views) > limit) views.erase(std::next(views.begin(), limit), views.end());
  if (const auto added = add_heads(view, ns, views); !added) return added.error();
  std::vector<QueueView> answer;
  for (auto& [name, queue] : views) {
    queue.ns = ns;
    queue.queue = name;
    answer.push_back(std::move(queue));
  }
  return answer;
}

Result<std::vector<WorkerView>> workers(const View& view, const std::string& ns) {
  const Reader reader = view.of(ns);
  const auto replies = reader.read({{"HGETALL", reader.keys().one("workers")},
                                    {"ZRANGE", reader.keys().one("leases"), "0", "-1"}});
  if (!replies) return replies.error();
  std::vector<JobId> ids;
  for (const Reply& member : (*replies)[1].items) {
    if (const auto id = parse_uuid(member.text)) ids.push_back(*id);
  }
  const auto held = reader.fields(ids, head_fields);
  if (!held) return held.error();
  std::map<std::string, std::vector<JobId>> jobs;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto head = read_head(ns, ids[i], (*held)[i], view.usual);
    if (head && head->job.state == State::running) jobs[head->job.worker].push_back(ids[i]);
  }
  std::vector<WorkerView> views;
  each_field((*replies)[0], [&](const std::string& worker, const std::string& text) {
    views.push_back(parse_worker(ns, worker, text));
    views.back().jobs = jobs[worker];
    std::ranges::sort(views.back().jobs);
  });
  std::ranges::sort(views, {}, [](const WorkerView& each) { return each.info.worker; });
  return views;
}

Result<std::vector<NodeView>> nodes(const View& view) {
  const Reader reader = view.shared();
  const auto replies = reader.read({{"HGETALL", reader.keys().one("nodes")}});
  if (!replies) return replies.error();
  std::vector<NodeView> views;
  each_field((*replies)[0], [&](const std::string& field, const std::string& text) {
    if (const auto node = parse_hex_id<NodeId>(field)) views.push_back(parse_node(*node, text));
  });
  std::ranges::sort(views, {}, &NodeView::node);
  return views;
}

Result<std::vector<MinuteRow>> minutes(const View& view, const std::string& ns, Instant since) {
  const Reader reader = view.of(ns);
  const auto when = reader.read(
      {{"ZRANGEBYSCORE", reader.keys().one("minutes"), std::to_string(since.count()), "+inf"}});
  if (!when) return when.error();
  std::vector<Words> calls;
  for (const Reply& minute : (*when)[0].items) {
    calls.push_back({"HGETALL", reader.keys().minute(parse_integer(minute.text).value_or(0))});
  }
  const auto replies = reader.read(calls);
  if (!replies) return replies.error();
  std::vector<MinuteRow> rows;
  for (std::size_t i = 0; i < replies->size(); ++i) {
    const Instant minute = Instant::millis(read_integer((*when)[0].items[i]));
    each_field((*replies)[i], [&](const std::string& field, const std::string& text) {
      rows.push_back(parse_minute(minute, ns, field, text));
    });
  }
  std::ranges::sort(rows, {}, [](const MinuteRow& row) {
    return std::tuple(row.minute, row.node, row.queue, row.type);
  });
  return rows;
}

Result<std::vector<ErrorGroup>> error_groups(const View& view, const std::string& ns) {
  const Reader reader = view.of(ns);
  const auto names = reader.read({{"SMEMBERS", reader.keys().one("errors")}});
  if (!names) return names.error();
  std::vector<Words> calls;
  for (const Reply& name : (*names)[0].items) {
    calls.push_back({"HMGET", reader.keys().error(name.text), "count", "first", "last", "sample",
                     "code", "message"});
  }
  const auto replies = reader.read(calls);
  if (!replies) return replies.error();
  std::vector<ErrorGroup> groups;
  for (std::size_t i = 0; i < replies->size(); ++i) {
    const std::string& name = (*names)[0].items[i].text;
    const std::size_t slash = name.find('/');
    const auto type = parse_word(name.substr(0, slash));
    const auto print = parse_hex(std::string(16, '0') + name.substr(slash + 1));
    const std::vector<Reply>& items = (*replies)[i].items;
    if (!type || !print) continue;
    groups.push_back({.ns = ns,
                      .type = *type,
                      .fingerprint = print->second,
                      .count = read_integer(items[0]),
                      .first_at = Instant::millis(read_integer(items[1])),
                      .last_at = Instant::millis(read_integer(items[2])),
                      .sample = parse_uuid(items[3].text).value_or(JobId{}),
                      .code = items[4].text,
                      .message = items[5].text});
  }
  return groups;
}

namespace {

// Counts the jobs among these that say themselves that they belong to the group.
Result<Nothing> count_jobs(const View& view, const ErrorGroup& group, const Reply& members,
                           GroupJobs& jobs) {
  std::vector<JobId> ids;
  for (const Reply& member : members.items) {
    if (const auto id = parse_uuid(member.text)) ids.push_back(*id);
  }
  std::vector<std::string> wanted = head_fields;
  wanted.emplace_back("group");
  const auto replies = view.of(group.ns).fields(ids, wanted);
  if (!replies) return replies.error();
  const std::string name = group_name(group.type, group.fingerprint);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Reply& reply = (*replies)[i];
    const auto head = read_head(group.ns, ids[i], reply, view.usual);
    if (head && reply.items.back().text == name) count_job(jobs, head->job);
  }
  return Nothing{};
}

// The newest lines of a trail with a lower number than `before`, newest first.
Result<Nothing> read_trail(const Reader& reader, const std::string& name, const AuditPage& page,
                           std::vector<AuditEntry>& entries) {
  constexpr std::int64_t chunk = 500;
  std::int64_t found = 0;
  for (std::int64_t last = -1; found < page.limit; last -= chunk) {
    const auto lines = reader.read({{"LRANGE", reader.keys().one(name),
                                     std::to_string(last - chunk + 1), std::to_string(last)}});
    if (!lines) return lines.error();
    const std::vector<Reply>& items = (*lines)[0].items;
    for (auto line = items.rbegin(); line != items.rend() && found < page.limit; ++line) {
      auto entry = parse_audit(page.ns, line->text, name != "trail");
      if (!entry || (page.before && entry->number >= *page.before)) continue;
      entries.push_back(std::move(*entry));
      ++found;
    }
    if (std::ssize(items) < chunk) break;
  }
  return Nothing{};
}

}  // namespace

Result<std::vector<GroupJobs>> jobs_of_groups(const View& view, std::span<const ErrorGroup> groups,
                                              int most) {
  std::vector<GroupJobs> answer;
  for (const ErrorGroup& group : groups) {
    const Reader reader = view.of(group.ns);
    const std::string key = reader.keys().failed(group_name(group.type, group.fingerprint));
    const auto members =
        reader.read({{"ZREVRANGE", key, "0", std::to_string(most - 1)}, {"ZCARD", key}});
    if (!members) return members.error();
    const std::int64_t all = (*members)[1].integer;
    GroupJobs& jobs = answer.emplace_back();
    jobs.more = all > most || all >= group_jobs_kept;
    if (const auto done = count_jobs(view, group, (*members)[0], jobs); !done) return done.error();
  }
  return answer;
}

// What was done to a namespace's tokens is kept beside the tokens.
Result<std::vector<AuditEntry>> audit_trail(const View& view, const std::string& ns, int limit,
                                            std::optional<std::int64_t> before) {
  std::vector<AuditEntry> entries;
  const AuditPage page{.ns = ns, .limit = limit, .before = before};
  const auto own = read_trail(view.of(ns), "trail", page, entries);
  if (!own) return own.error();
  const auto shared = read_trail(view.shared(), shared_trail(ns), page, entries);
  if (!shared) return shared.error();
  std::ranges::sort(entries, std::greater(), &AuditEntry::number);
  if (std::ssize(entries) > limit) entries.resize(static_cast<std::size_t>(std::max(limit, 0)));
  return entries;
}

Result<std::vector<TokenRecord>> tokens(const View& view) {
  const Reader reader = view.shared();
  const auto replies = reader.read({{"HGETALL", reader.keys().one("tokens")}});
  if (!replies) return replies.error();
  std::vector<TokenRecord> records;
  each_field((*replies)[0], [&](const std::string& id, const std::string& text) {
    records.push_back(parse_token(id, text));
  });
  std::ranges::sort(records, {}, &TokenRecord::id);
  return records;
}

Result<Configure> configuration(const View& view) {
  const Reader reader = view.shared();
  const auto replies = reader.read({{"HGET", reader.keys().one("config"), "rules"}});
  if (!replies) return replies.error();
  return parse_rules((*replies)[0].text);
}

Result<RulesRecord> rules_record(const View& view) {
  const Reader reader = view.shared();
  const auto replies = reader.read({{"HGET", reader.keys().one("store"), "rules"}});
  if (!replies) return replies.error();
  auto record = parse_record((*replies)[0].text);
  if (record) return std::move(*record);
  return Error{.code = Errc::refused,
               .message = "the store has rules that this Longshore does not know; use a newer one"};
}

}  // namespace longshore::redis
