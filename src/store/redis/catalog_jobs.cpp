// Single jobs.
#include <algorithm>
#include <map>
#include <utility>

#include "store/redis/catalog.h"
#include "store/redis/fields.h"
#include "store/redis/parts.h"
#include "store/redis/scripts.h"
#include "store/redis/usual_moves.h"

namespace longshore::redis {
namespace {

Error no_such_job(const JobId& id) {
  return {.code = Errc::not_found, .message = "there is no job " + to_text(id)};
}

}  // namespace

std::optional<Head> read_head(const std::string& ns, const JobId& id, const Reply& reply,
                              const Policy& usual) {
  if (reply.items.size() < 3 || reply.items[0].is_nil()) return std::nullopt;
  const HeadTexts texts{reply.items[0].text, reply.items[1].text, reply.items[2].text};
  return parse_head(id, ns, texts, usual);
}

// A history that cannot be read is left empty, which audit() then finds.
std::optional<JobRecord> read_record(const std::string& ns, const JobId& id, const Reply& reply,
                                     const Policy& usual) {
  std::map<std::string_view, const std::string*> fields;
  for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2) {
    fields[reply.items[i].text] = &reply.items[i + 1].text;
  }
  const auto text = [&](const char* name) {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string() : *found->second;
  };
  const auto optional_text = [&](const char* name) {
    return fields.contains(name) ? std::optional(text(name)) : std::nullopt;
  };
  const std::string given = text("given"), life = text("life"), place = text("place");
  auto head = parse_head(id, ns, {given, life, place}, usual);
  if (!head) return std::nullopt;
  JobRecord record;
  record.body = {.payload = text("payload"),
                 .tags = parse_list(text("tags")),
                 .metadata = text("metadata"),
                 .request = text("request"),
                 .traceparent = text("trace")};
  record.result = optional_text("result");
  record.checkpoint = optional_text("checkpoint");
  record.error = std::move(head->error);
  record.errors = parse_failures(text("errors"));
  record.history = whole_history(*head, text("history"));
  record.history_dropped = head->job.history_count - std::ssize(record.history);
  record.job = std::move(head->job);
  return record;
}

Result<JobRecord> get(const View& view, const std::string& ns, const JobId& id) {
  const Reader reader = view.of(ns);
  const auto replies = reader.read({{"HGETALL", reader.keys().job(id)}});
  if (!replies) return replies.error();
  auto record = read_record(ns, id, (*replies)[0], view.usual);
  if (!record) return no_such_job(id);
  return std::move(*record);
}

Result<Job> glance(const View& view, const std::string& ns, const JobId& id) {
  const auto replies = view.of(ns).fields({id}, head_fields);
  if (!replies) return replies.error();
  auto head = read_head(ns, id, (*replies)[0], view.usual);
  if (!head) return no_such_job(id);
  return std::move(head->job);
}

Result<Job> glance_by_key(const View& view, const std::string& ns, const std::string& type,
                          const std::string& key) {
  const Reader reader = view.of(ns);
  const auto latest =
      reader.read({{"ZREVRANGE", reader.keys().job_key(job_key_name(type, key)), "0", "0"}});
  if (!latest) return latest.error();
  if (!(*latest)[0].items.empty()) {
    if (const auto id = parse_uuid((*latest)[0].items[0].text)) return glance(view, ns, *id);
  }
  return Error{.code = Errc::not_found, .message = "no job of type " + type + " has this key"};
}

Result<KeyView> find_idempotency_key(const View& view, const std::string& ns,
                                     const std::string& key) {
  const Reader reader = view.of(ns);
  const auto replies = reader.read({{"GET", reader.keys().once(once_name(false, key))}});
  if (!replies) return replies.error();
  auto bound = parse_bound((*replies)[0].text);
  if (!bound) {
    return Error{.code = Errc::not_found, .message = "this idempotency key stands for nothing"};
  }
  const auto job = glance(view, ns, bound->job);
  if (job) bound->last_status = status_of(*job);
  if (!job && job.error().code != Errc::not_found) return job.error();
  return *bound;
}

Result<std::vector<std::int64_t>> versions(const View& view, const std::string& ns,
                                           std::span<const JobId> ids) {
  const std::vector<JobId> all(ids.begin(), ids.end());
  const auto replies = view.of(ns).fields(all, {"life"});
  if (!replies) return replies.error();
  std::vector<std::int64_t> versions;
  for (const Reply& reply : *replies) {
    FieldReader life(reply.items[0].text);
    life.number();
    versions.push_back(reply.items[0].is_nil() ? 0 : life.number());
  }
  return versions;
}

Result<std::vector<AttemptLog>> logs(const View& view, const std::string& ns, const JobId& id) {
  constexpr std::string_view prefix = "log:";
  const Reader reader = view.of(ns);
  const auto names = reader.read({{"HKEYS", reader.keys().job(id)}});
  if (!names) return names.error();
  if ((*names)[0].items.empty()) return no_such_job(id);
  std::vector<std::string> fields;
  for (const Reply& name : (*names)[0].items) {
    if (name.text.starts_with(prefix)) fields.push_back(name.text);
  }
  std::vector<AttemptLog> logs;
  if (fields.empty()) return logs;
  const auto texts = reader.fields({id}, fields);
  if (!texts) return texts.error();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto attempt = parse_integer(std::string_view(fields[i]).substr(prefix.size()));
    logs.push_back(
        {.attempt = static_cast<int>(attempt.value_or(0)), .text = (*texts)[0].items[i].text});
  }
  std::ranges::sort(logs, {}, &AttemptLog::attempt);
  return logs;
}

Result<std::int64_t> ahead(const View& view, const std::string& ns, const JobId& id,
                           std::int64_t most) {
  const auto job = glance(view, ns, id);
  if (!job) return job.error();
  if (job->state != State::queued) {
    return Error{.code = Errc::invalid,
                 .message = "only a queued job has others ahead of it; this one is " +
                            std::string(to_text(job->state))};
  }
  const Keys keys(view.channel.url().prefix, ns);
  std::int64_t count = 0;
  std::string list, skip = "0";
  do {
    const ScriptCall call{
        .script = &ahead_script(),
        .keys = {keys.meta()},
        .args = {word(job->queue), std::to_string(job->priority), std::to_string(job->order),
                 std::to_string(most - count), list, skip}};
    const auto reply = view.channel.run(keys.tag(), call, false);
    if (!reply) return reply.error();
    if (reply->is_error()) return error_of(*reply, view.channel.url().shown);
    count += reply->items[0].integer;
    list = reply->items[1].text;
    skip = std::to_string(reply->items[2].integer);
  } while (!list.empty() && count < most);
  return count;
}

}  // namespace longshore::redis
