-- Ids are 16 bytes, big-endian, and sort by the time they were made, so rows are appended. Times
-- and lengths are milliseconds. States, kinds and statuses are the numbers of their enumerators.

-- The one row that every commit may touch.
CREATE TABLE store(
  one INTEGER PRIMARY KEY CHECK (one = 1),
  rules TEXT NOT NULL,
  highest_at INTEGER NOT NULL,
  number INTEGER NOT NULL,
  order_back INTEGER NOT NULL,
  order_front INTEGER NOT NULL,
  audit INTEGER NOT NULL
);

-- A lane is what one queue holds of one type: the unit of the ready order and of the counts.
CREATE TABLE lane(
  id INTEGER PRIMARY KEY,
  ns TEXT NOT NULL,
  queue TEXT NOT NULL,
  type TEXT NOT NULL,
  created INTEGER NOT NULL DEFAULT 0,
  scheduled INTEGER NOT NULL DEFAULT 0,
  queued INTEGER NOT NULL DEFAULT 0,
  running INTEGER NOT NULL DEFAULT 0,
  waiting INTEGER NOT NULL DEFAULT 0,
  retry INTEGER NOT NULL DEFAULT 0,
  success INTEGER NOT NULL DEFAULT 0,
  dead INTEGER NOT NULL DEFAULT 0,
  canceled INTEGER NOT NULL DEFAULT 0,
  UNIQUE (ns, queue, type)
);

-- A type within its namespace, as job keys know it.
CREATE TABLE kind(
  id INTEGER PRIMARY KEY,
  ns TEXT NOT NULL,
  type TEXT NOT NULL,
  UNIQUE (ns, type)
);

