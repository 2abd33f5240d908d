#include "store/redis/annals.h"

#include <algorithm>

#include "core/record/audit_entry.h"
#include "core/record/error_group.h"
#include "store/redis/fields.h"

namespace longshore::redis {

std::string token_text(const TokenRecord& token) {
  FieldWriter fields;
  fields.text(token.ns).text(token.name).text(token.role).text(token.hash);
  fields.instant(token.created_at).instant(token.expires_at).instant(token.last_used_at);
  return std::move(fields).take();
}

TokenRecord parse_token(const std::string& id, std::string_view text) {
  FieldReader fields(text);
  TokenRecord token{.id = id};
  token.ns = fields.text();
  token.name = fields.text();
  token.role = fields.text();
  token.hash = fields.text();
  token.created_at = fields.instant();
  token.expires_at = fields.optional_instant();
  token.last_used_at = fields.optional_instant();
  return token;
}

std::string shared_trail(const std::string& ns) { return "trail:" + word(ns); }

void Annals::group(const Job& job, const JobError& error) {
  const std::uint64_t fingerprint = error_fingerprint(job.type, error.code, error.message);
  auto [entry, is_new] = groups_.try_emplace({job.type, fingerprint});
  ErrorGroup& group = entry->second.group;
  entry->second.jobs.insert(job.id);
  if (is_new) group.first_at = job.updated_at;
  group.count += 1;
  group.last_at = job.updated_at;
  group.sample = job.id;
  group.code = error.code;
  group.message = error.message.substr(0, error.message.find('\n'));
}

void Annals::append_log(const JobId& id, int attempt, const std::string& text,
                        const std::optional<RequestId>& append) {
  if (!text.empty()) appends_.push_back({id, attempt, text, append});
}

void Annals::add_audit(std::int64_t step, const AuditEntry& entry, bool shared) {
  trail_.push_back({step, entry, shared});
}

bool Annals::is_audited(const RecordAudit& record) const {
  return std::ranges::any_of(
      trail_, [&](const Remark& remark) { return is_same_action(remark.entry, record); });
}

void Annals::write(const Keys& keys, Deed& deed) const {
  for (const Append& append : appends_) {
    Line line("log");
    line.text(keys.job(append.job)).text(std::to_string(append.attempt)).text(append.text);
    line.text(append.by ? to_hex(*append.by) : "").text(std::to_string(log_bytes_kept));
    deed.write(line);
  }
  write_groups(keys, deed);
  for (const Remark& remark : trail_) {
    const AuditEntry& entry = remark.entry;
    FieldWriter fields;
    fields.instant(entry.at).text(entry.actor.name).text(entry.actor.request_id);
    fields.text(entry.action).text(entry.target);
    Line line("RPUSH");
    line.text(keys.one(remark.shared ? shared_trail(entry.ns) : "trail"));
    line.parts({{.number = remark.step}, {.text = " " + std::move(fields).take()}});
    deed.write(line);
    if (remark.shared) deed.write(Line("SADD").text(keys.one("trails")).text(word(entry.ns)));
  }
}

std::string group_name(const std::string& type, std::uint64_t fingerprint) {
  return word(type) + "/" + to_hex(0, fingerprint).substr(16);
}

void Annals::write_groups(const Keys& keys, Deed& deed) const {
  for (const auto& [which, all] : groups_) {
    const ErrorGroup& group = all.group;
    const std::string name = group_name(which.first, which.second);
    const std::string key = keys.error(name);
    deed.write(Line("SADD").text(keys.one("errors")).text(name));
    deed.write(Line("HINCRBY").text(key).text("count").text(std::to_string(group.count)));
    deed.write(Line("HSETNX").text(key).text("first").text(std::to_string(group.first_at.count())));
    Line latest("HSET");
    latest.text(key).text("last").text(std::to_string(group.last_at.count()));
    latest.text("sample").text(to_text(group.sample)).text("code").text(group.code);
    deed.write(latest.text("message").text(group.message));
    write_jobs(keys, name, all, deed);
  }
}

// A job says itself to which group its latest failure belongs, and so need not leave the others.
void Annals::write_jobs(const Keys& keys, const std::string& name, const Group& group, Deed& deed) {
  const std::string at = std::to_string(group.group.last_at.count());
  deed.write(Line("ZADD").text(keys.one("groups")).text(at).text(name));
  Line members("ZADD");
  members.text(keys.failed(name));
  for (const JobId& id : group.jobs) {
    members.text(at).text(to_text(id));
    deed.write(Line("HSET").text(keys.job(id)).text("group").text(name));
  }
  deed.write(members);
  Line trim("ZREMRANGEBYRANK");
  trim.text(keys.failed(name)).text("0").text(std::to_string(-group_jobs_kept - 1));
  deed.write(trim);
}

std::optional<AuditEntry> parse_audit(const std::string& ns, std::string_view line, bool shared) {
  FieldReader fields(line);
  const std::int64_t number = fields.number() * 2 + (shared ? 1 : 0);
  AuditEntry entry{.number = number, .at = fields.instant(), .ns = ns, .actor = {}};
  entry.actor.name = fields.text();
  entry.actor.request_id = fields.text();
  entry.action = fields.text();
  entry.target = fields.text();
  return fields.good() ? std::optional(std::move(entry)) : std::nullopt;
}

}  // namespace longshore::redis
