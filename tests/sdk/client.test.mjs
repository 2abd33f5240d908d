// The TypeScript client against the server at LONGSHORE_SERVER and a worker that runs handlers.mjs.
// typescript_client_test.py starts both.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { after, test } from "node:test";

const sdk = await import(process.env.LONGSHORE_SDK);
const { ApiError, Client, JobCanceled, JobFailed, Unreachable, WaitTimeout, Worker } = sdk;

const server = process.env.LONGSHORE_SERVER;
const client = new Client();
after(() => client.close());

const details = async (jobId) => (await fetch(`${server}/jobs/${jobId}/details`)).json();

test("every field of a new job is sent", async () => {
  const runAt = new Date(Date.now() + 3_600_000);
  const jobKey = randomUUID();
  const options = {
    idempotencyKey: jobKey,
    jobKey,
    onConflict: "reject",
    queue: "slow",
    priority: 0,
    runAt,
    expiresAt: new Date(runAt.getTime() + 3_600_000).toISOString(),
    maxRetries: 7,
    timeoutSeconds: 12.5,
    backoff: { kind: "fixed", baseSeconds: 3 },
    tags: ["a", "b"],
    metadata: { team: "x" },
    callback: { url: "https://example.org/hook" },
    request: { method: "GET", path: "/here" },
  };
  const job = await client.enqueue("T", { n: [1, "ü"] }, options);
  assert.equal(job.status, "PENDING");
  const stored = await details(job.jobId);
  assert.deepEqual(stored.payload, { n: [1, "ü"] });
  for (const name of ["idempotencyKey", "jobKey", "queue", "priority", "maxRetries", "tags"]) {
    assert.deepEqual(stored[name], options[name], name);
  }
  assert.equal(stored.timeoutSeconds, 12.5);
  assert.equal(stored.backoff.kind, "fixed");
  assert.equal(stored.request.path, "/here");
  const found = await client.find("T", jobKey);
  assert.equal(found.jobId, job.jobId);
  assert.deepEqual(found.runAt, runAt);
  await assert.rejects(client.enqueue("T", null, { jobKey, onConflict: "reject" }), (error) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.status, error.code], [409, "KEY_IN_USE"]);
    return error.problem.jobId === job.jobId;
  });
});

test("the same idempotency key returns the same job", async () => {
  const idempotencyKey = randomUUID();
  const first = await client.enqueue("T", 1, { idempotencyKey });
  assert.equal((await client.enqueue("T", 2, { idempotencyKey })).jobId, first.jobId);
  assert.notEqual((await client.enqueue("T", 1)).jobId, first.jobId);
});

test("a batch is atomic and in order", async () => {
  const jobs = await client.enqueueBatch(
    Array.from({ length: 50 }, (_, n) => ({ jobType: "T", payload: n })),
  );
  assert.equal(new Set(jobs.map((job) => job.jobId)).size, 50);
  assert.equal((await details(jobs[17].jobId)).payload, 17);
  const wrong = [{ jobType: "OTHER" }, { jobType: "OTHER", priority: 11 }];
  await assert.rejects(client.enqueueBatch(wrong), (error) => {
    return error.errors[0].field === "jobs[1].priority";
  });
  const listed = await (await fetch(`${server}/jobs?jobType=OTHER`)).json();
  assert.deepEqual(listed.jobs, []);
});

test("wait resolves when the job ends", async () => {
  const done = await client.enqueue("DOUBLE", 4);
  assert.deepEqual(await client.result(done.jobId, { timeout: 60 }), { doubled: 8 });
  assert.ok((await client.get(done.jobId)).completedAt instanceof Date);
  const failed = await client.enqueue("FATAL");
  assert.equal((await client.wait(failed.jobId, { timeout: 60 })).status, "FAILED");
  await assert.rejects(client.result(failed.jobId), (error) => {
    assert.deepEqual([error.code, error.detail], ["NO_HOPE", "no hope"]);
    return error instanceof JobFailed;
  });
});

test("wait times out", async () => {
  const job = await client.enqueue("NO_WORKER");
  await assert.rejects(client.wait(job.jobId, { timeout: 0.05 }), WaitTimeout);
});

test("cancel is idempotent", async () => {
  const job = await client.enqueue("NO_WORKER");
  assert.equal(await client.cancel(job.jobId), "CANCELED");
  assert.equal(await client.cancel(job.jobId), "CANCELED");
  await assert.rejects(client.result(job.jobId), JobCanceled);
});

