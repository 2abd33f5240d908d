-- @ stands for the schema. Names, keys, payloads and everything else that people write are bytes:
-- they come back as they went in, sort the same under every locale, and no byte can make a
-- statement fail. Times and lengths are milliseconds; states, kinds and statuses are the numbers of
-- their enumerators. No table refers to another by a foreign key: a commit writes them together.

CREATE TABLE @store(
  one boolean PRIMARY KEY CHECK (one),
  rules text NOT NULL,
  -- Known to the nodes alone; what they make of it is the same on all of them.
  secret text NOT NULL DEFAULT gen_random_uuid()::text || gen_random_uuid()::text,
  config bigint NOT NULL  -- rises when a rule or a pause changes, so that others may keep a copy
);

-- The store's clock. Every decision asks it, and nothing else.
CREATE FUNCTION @store_time() RETURNS bigint LANGUAGE sql VOLATILE
AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;
-- The same clock in microseconds, for nodes that carry it forward.
CREATE FUNCTION @store_micros() RETURNS bigint LANGUAGE sql VOLATILE
AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint $$;

-- Numbers of jobs and places in queues. A transaction takes a thousand at once.
CREATE SEQUENCE @step INCREMENT BY 1000;

-- One row for each open connection that commits: how often it did, and the store's time then. A
-- server that lost an acknowledged commit knows fewer than the connection's owner.
CREATE TABLE @witness(
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  commits bigint NOT NULL,
  at bigint NOT NULL
) WITH (fillfactor = 20);

-- Jobs that have not ended. Nothing but the id is indexed, so that an update stays in its page;
-- what has to be found by something else has a narrow table of its own.
CREATE TABLE @live(
  id uuid NOT NULL,
  ns bytea NOT NULL,
  type bytea NOT NULL,
  queue bytea NOT NULL,
  priority smallint NOT NULL,
  job_key bytea,
  idempotency_key bytea,
  policy text,             -- NULL: the store's own
  expires_at bigint,
  callback_url bytea,
  callback_secret bytea,
  redrive_of uuid,
  content uuid,            -- NULL: the id
  number bigint NOT NULL,
  created_at bigint NOT NULL,
  body_bytes bigint NOT NULL,
  state smallint NOT NULL,
  version bigint NOT NULL,
  ord bigint NOT NULL,
  run_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  prune_after bigint,
  successor uuid,
  claim uuid,
  worker bytea,
  node uuid,
  lease_expires_at bigint,
  error_code bytea,
  error_message bytea,
  error_details bytea,
  checkpoint_bytes bigint, -- NULL: there is none
  course bytea,            -- how it has run so far, for the program alone; NULL: it has not
  history text COLLATE "C" NOT NULL,
  PRIMARY KEY (id)
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);

-- Jobs that have ended; the same columns, and the result.
CREATE TABLE @done(
  id uuid NOT NULL,
  ns bytea NOT NULL,
  type bytea NOT NULL,
  queue bytea NOT NULL,
  priority smallint NOT NULL,
  job_key bytea,
  idempotency_key bytea,
  policy text,             -- NULL: the store's own
  expires_at bigint,
  callback_url bytea,
  callback_secret bytea,
  redrive_of uuid,
  content uuid,            -- NULL: the id
  number bigint NOT NULL,
  created_at bigint NOT NULL,
  body_bytes bigint NOT NULL,
  state smallint NOT NULL,
  version bigint NOT NULL,
  ord bigint NOT NULL,
  run_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  prune_after bigint,
  successor uuid,
  claim uuid,
  worker bytea,
  node uuid,
  lease_expires_at bigint,
  error_code bytea,
  error_message bytea,
  error_details bytea,
  checkpoint_bytes bigint, -- NULL: there is none
  course bytea,            -- how it has run so far, for the program alone; NULL: it has not
  history text COLLATE "C" NOT NULL,
  result bytea,
  PRIMARY KEY (id)
);
CREATE INDEX done_prune ON @done(prune_after) WHERE prune_after IS NOT NULL;
CREATE INDEX done_key ON @done(ns, type, job_key, number) WHERE job_key IS NOT NULL;
CREATE INDEX done_unlucky ON @done(ns, state, id) WHERE state IN (7, 8);

