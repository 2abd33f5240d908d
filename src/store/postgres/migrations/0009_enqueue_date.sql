-- A job that is enqueued from SQL is dated after its keys were taken: whoever held its job key may
-- have ended while it waited for one.

-- Answers the id of the job: the new one, or the one that already has the key.
CREATE OR REPLACE FUNCTION @enqueue(
  job_type text,
  payload json DEFAULT 'null',
  queue text DEFAULT 'default',
  priority integer DEFAULT 5,
  run_at timestamptz DEFAULT NULL,
  delay_seconds double precision DEFAULT 0,
  expires_at timestamptz DEFAULT NULL,
  job_key text DEFAULT NULL,
  idempotency_key text DEFAULT NULL,
  ns text DEFAULT 'default'
) RETURNS uuid LANGUAGE plpgsql VOLATILE
AS $$
#variable_conflict use_column
DECLARE
  name CONSTANT text := '^[A-Za-z0-9._:-]{1,128}$';
  now_ms bigint := @store_time();
  later_ms bigint;
  id CONSTANT uuid := @new_job_id(now_ms);
  step CONSTANT bigint := nextval('@step');
  ns_b CONSTANT bytea := convert_to(enqueue.ns, 'UTF8');
  type_b CONSTANT bytea := convert_to(job_type, 'UTF8');
  queue_b CONSTANT bytea := convert_to(enqueue.queue, 'UTF8');
  key_b CONSTANT bytea := convert_to(enqueue.job_key, 'UTF8');
  once_b CONSTANT bytea := convert_to(enqueue.idempotency_key, 'UTF8');
  payload_b CONSTANT bytea := convert_to(enqueue.payload::text, 'UTF8');
  expires_ms CONSTANT bigint := extract(epoch FROM enqueue.expires_at) * 1000;
  due_ms bigint := now_ms;
  new_state smallint;
  state_word text;
  all_rules text;
  job_policy text;
  earlier uuid;
