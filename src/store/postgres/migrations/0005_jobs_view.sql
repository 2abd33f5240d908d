-- Reading by hand: a view of all jobs, live and finished, in the types and words of the API. It
-- costs nothing while nobody reads it: no table has another column, and no write another step.
-- Nothing in it may fail, whatever a job holds, since one bad row would hide all the others.

-- One part of `course` by its number: a number, or bytes. NULL if it is not there. Parts that a
-- later version adds are passed over.
CREATE FUNCTION @course_part(course bytea, wanted integer, OUT number bigint, OUT bytes bytea)
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
DECLARE
  size CONSTANT integer := octet_length(course);
  place integer := 0;
  head integer;
  byte integer;
  shift integer;
  value bigint;
BEGIN
  WHILE place < size LOOP
    head := get_byte(course, place);
    value := 0;
    shift := 0;
    -- Seven bits to a byte, the lowest first; the highest bit says that there is more.
    LOOP
      place := place + 1;
      IF place >= size OR shift > 63 THEN RETURN; END IF;
      byte := get_byte(course, place);
      value := value | ((byte & 127)::bigint << shift);
      shift := shift + 7;
      EXIT WHEN byte < 128;
    END LOOP;
    place := place + 1;
    IF head < 128 THEN
      -- The lowest bit is the sign.
      IF head = wanted THEN
        number := ((value >> 1) & 9223372036854775807) # (-(value & 1));
        RETURN;
      END IF;
    ELSE
      IF value < 0 OR value > size - place THEN RETURN; END IF;
      IF head - 128 = wanted THEN
        bytes := substring(course FROM place + 1 FOR value::integer);
        RETURN;
      END IF;
      place := place + value::integer;
    END IF;
  END LOOP;
END
$$;

CREATE FUNCTION @course_number(course bytea, wanted integer) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT (@course_part(course, wanted)).number $$;

-- The eight bytes of an IEEE 754 number that is not negative, the highest first.
CREATE FUNCTION @read_double(bytes bytea) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
DECLARE
  exponent integer;
  fraction bigint;
BEGIN
  IF octet_length(bytes) <> 8 THEN RETURN NULL; END IF;
  exponent := ((get_byte(bytes, 0) & 127) << 4) | (get_byte(bytes, 1) >> 4);
  fraction := (get_byte(bytes, 1) & 15)::bigint;
  FOR i IN 2..7 LOOP fraction := (fraction << 8) | get_byte(bytes, i); END LOOP;
  IF exponent = 0 THEN RETURN 0; END IF;
  IF exponent = 2047 THEN RETURN NULL; END IF;
  RETURN (fraction | (1::bigint << 52))::double precision * power(2::double precision,
                                                                  exponent - 1075);
END
$$;

-- Milliseconds since 1970. What no calendar shows is infinite.
CREATE FUNCTION @read_time(millis bigint) RETURNS timestamptz
LANGUAGE sql STABLE STRICT PARALLEL SAFE
AS $$
  SELECT CASE WHEN millis BETWEEN -62135596800000 AND 253402300799999
              THEN timestamptz 'epoch' + millis * interval '1 millisecond'
              WHEN millis > 0 THEN timestamptz 'infinity' ELSE timestamptz '-infinity' END
$$;

-- What people wrote. Bytes that PostgreSQL cannot show as text, such as zero, are escaped.
CREATE FUNCTION @read_text(bytes bytea) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT
AS $$
BEGIN
  RETURN convert_from(bytes, 'UTF8');
EXCEPTION WHEN OTHERS THEN
  RETURN encode(bytes, 'escape');
END
$$;

-- NULL for JSON that jsonb does not take, such as \u0000 or a number of a million digits.
CREATE FUNCTION @read_json(bytes bytea) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT
AS $$
BEGIN
  RETURN convert_from(bytes, 'UTF8')::jsonb;
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END
$$;

-- Names apart by spaces, percent-encoded.
CREATE FUNCTION @read_names(names bytea) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT
AS $$
DECLARE
  found text[] := '{}';
  word text;