-- Jobs that have not ended.
CREATE TABLE live(
  id BLOB PRIMARY KEY,
  lane INTEGER NOT NULL,
  kind INTEGER,            -- set with job_key
  job_key TEXT,
  idempotency_key TEXT,
  priority INTEGER NOT NULL,
  policy TEXT,             -- NULL: the store's own
  expires_at INTEGER,
  callback_url TEXT,
  callback_secret TEXT,
  redrive_of BLOB,
  content BLOB,            -- NULL: the id
  number INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  state INTEGER NOT NULL,
  version INTEGER NOT NULL,
  history_count INTEGER NOT NULL,
  ord INTEGER NOT NULL,
  run_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  first_started_at INTEGER,
  started_at INTEGER,
  completed_at INTEGER,
  prune_after INTEGER,
  execution INTEGER NOT NULL,
  flags INTEGER NOT NULL,  -- 1 cancel requested, 2 withdrawn, 4 has a checkpoint
  progress REAL,
  successor BLOB,
  attempt INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  crashes INTEGER NOT NULL,
  retry_count INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  claim BLOB,
  worker TEXT,
  node BLOB,
  lease INTEGER NOT NULL,
  lease_expires_at INTEGER,
  deadline_at INTEGER,
  settled BLOB,
  error_code TEXT,
  error_message TEXT,
  error_details TEXT,
  history TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX live_ready ON live(lane, priority, ord) WHERE state = 2;
CREATE INDEX live_held ON live(state) WHERE state IN (3, 4);
-- The earlier of two times, without min(): SQLite keeps a journal of its own for every statement
-- that writes several rows and calls a function.
CREATE INDEX live_future ON live(CASE WHEN expires_at < run_at THEN expires_at ELSE run_at END)
  WHERE state IN (1, 5);
CREATE INDEX live_recorded ON live(created_at) WHERE state = 0;
CREATE INDEX live_expiry ON live(expires_at) WHERE expires_at IS NOT NULL AND state IN (0, 1, 2, 5);
CREATE UNIQUE INDEX live_key ON live(kind, job_key) WHERE job_key IS NOT NULL;

-- Jobs that have ended; the same columns, and the result.
CREATE TABLE done(
  id BLOB PRIMARY KEY,
  lane INTEGER NOT NULL,
  kind INTEGER,
  job_key TEXT,
  idempotency_key TEXT,
  priority INTEGER NOT NULL,
  policy TEXT,
  expires_at INTEGER,
  callback_url TEXT,
  callback_secret TEXT,
  redrive_of BLOB,
  content BLOB,
  number INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  state INTEGER NOT NULL,
  version INTEGER NOT NULL,
  history_count INTEGER NOT NULL,
  ord INTEGER NOT NULL,
  run_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  first_started_at INTEGER,
  started_at INTEGER,
  completed_at INTEGER,
  prune_after INTEGER,
  execution INTEGER NOT NULL,
  flags INTEGER NOT NULL,
  progress REAL,
  successor BLOB,
  attempt INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  crashes INTEGER NOT NULL,
  retry_count INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  claim BLOB,
  worker TEXT,
  node BLOB,
  lease INTEGER NOT NULL,
  lease_expires_at INTEGER,
  deadline_at INTEGER,
  settled BLOB,
  error_code TEXT,
  error_message TEXT,
  error_details TEXT,
  history TEXT NOT NULL,
  result TEXT
) WITHOUT ROWID;
CREATE INDEX done_prune ON done(prune_after) WHERE prune_after IS NOT NULL;
CREATE INDEX done_key ON done(kind, job_key, number) WHERE job_key IS NOT NULL;
CREATE INDEX done_unlucky ON done(state) WHERE state IN (7, 8);

-- What the enqueuer brought; written once, and kept until the job is pruned.
CREATE TABLE body(
  id BLOB PRIMARY KEY,
  payload TEXT NOT NULL,
  tags TEXT,
  metadata TEXT,
  request TEXT,
  traceparent TEXT
) WITHOUT ROWID;

CREATE TABLE checkpoint(
  id BLOB PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE failure(
  id BLOB,
  seq INTEGER,
  attempt INTEGER NOT NULL,
  at INTEGER NOT NULL,
  code TEXT NOT NULL,
  message TEXT NOT NULL,
  details TEXT NOT NULL,
  PRIMARY KEY (id, seq)
) WITHOUT ROWID;

-- What the workers of one attempt wrote.
CREATE TABLE log(
  id BLOB,
  attempt INTEGER,
  text TEXT NOT NULL,
  last_append BLOB,  -- the heartbeat that appended last
  PRIMARY KEY (id, attempt)
) WITHOUT ROWID;

-- Idempotency keys. A space is a namespace with who gives out its keys.
CREATE TABLE keyspace(
  id INTEGER PRIMARY KEY,
  ns TEXT NOT NULL,
  platform INTEGER NOT NULL,
  UNIQUE (ns, platform)
);
-- The newest keys, in the order in which they came; without a job: forgotten.
CREATE TABLE key_log(
  seq INTEGER PRIMARY KEY,
  space INTEGER NOT NULL,
  key TEXT NOT NULL,
  job BLOB,
  body_hash INTEGER NOT NULL
);
-- Rows of the log up to `drained` are in runs and no longer count; those up to `frozen` are being
-- written to one.
CREATE TABLE key_progress(
  one INTEGER PRIMARY KEY CHECK (one = 1),
  frozen INTEGER NOT NULL,
  drained INTEGER NOT NULL
);
INSERT INTO key_progress VALUES (1, 0, 0);
-- Older keys in sorted runs. A lower tier is newer, and within a tier a higher id.
CREATE TABLE key_run(
  id INTEGER PRIMARY KEY,
  tier INTEGER NOT NULL,
  state INTEGER NOT NULL,   -- 0 growing, 1 whole, 2 on its way into a merged one
  entries INTEGER NOT NULL  -- at most; the size of its filter
);
CREATE TABLE key_entry(
  run INTEGER,
  hash INTEGER,
  space INTEGER,
  key TEXT,
  job BLOB,
  body_hash INTEGER NOT NULL,
  PRIMARY KEY (run, hash, space, key)
) WITHOUT ROWID;
CREATE TABLE key_filter(
  run INTEGER,
  part INTEGER,
  bits BLOB NOT NULL,
  PRIMARY KEY (run, part)
) WITHOUT ROWID;
-- Every key and what it stands for. The newest word on a key counts.
CREATE VIEW idempotency AS
SELECT space, key, job, body_hash FROM (
  SELECT space, key, job, body_hash, max(age) FROM (
    SELECT space, key, job, body_hash, (1 << 60) + seq AS age FROM key_log
    WHERE seq > (SELECT drained FROM key_progress)
    UNION ALL
    SELECT space, key, job, body_hash, key_run.id - (tier << 48) AS age
    FROM key_entry JOIN key_run ON key_run.id = run
  ) GROUP BY space, key
) WHERE job IS NOT NULL;
-- Keys that lead to a job whose row does not name them: bound by a later request, or the job is
-- gone.
CREATE TABLE bound_key(
  job BLOB,
  space INTEGER,
  key TEXT,
  PRIMARY KEY (job, space, key)
) WITHOUT ROWID;
-- How a pruned job ended, for as long as its keys answer.
CREATE TABLE gone(
  job BLOB PRIMARY KEY,
  status INTEGER NOT NULL,
  gone_after INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX gone_after ON gone(gone_after);

-- What is told, and what was seen.
CREATE TABLE queue_rule(
  ns TEXT, queue TEXT,
  max_running INTEGER, keep_success INTEGER, keep_canceled INTEGER, keep_dead INTEGER,
  PRIMARY KEY (ns, queue)
) WITHOUT ROWID;
CREATE TABLE type_rule(
  ns TEXT, type TEXT,
  max_running INTEGER, keep_success INTEGER, keep_canceled INTEGER, keep_dead INTEGER,
  PRIMARY KEY (ns, type)
) WITHOUT ROWID;
CREATE TABLE pause(
  ns TEXT, queue TEXT,
  PRIMARY KEY (ns, queue)
) WITHOUT ROWID;
CREATE TABLE worker(
  ns TEXT, worker TEXT,
  node BLOB, queues TEXT, types TEXT, slots INTEGER NOT NULL,
  host TEXT NOT NULL, version TEXT NOT NULL, seen_at INTEGER NOT NULL,
  PRIMARY KEY (ns, worker)
) WITHOUT ROWID;
CREATE TABLE node(
  id BLOB PRIMARY KEY,
  name TEXT NOT NULL, started_at INTEGER NOT NULL, seen_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE minute(
  minute INTEGER, node BLOB, ns TEXT, queue TEXT, type TEXT,
  enqueued INTEGER NOT NULL, started INTEGER NOT NULL, succeeded INTEGER NOT NULL,
  failed INTEGER NOT NULL, dead INTEGER NOT NULL, canceled INTEGER NOT NULL,
  wait_millis INTEGER NOT NULL, run_millis INTEGER NOT NULL,
  PRIMARY KEY (minute, node, ns, queue, type)
) WITHOUT ROWID;
CREATE TABLE error_group(
  ns TEXT, type TEXT, fingerprint INTEGER,
  count INTEGER NOT NULL, first_at INTEGER NOT NULL, last_at INTEGER NOT NULL,
  sample BLOB NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL,
  PRIMARY KEY (ns, type, fingerprint)
) WITHOUT ROWID;
CREATE TABLE audit(
  number INTEGER PRIMARY KEY,
  at INTEGER NOT NULL, ns TEXT NOT NULL, actor TEXT NOT NULL, request_id TEXT NOT NULL,
  action TEXT NOT NULL, target TEXT NOT NULL
);
CREATE INDEX audit_ns ON audit(ns, number);
CREATE TABLE token(
  id TEXT PRIMARY KEY,
  ns TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL, hash TEXT NOT NULL,
  created_at INTEGER NOT NULL, expires_at INTEGER, last_used_at INTEGER
) WITHOUT ROWID;