BEGIN
  IF job_type IS NULL OR job_type !~ name OR job_type ~ '^(longshore\.|_)' THEN
    RAISE 'jobType must be 1 to 128 of A-Z a-z 0-9 . _ : - and not reserved'
      USING ERRCODE = '22023';
  ELSIF enqueue.queue IS NULL OR enqueue.queue !~ name THEN
    RAISE 'queue must be 1 to 128 of A-Z a-z 0-9 . _ : -' USING ERRCODE = '22023';
  ELSIF enqueue.priority IS NULL OR enqueue.priority NOT BETWEEN 0 AND 9 THEN
    RAISE 'priority must be from 0 to 9' USING ERRCODE = '22023';
  ELSIF payload_b IS NULL OR octet_length(payload_b) > 1048576 THEN
    RAISE 'payload must be JSON of at most 1 MiB' USING ERRCODE = '22023';
  ELSIF enqueue.delay_seconds < 0 OR (enqueue.delay_seconds > 0 AND enqueue.run_at IS NOT NULL) THEN
    RAISE 'delaySeconds must not be negative, and excludes runAt' USING ERRCODE = '22023';
  ELSIF length(enqueue.job_key) NOT BETWEEN 1 AND 255
      OR length(enqueue.idempotency_key) NOT BETWEEN 1 AND 255 THEN
    RAISE 'a key must be 1 to 255 characters' USING ERRCODE = '22023';
  END IF;
  IF enqueue.run_at IS NOT NULL THEN
    due_ms := greatest(now_ms, (extract(epoch FROM enqueue.run_at) * 1000)::bigint);
  ELSE
    due_ms := now_ms + (enqueue.delay_seconds * 1000)::bigint;
  END IF;
  IF expires_ms < due_ms THEN
    RAISE 'expiresAt must not be before runAt' USING ERRCODE = '22023';
  END IF;

  -- Keys first, and whoever was first has them.
  WHILE once_b IS NOT NULL LOOP
    INSERT INTO @idempotency(ns, platform, key, job, body_hash)
    VALUES (ns_b, false, once_b, id, 0) ON CONFLICT DO NOTHING;
    EXIT WHEN FOUND;
    SELECT known.job INTO earlier FROM @idempotency AS known
    WHERE known.ns = ns_b AND NOT known.platform AND known.key = once_b;
    IF FOUND THEN RETURN earlier; END IF;
  END LOOP;
  WHILE key_b IS NOT NULL LOOP
    INSERT INTO @live_key VALUES (ns_b, type_b, key_b, id) ON CONFLICT DO NOTHING;
    EXIT WHEN FOUND;
    SELECT known.job INTO earlier FROM @live_key AS known
    WHERE known.ns = ns_b AND known.type = type_b AND known.key = key_b;
    IF FOUND THEN
      IF once_b IS NOT NULL THEN
        UPDATE @idempotency AS known SET job = earlier
        WHERE known.ns = ns_b AND NOT known.platform AND known.key = once_b;
        INSERT INTO @bound_key VALUES (earlier, ns_b, false, once_b);
      END IF;
      RETURN earlier;
    END IF;
  END LOOP;

  later_ms := greatest(now_ms, @store_time());
  due_ms := CASE WHEN enqueue.run_at IS NULL THEN due_ms + (later_ms - now_ms)
                 ELSE greatest(due_ms, later_ms) END;
  now_ms := later_ms;

  SELECT store.rules INTO all_rules FROM @store AS store;
  job_policy := substring(all_rules FROM E'\npolicy ([^\n]*)\n');
  -- Jobs with the policy that the store was made with leave it out.
  job_policy := nullif(job_policy, coalesce(
    substring(all_rules FROM E'\nusualPolicy ([^\n]*)\n'), job_policy));
  new_state := CASE WHEN all_rules LIKE E'%\naccept 1\n%' THEN 0
                    WHEN due_ms > now_ms THEN 1 ELSE 2 END;
  state_word := CASE new_state WHEN 1 THEN 'SCHEDULED' ELSE 'QUEUED' END;
  INSERT INTO @live(
    id, ns, type, queue, priority, job_key, idempotency_key, policy, expires_at, number, created_at,
    body_bytes, state, version, ord, run_at, updated_at, history)
  VALUES (
    id, ns_b, type_b, queue_b, enqueue.priority, key_b, once_b, job_policy, expires_ms, step,
    now_ms,
    octet_length(payload_b), new_state, CASE new_state WHEN 0 THEN 1 ELSE 2 END,
    CASE new_state WHEN 2 THEN step + 1 ELSE 0 END, due_ms, now_ms,
    format(E'1 - CREATED enqueue %s 0 - -\n', now_ms) || CASE new_state WHEN 0 THEN '' ELSE
      format(E'2 CREATED %s accept %s 0 - -\n', state_word, now_ms) END);
  INSERT INTO @body VALUES (id, payload_b, '', '', '', '');
  INSERT INTO @ready SELECT ns_b, queue_b, enqueue.priority, step + 1, id, type_b
  WHERE new_state = 2;
  INSERT INTO @timer SELECT 0, least(due_ms, expires_ms), id WHERE new_state = 1;
  INSERT INTO @timer SELECT 1, expires_ms, id WHERE expires_ms IS NOT NULL;
  INSERT INTO @timer SELECT 2, now_ms, id WHERE new_state = 0;
  INSERT INTO @tally AS known
  VALUES (pg_backend_pid() % 16, ns_b, queue_b, (new_state = 0)::int, (new_state = 1)::int,
          (new_state = 2)::int, 0, 0, 0, 0, 0, 0)
  ON CONFLICT (ns, queue, slot) DO UPDATE SET created = known.created + excluded.created,
    scheduled = known.scheduled + excluded.scheduled, queued = known.queued + excluded.queued;
  PERFORM pg_notify('@', enqueue.ns || '/' || enqueue.queue) WHERE new_state = 2;
  RETURN id;
END
$$;