CREATE VIEW @every_job AS
SELECT
  id, ns, type, queue, priority, job_key, idempotency_key, policy, expires_at, callback_url,
  callback_secret, redrive_of, content, number, created_at, body_bytes, state, version, ord, run_at,
  updated_at, prune_after, successor, claim, worker, node, lease_expires_at, error_code,
  error_message, error_details, checkpoint_bytes, course, history,
  NULL::bytea AS result FROM @live
UNION ALL
SELECT
  id, ns, type, queue, priority, job_key, idempotency_key, policy, expires_at, callback_url,
  callback_secret, redrive_of, content, number, created_at, body_bytes, state, version, ord, run_at,
  updated_at, prune_after, successor, claim, worker, node, lease_expires_at, error_code,
  error_message, error_details, checkpoint_bytes, course, history,
  result FROM @done;

-- What the enqueuer brought; written once, and kept until the job is pruned.
CREATE TABLE @body(
  id uuid PRIMARY KEY,
  payload bytea NOT NULL,
  tags bytea NOT NULL,  -- written by encode_field, with a space around each; empty for none
  metadata bytea NOT NULL,
  request bytea NOT NULL,
  traceparent bytea NOT NULL
);
CREATE TABLE @checkpoint(
  id uuid PRIMARY KEY,
  value bytea NOT NULL
);
CREATE TABLE @failure(
  id uuid,
  seq bigint,
  attempt integer NOT NULL,
  at bigint NOT NULL,
  code bytea NOT NULL,
  message bytea NOT NULL,
  details bytea NOT NULL,
  PRIMARY KEY (id, seq)
);
-- What the workers of one attempt wrote.
CREATE TABLE @log(
  id uuid,
  attempt integer,
  text bytea NOT NULL,
  last_append uuid,  -- the heartbeat that appended last
  PRIMARY KEY (id, attempt)
);

-- These three are full one moment and empty the next, and a plan that was made for an empty table
-- may be used on a full one. So each way of asking has one index that begins with what is asked
-- for, no other index holds that column, and no statement joins them.

