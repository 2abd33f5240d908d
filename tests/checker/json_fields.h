// The fields of every record, named once for both directions: `io(name, member)` writes or reads.
#pragma once

#include "checker/history.h"

namespace longshore::checker {

template <class Io>
void fields(Io& io, Backoff& b) {
  io("kind", b.kind), io("baseMs", b.base), io("maxMs", b.max), io("jitter", b.jitter);
}

template <class Io>
void fields(Io& io, Policy& p) {
  io("maxRetries", p.max_retries), io("timeoutMs", p.timeout), io("backoff", p.backoff);
}

template <class Io>
void fields(Io& io, Asked& a) {
  io("id", a.id), io("type", a.type), io("queue", a.queue), io("priority", a.priority);
  io("jobKey", a.job_key), io("idempotencyKey", a.idempotency_key), io("bodyHash", a.body_hash);
  io("payload", a.payload), io("onConflict", a.on_conflict), io("runAt", a.run_at);
  io("delayMs", a.delay), io("expiresAt", a.expires_at), io("callback", a.callback);
  io("policy", a.policy);
}

template <class Io>
void fields(Io& io, RuleSet& r) {
  io("ns", r.ns), io("queue", r.queue), io("type", r.type), io("maxRunning", r.max_running);
  io("keepSuccessMs", r.keep_success), io("keepCanceledMs", r.keep_canceled);
  io("keepDeadMs", r.keep_dead);
}

template <class Io>
void fields(Io& io, Setting& s) {
  io("name", s.name), io("value", s.value);
}

template <class Io>
void fields(Io& io, Call& c) {
  io("f", c.verb), io("ns", c.ns), io("id", c.id), io("job", c.job), io("token", c.token);
  io("jobs", c.jobs), io("rejectMismatch", c.reject_mismatch), io("worker", c.worker);
  io("queues", c.queues), io("types", c.types), io("limit", c.limit), io("waitMs", c.wait);
  io("hash", c.hash), io("code", c.code), io("retryable", c.retryable), io("type", c.type);
  io("key", c.key), io("fence", c.fence), io("successor", c.successor), io("force", c.force);
  io("paused", c.paused), io("actor", c.actor), io("rules", c.rules);
  io("settings", c.settings), io("revision", c.revision);
}

template <class Io>
void fields(Io& io, Grant& g) {
  io("job", g.job), io("token", g.token), io("type", g.type), io("queue", g.queue);
  io("payload", g.payload), io("attempt", g.attempt), io("leaseExpiresAt", g.lease_expires_at);
  io("deadlineAt", g.deadline_at);
}

template <class Io>
void fields(Io& io, View& v) {
  io("state", v.state), io("version", v.version), io("attempt", v.attempt);
  io("failures", v.failures), io("crashes", v.crashes), io("result", v.result);
  io("error", v.error), io("completedAt", v.completed_at), io("successorId", v.successor_id);
}

template <class Io>
void fields(Io& io, EnqueuedJob& e) {
  io("id", e.id), io("status", e.status), io("fresh", e.fresh);
}

template <class Io>
void fields(Io& io, Answer& a) {
  io("at", a.at), io("jobs", a.jobs), io("grants", a.grants), io("job", a.job);
  io("status", a.status), io("asked", a.asked), io("leaseExpiresAt", a.lease_expires_at);
  io("cancelRequested", a.cancel_requested), io("view", a.view), io("code", a.code);
}

template <class Io>
void fields(Io& io, Note& n) {
  io("word", n.word), io("target", n.target), io("at", n.at);
}

template <class Io>
void fields(Io& io, Job& j) {
  io("id", j.id), io("ns", j.ns), io("type", j.type), io("queue", j.queue);
  io("priority", j.priority), io("jobKey", j.job_key), io("idempotencyKey", j.idempotency_key);
  io("policy", j.policy), io("expiresAt", j.expires_at), io("redriveOf", j.redrive_of);
  io("content", j.content), io("number", j.number), io("state", j.state);
  io("version", j.version), io("historyCount", j.history_count), io("runAt", j.run_at);
  io("createdAt", j.created_at), io("updatedAt", j.updated_at), io("startedAt", j.started_at);
  io("completedAt", j.completed_at), io("pruneAfter", j.prune_after);
  io("cancelRequested", j.cancel_requested), io("withdrawn", j.withdrawn);
  io("successorId", j.successor_id), io("attempt", j.attempt), io("failures", j.failures);
  io("crashes", j.crashes), io("retryCount", j.retry_count), io("epoch", j.epoch);
  io("worker", j.worker), io("leaseExpiresAt", j.lease_expires_at);
  io("deadlineAt", j.deadline_at);
}

template <class Io>
void fields(Io& io, Transition& t) {
  io("seq", t.seq), io("from", t.from), io("to", t.to), io("cause", t.cause), io("at", t.at);
  io("epoch", t.epoch), io("worker", t.worker), io("detail", t.detail);
}

template <class Io>
void fields(Io& io, JobDump& d) {
  io("job", d.job), io("payload", d.payload), io("result", d.result), io("error", d.error);
  io("history", d.history), io("dropped", d.history_dropped);
}

template <class Io>
void fields(Io& io, KeyView& v) {
  io("job", v.job), io("status", v.last_status), io("bodyHash", v.body_hash);
}

template <class Io>
void fields(Io& io, KeyDump& k) {
  io("ns", k.ns), io("key", k.key), io("view", k.view);
}

template <class Io>
void fields(Io& io, Actor& a) {
  io("name", a.name), io("requestId", a.request_id);
}

template <class Io>
void fields(Io& io, AuditEntry& e) {
  io("number", e.number), io("at", e.at), io("ns", e.ns), io("actor", e.actor);
  io("action", e.action), io("target", e.target);
}

template <class Io>
void fields(Io& io, Listed& l) {
  io("ns", l.ns), io("job", l.job);
}

template <class Io>
void fields(Io& io, DepthDump& d) {
  io("ns", d.ns), io("queue", d.queue), io("state", d.state), io("count", d.count);
}

template <class Io>
void fields(Io& io, PausedDump& p) {
  io("ns", p.ns), io("queue", p.queue);
}

template <class Io>
void fields(Io& io, TokenDump& t) {
  io("ns", t.ns), io("id", t.id);
}

template <class Io>
void fields(Io& io, Finding& f) {
  io("rule", f.rule), io("what", f.what);
}

}  // namespace longshore::checker