BEGIN
  FOREACH word IN ARRAY string_to_array(btrim(@read_text(names)), ' ') LOOP
    IF position('%' IN word) > 0 THEN
      SELECT @read_text(decode(string_agg(
        CASE WHEN part[1] ~ '^%' THEN substring(part[1] FROM 2)
             ELSE encode(convert_to(part[1], 'UTF8'), 'hex') END, ''), 'hex'))
      INTO word FROM regexp_matches(word, '%[0-9A-Fa-f]{2}|[^%]', 'g') AS part;
    ELSIF word = '-' THEN
      word := '';
    END IF;
    found := found || word;
  END LOOP;
  RETURN found;
END
$$;

-- The policy of jobs that have none of their own: the one that the store was made with. A store
-- that Longshore 0.1 made has it among its rules.
CREATE FUNCTION @usual_policy(rules text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(substring(rules FROM '(?:^|\n)usualPolicy ([^\n]*)'),
                  substring(rules FROM '(?:^|\n)policy ([^\n]*)'))
$$;

CREATE VIEW @jobs AS
SELECT
  job.id,
  encode(job.ns, 'escape') AS namespace,
  encode(job.type, 'escape') AS type,
  encode(job.queue, 'escape') AS queue,
  CASE job.state WHEN 0 THEN 'CREATED' WHEN 1 THEN 'SCHEDULED' WHEN 2 THEN 'QUEUED'
                 WHEN 3 THEN 'RUNNING' WHEN 4 THEN 'WAITING' WHEN 5 THEN 'RETRY'
                 WHEN 6 THEN 'SUCCESS' WHEN 7 THEN 'DEAD' WHEN 8 THEN 'CANCELED' END AS state,
  CASE WHEN job.state IN (0, 1, 2, 5) THEN 'PENDING' WHEN job.state IN (3, 4) THEN 'RUNNING'
       WHEN job.state = 6 THEN 'COMPLETED' WHEN job.state = 8 THEN 'CANCELED'
       WHEN coalesce(@course_number(job.course, 6), 0) & 2 <> 0 THEN 'CANCELED'
       ELSE 'FAILED' END AS status,
  job.priority::integer AS priority,
  @read_json(body.payload) AS payload,
  @read_text(body.payload) AS payload_text,
  @read_json(job.result) AS result,
  @read_text(job.result) AS result_text,
  coalesce(@course_number(job.course, 8), 0)::integer AS attempt,
  coalesce(@course_number(job.course, 9), 0)::integer AS failures,
  coalesce(@course_number(job.course, 9), 0)::integer AS retry_count,
  coalesce(@course_number(job.course, 10), 0)::integer AS crashes,
  split_part(coalesce(job.policy, (SELECT @usual_policy(rules) FROM @store)), ' ', 1)::integer
    AS max_retries,
  split_part(coalesce(job.policy, (SELECT @usual_policy(rules) FROM @store)), ' ', 2)::bigint
    * interval '1 millisecond'
    AS timeout,
  CASE WHEN job.lease_expires_at IS NOT NULL THEN @read_text(job.worker) END AS lease_owner,
  @read_time(job.lease_expires_at) AS lease_expiry,
  @read_text(job.idempotency_key) AS idempotency_key,
  @read_text(job.job_key) AS job_key,
  @read_time(job.run_at) AS run_at,
  @read_time(job.expires_at) AS expires_at,
  @read_time(job.created_at) AS created_at,
  @read_time(job.updated_at) AS updated_at,
  @read_time(job.updated_at + @course_number(job.course, 2)) AS first_started_at,
  @read_time(job.updated_at + @course_number(job.course, 3)) AS started_at,
  @read_time(job.updated_at + @course_number(job.course, 4)) AS completed_at,
  @read_text(job.error_code) AS error_code,
  @read_text(job.error_message) AS error_message,
  @read_double((@course_part(job.course, 7)).bytes) AS progress,
  coalesce(@course_number(job.course, 6), 0) & 1 <> 0 AS cancel_requested,
  @read_names(body.tags) AS tags,
  job.redrive_of,
  job.successor AS successor_id
FROM @every_job AS job
LEFT JOIN @body AS body ON body.id = job.id;

COMMENT ON VIEW @jobs IS
  'All jobs, live and finished, for reading by hand. Longshore itself does not use it. Read-only.';
COMMENT ON COLUMN @jobs.id IS 'The job''s id';
COMMENT ON COLUMN @jobs.namespace IS 'The namespace that scopes keys, queues and lists';
COMMENT ON COLUMN @jobs.type IS 'jobType: which handler runs it';
COMMENT ON COLUMN @jobs.queue IS 'The queue it waits in';
COMMENT ON COLUMN @jobs.state IS
  'CREATED, SCHEDULED, QUEUED, RUNNING, WAITING, RETRY, SUCCESS, DEAD or CANCELED';
COMMENT ON COLUMN @jobs.status IS
  'PENDING, RUNNING, COMPLETED, FAILED or CANCELED; of a DEAD job that was withdrawn, CANCELED';
COMMENT ON COLUMN @jobs.priority IS '0 (first) to 9 (last)';
COMMENT ON COLUMN @jobs.payload IS
  'The payload; NULL if jsonb cannot represent it (for example \u0000): see payload_text';
COMMENT ON COLUMN @jobs.payload_text IS 'The payload, byte for byte as it was sent';
COMMENT ON COLUMN @jobs.result IS
  'The result of a SUCCESS job; NULL if jsonb cannot represent it: see result_text';
COMMENT ON COLUMN @jobs.result_text IS 'The result, byte for byte as it was sent';
COMMENT ON COLUMN @jobs.attempt IS 'How many attempts have started';
COMMENT ON COLUMN @jobs.failures IS 'Counted failures';
COMMENT ON COLUMN @jobs.retry_count IS 'The same as failures: the last failure counts, too';
COMMENT ON COLUMN @jobs.crashes IS 'Lost leases';
COMMENT ON COLUMN @jobs.max_retries IS 'Retries allowed after counted failures';
COMMENT ON COLUMN @jobs.timeout IS 'How long one attempt may take';
COMMENT ON COLUMN @jobs.lease_owner IS 'The worker that holds the lease; NULL unless RUNNING';
COMMENT ON COLUMN @jobs.lease_expiry IS
  'When the lease ends without a heartbeat; NULL unless RUNNING';
COMMENT ON COLUMN @jobs.idempotency_key IS 'The idempotency key it was enqueued with';
COMMENT ON COLUMN @jobs.job_key IS 'The job key; one live job per type and key';
COMMENT ON COLUMN @jobs.run_at IS 'When it becomes, or became, eligible to run';
COMMENT ON COLUMN @jobs.expires_at IS 'The latest start of any attempt';
COMMENT ON COLUMN @jobs.created_at IS 'When it was enqueued';
COMMENT ON COLUMN @jobs.updated_at IS 'When it last changed';
COMMENT ON COLUMN @jobs.first_started_at IS 'When the first attempt started';
COMMENT ON COLUMN @jobs.started_at IS 'When the latest attempt started';
COMMENT ON COLUMN @jobs.completed_at IS 'When it ended';
COMMENT ON COLUMN @jobs.error_code IS 'Code of the latest error; NULL after success';
COMMENT ON COLUMN @jobs.error_message IS 'Message of the latest error';
COMMENT ON COLUMN @jobs.progress IS '0 to 100, as the worker last reported it';
COMMENT ON COLUMN @jobs.cancel_requested IS 'Cancellation was requested while it ran';
COMMENT ON COLUMN @jobs.tags IS 'Tags; empty array for none';
COMMENT ON COLUMN @jobs.redrive_of IS 'The job that this one is a redrive of';
COMMENT ON COLUMN @jobs.successor_id IS 'The job that a redrive of this one made';
