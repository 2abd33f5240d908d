// What the TypeScript client asks and answers, against the server that LONGSHORE_SERVER names and
// a worker for the handlers of handlers.mjs. typescript_client_test.py starts both.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";

const sdk = await import(process.env.LONGSHORE_SDK);
const { ApiError, Client, JobCanceled, JobFailed, Unreachable, WaitTimeout } = sdk;

const server = process.env.LONGSHORE_SERVER;
const client = new Client();
after(() => client.close());

const details = async (jobId) => (await fetch(`${server}/jobs/${jobId}/details`)).json();

test("every field of a new job arrives", async () => {
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

test("the same idempotency key is the same job", async () => {
  const idempotencyKey = randomUUID();
  const first = await client.enqueue("T", 1, { idempotencyKey });
  assert.equal((await client.enqueue("T", 2, { idempotencyKey })).jobId, first.jobId);
  assert.notEqual((await client.enqueue("T", 1)).jobId, first.jobId);
});

test("a batch is all or nothing and in order", async () => {
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

test("waiting ends with the job", async () => {
  const done = await client.enqueue("DOUBLE", 4);
  assert.deepEqual(await client.result(done.jobId, { timeout: 60 }), { doubled: 8 });
  assert.ok((await client.get(done.jobId)).completedAt instanceof Date);
  const failed = await client.enqueue("FATAL");
  assert.equal((await client.wait(failed.jobId, { timeout: 60 })).status, "FAILED");
  await assert.rejects(client.result(failed.jobId), (error) => {
    return error instanceof JobFailed && error.code === "NO_HOPE";
  });
});

test("waiting has an end", async () => {
  const job = await client.enqueue("NOBODY");
  await assert.rejects(client.wait(job.jobId, { timeout: 0.05 }), WaitTimeout);
});

test("a job is canceled, twice if need be", async () => {
  const job = await client.enqueue("NOBODY");
  assert.equal(await client.cancel(job.jobId), "CANCELED");
  assert.equal(await client.cancel(job.jobId), "CANCELED");
  await assert.rejects(client.result(job.jobId), JobCanceled);
});

test("a job that was handed off is finished by key", async () => {
  const jobKey = `a/b ${randomUUID()}`;
  const job = await client.enqueue("HANDOFF", null, { jobKey });
  while ((await details(job.jobId)).state !== "WAITING");
  const error = { message: "no", code: "NO" };
  assert.equal(await client.failByKey("HANDOFF", jobKey, error), "PENDING");
  assert.equal(await client.completeByKey("HANDOFF", jobKey, { by: "key" }), "COMPLETED");
  assert.deepEqual(await client.result(job.jobId), { by: "key" });
});

test("an enqueue whose answer was lost makes one job", async () => {
  const behind = new Client({ server: process.env.LOSING_SERVER });
  const job = await behind.enqueue("LOST");
  const jobs = await behind.enqueueBatch([{ jobType: "LOST" }, { jobType: "LOST" }]);
  const listed = await (await fetch(`${server}/jobs?jobType=LOST`)).json();
  const ids = [job, ...jobs].map((one) => one.jobId);
  assert.deepEqual(listed.jobs.map((one) => one.jobId).sort(), ids.sort());
  behind.close();
});

test("nobody there is unreachable", async () => {
  const lost = new Client({ server: "http://127.0.0.1:9", patience: 0.2 });
  await assert.rejects(lost.enqueue("T"), Unreachable);
  assert.throws(() => new Client({ server: "ftp://127.0.0.1" }), TypeError);
});