-- Queued jobs in the order of their claims. A claim deletes the row it takes.
CREATE TABLE @ready(
  ns bytea,
  queue bytea,
  priority smallint,
  ord bigint,
  job uuid NOT NULL,
  type bytea NOT NULL,
  PRIMARY KEY (ns, queue, priority, ord)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
-- Running and waiting jobs, by when the clock ends that. `nth`: which of its claim's jobs it is. A
-- claim that is sent twice at once can therefore not be given two first ones.
CREATE TABLE @held(
  job uuid,
  wakes_at bigint NOT NULL,
  claim uuid,
  ns bytea NOT NULL,
  queue bytea NOT NULL,
  type bytea NOT NULL,
  running boolean NOT NULL,
  nth smallint,
  PRIMARY KEY (claim, nth)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE INDEX held_wakes ON @held(wakes_at);
-- What else the clock will do to a job: 0 make it due, 1 let it expire, 2 accept it.
CREATE TABLE @timer(
  kind smallint,
  at bigint,
  job uuid,
  PRIMARY KEY (job, kind)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE INDEX timer_due ON @timer(at) WHERE kind = 0;
CREATE INDEX timer_expiry ON @timer(at) WHERE kind = 1;
CREATE INDEX timer_accept ON @timer(at) WHERE kind = 2;
-- The live job of a type and key.
CREATE TABLE @live_key(
  ns bytea,
  type bytea,
  key bytea,
  job uuid NOT NULL,
  PRIMARY KEY (ns, type, key)
);

-- Idempotency keys and what they stand for. From the pruning of the job on, how it ended and when
-- the key goes too.
CREATE TABLE @idempotency(
  ns bytea,
  platform boolean,
  key bytea,
  job uuid NOT NULL,
  body_hash bigint NOT NULL,
  status smallint,
  gone_after bigint,
  PRIMARY KEY (ns, platform, key)
);
CREATE INDEX idempotency_gone ON @idempotency(gone_after) WHERE gone_after IS NOT NULL;
-- Keys that lead to a job whose row does not name them.
CREATE TABLE @bound_key(
  job uuid,
  ns bytea,
  platform boolean,
  key bytea,
  PRIMARY KEY (job, ns, platform, key)
);

-- How many jobs of a queue are in each state: the sum over slots. Each connection adds to a slot
-- of its own as far as they go round, so that commits do not wait for one row.
CREATE TABLE @tally(
  slot smallint, ns bytea, queue bytea,
  created bigint NOT NULL, scheduled bigint NOT NULL, queued bigint NOT NULL,
  running bigint NOT NULL, waiting bigint NOT NULL, retry bigint NOT NULL,
  success bigint NOT NULL, dead bigint NOT NULL, canceled bigint NOT NULL,
  PRIMARY KEY (ns, queue, slot)
) WITH (fillfactor = 20);

-- What is told, and what was seen.
CREATE TABLE @queue_rule(
  ns bytea, queue bytea,
  max_running integer, keep_success bigint, keep_canceled bigint, keep_dead bigint,
  PRIMARY KEY (ns, queue)
);
CREATE TABLE @type_rule(
  ns bytea, type bytea,
  max_running integer, keep_success bigint, keep_canceled bigint, keep_dead bigint,
  PRIMARY KEY (ns, type)
);
CREATE TABLE @pause(
  ns bytea, queue bytea,
  PRIMARY KEY (ns, queue)
);
CREATE TABLE @worker(
  ns bytea, worker bytea,
  node uuid, queues bytea NOT NULL, types bytea NOT NULL, slots integer NOT NULL,
  host bytea NOT NULL, version bytea NOT NULL, seen_at bigint NOT NULL,
  PRIMARY KEY (ns, worker)
);
CREATE TABLE @node(
  id uuid PRIMARY KEY,
  name bytea NOT NULL, started_at bigint NOT NULL, seen_at bigint NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE @minute(
  minute bigint, node uuid, ns bytea, queue bytea, type bytea,
  enqueued bigint NOT NULL, started bigint NOT NULL, succeeded bigint NOT NULL,
  failed bigint NOT NULL, dead bigint NOT NULL, canceled bigint NOT NULL,
  wait_millis bigint NOT NULL, run_millis bigint NOT NULL,
  PRIMARY KEY (minute, node, ns, queue, type)
);
CREATE TABLE @error_group(
  ns bytea, type bytea, fingerprint bigint,
  count bigint NOT NULL, first_at bigint NOT NULL, last_at bigint NOT NULL,
  sample uuid NOT NULL, code bytea NOT NULL, message bytea NOT NULL,
  PRIMARY KEY (ns, type, fingerprint)
);
CREATE TABLE @audit(
  number bigint PRIMARY KEY,
  at bigint NOT NULL, ns bytea NOT NULL, actor bytea NOT NULL, request_id bytea NOT NULL,
  action bytea NOT NULL, target bytea NOT NULL
);
CREATE INDEX audit_ns ON @audit(ns, number);
CREATE TABLE @token(
  id bytea PRIMARY KEY,
  ns bytea NOT NULL, name bytea NOT NULL, role bytea NOT NULL, hash bytea NOT NULL,
  created_at bigint NOT NULL, expires_at bigint, last_used_at bigint
);

-- How rows travel: one array of each, which the server takes apart far more quickly than an array
-- for each column. A later version adds types beside these, so that an older node may go on.
CREATE TYPE @job_row AS (
  id uuid, ns bytea, type bytea, queue bytea, priority smallint, job_key bytea, idempotency_key
  bytea, policy text, expires_at bigint, callback_url bytea, callback_secret bytea, redrive_of
  uuid, content uuid, number bigint, created_at bigint, body_bytes bigint, state smallint,
  version bigint, ord bigint, run_at bigint, updated_at bigint, prune_after bigint, successor uuid,
  claim uuid, worker bytea, node uuid, lease_expires_at bigint, error_code bytea, error_message
  bytea, error_details bytea, checkpoint_bytes bigint, course bytea, history text
);
CREATE TYPE @living_row AS (
  id uuid, state smallint, version bigint, ord bigint, run_at bigint, updated_at bigint,
  prune_after bigint, successor uuid, claim uuid, worker bytea, node uuid, lease_expires_at bigint,
  error_code bytea, error_message bytea, error_details bytea, checkpoint_bytes bigint, course bytea,
  history text
);
CREATE TYPE @body_row AS (
  id uuid, payload bytea, tags bytea, metadata bytea, request bytea, traceparent bytea
);
CREATE TYPE @ready_row AS (
  ns bytea, queue bytea, priority smallint, ord bigint, job uuid, type bytea
);
CREATE TYPE @held_row AS (
  job uuid, wakes_at bigint, claim uuid, ns bytea, queue bytea, type bytea, running boolean,
  nth smallint
);