test("redrive keeps or changes fields, and can be delayed", async () => {
  const canceled = (await client.enqueue("NO_WORKER", { n: 1 }, { queue: "slow" })).jobId;
  await assert.rejects(client.redrive(canceled), { code: "WRONG_STATE" });
  await client.cancel(canceled);
  const runAt = new Date(Date.now() + 3_600_000);
  await assert.rejects(client.redrive(canceled, { runAt, delaySeconds: 1 }), (error) => {
    return error.errors[0].field === "delaySeconds";
  });
  const job = await client.redrive(canceled, { runAt, priority: 0, timeoutSeconds: 12.5 });
  assert.equal(job.status, "PENDING");
  assert.equal((await client.redrive(canceled)).jobId, job.jobId);
  const stored = await details(job.jobId);
  assert.deepEqual([stored.redriveOf, stored.state], [canceled, "SCHEDULED"]);
  assert.deepEqual([stored.payload, stored.queue], [{ n: 1 }, "slow"]);
  assert.deepEqual([stored.priority, stored.timeoutSeconds], [0, 12.5]);
  assert.deepEqual((await client.get(job.jobId)).runAt, runAt);
  await client.cancel(job.jobId);
  const options = { payload: null, maxRetries: 7, delaySeconds: 600 };
  const other = await client.redrive(job.jobId, options);
  const changed = await details(other.jobId);
  assert.deepEqual([changed.payload, changed.maxRetries], [null, 7]);
  assert.equal(changed.state, "SCHEDULED");
});

test("a handed-off job is finished by key", async () => {
  const jobKey = `a/b ${randomUUID()}`;
  const job = await client.enqueue("HANDOFF", null, { jobKey });
  while ((await details(job.jobId)).state !== "WAITING");
  const error = { message: "no", code: "NO" };
  assert.equal(await client.failByKey("HANDOFF", jobKey, error), "PENDING");
  assert.equal(await client.completeByKey("HANDOFF", jobKey, { by: "key" }), "COMPLETED");
  assert.deepEqual(await client.result(job.jobId), { by: "key" });
});

const assertEnqueuedOnce = async (url, jobType) => {
  const behind = new Client({ server: url });
  const job = await behind.enqueue(jobType);
  const jobs = await behind.enqueueBatch([{ jobType }, { jobType }]);
  const listed = await (await fetch(`${server}/jobs?jobType=${jobType}`)).json();
  const ids = [job, ...jobs].map((one) => one.jobId);
  assert.deepEqual(listed.jobs.map((one) => one.jobId).sort(), ids.sort());
  behind.close();
};

test("an enqueue whose response was lost creates one job", () =>
  assertEnqueuedOnce(process.env.LOSING_SERVER, "LOST"));

test("an enqueue whose response was cut off creates one job", () =>
  assertEnqueuedOnce(process.env.CUTTING_SERVER, "CUT"));

test("no server is unreachable", async () => {
  const lost = new Client({ server: "http://127.0.0.1:9", patience: 0.2 });
  await assert.rejects(lost.enqueue("T"), Unreachable);
  const patient = new Client({ server: "http://127.0.0.1:9", patience: 3600 });
  // Within the timeout of the wait.
  await assert.rejects(patient.wait("some job", { timeout: 0.2 }), Unreachable);
  const named = new Client({ server: "http://localhost:9", patience: 0 });
  await assert.rejects(named.get("some job"), /ECONNREFUSED/);
  for (const wrong of ["ftp://127.0.0.1", "127.0.0.1:7788", "localhost:7788"]) {
    assert.throws(() => new Client({ server: wrong }), /must begin with http/);
  }
});

test("the error for another kind of server says why", async () => {
  const other = createServer((request, response) => {
    if (request.url.endsWith("moved")) {
      return response.writeHead(301, { Location: "https://example.org/" }).end();
    }
    response.end("<html>");
  });
  await new Promise((listening) => other.listen(0, "127.0.0.1", listening));
  const lost = new Client({ server: `http://127.0.0.1:${other.address().port}`, patience: 0 });
  await assert.rejects(lost.get("moved"), (error) => {
    return error instanceof Unreachable && error.message.includes("https://example.org/");
  });
  await assert.rejects(lost.get("page"), (error) => {
    return error instanceof Unreachable && error.message.includes("not JSON");
  });
  lost.close();
  other.close();
});

test("an AbortSignal ends a wait", async () => {
  const { jobId } = await client.enqueue("NO_WORKER");
  const reason = new Error("enough");
  await assert.rejects(client.wait(jobId, { signal: AbortSignal.abort(reason) }), reason);
  const later = new AbortController();
  const waiting = client.wait(jobId, { signal: later.signal });
  setImmediate(() => later.abort(reason));
  await assert.rejects(waiting, reason);
  const away = new Client({ server: "http://127.0.0.1:9", patience: 3600 });
  await assert.rejects(away.result(jobId, { signal: AbortSignal.timeout(50) }), {
    name: "TimeoutError",
  });
});

test("a token must be one line", async () => {
  assert.ok((await new Client({ token: "none is needed\n" }).enqueue("T")).jobId);
  assert.throws(() => new Client({ token: "two\nlines" }), /one line/);
});

test("an invalid worker throws at once", async () => {
  assert.throws(() => new Worker({ concurrency: 0 }), RangeError);
  assert.throws(() => new Worker().start(), /no handlers/);
  const worker = new Worker({ concurrency: 1, queues: ["unused"] });
  assert.throws(() => worker.handle("T", undefined), TypeError);
  worker.handle("T", () => null).start();
  assert.throws(() => worker.start(), /only once/);
  await assert.rejects(worker.run(), /only once/);
  assert.equal(await worker.stop(), 0);
  assert.throws(() => worker.start(), /only once/);
});
