// The worker that the tests run, in JavaScript; handlers.py is the same in Python.
//
// Its standard output says what handlers see. Options of the worker come as JSON in the variable
// WORKER_OPTIONS.
import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const { Fatal, HandOff, Release, Retry, Worker } = await import(process.env.LONGSHORE_SDK);

const worker = new Worker({ concurrency: 2, ...JSON.parse(process.env.WORKER_OPTIONS ?? "{}") });
const say = (...words) => console.log(words.join(" "));

worker.handle("DOUBLE", (job) => ({ doubled: job.payload * 2 }));

worker.handle("ERROR", async (job) => {
  if (job.attempt === 1) throw new RangeError("boom");
  return { attempt: job.attempt, last: job.lastError.message };
});

worker.handle("FATAL", (job) => {
  throw new Fatal("no hope", { code: "NO_HOPE", details: { why: job.payload } });
});

worker.handle("RETRY", (job) => {
  return job.attempt === 1 ? new Retry("not yet", { after: 0.05 }) : job.attempt;
});

worker.handle("RELEASE", (job) => {
  if (job.attempt === 1) throw new Release();
  return job.failures;
});

worker.handle("UNTELLABLE", (job) => {
  return job.payload === "large" ? "x".repeat(2 << 20) : { big: 1n };
});

worker.handle("WAIT", async (job) => {
  const before = JSON.stringify(job.checkpoint);
  job.progress(42);
  await job.save({ seen: job.attempt }, { now: false });
  say("started", job.attempt, before);
  await new Promise((resolve) => job.signal.addEventListener("abort", resolve));
  say("stopped", job.stopReason);
  job.signal.throwIfAborted();
});

// Goes on until there is a file, whatever it is told.
worker.handle("UNTIL", async (job) => {
  say("started", job.attempt);
  while (!existsSync(job.payload)) await pause(20);
  say("finished", job.attempt);
  return job.attempt;
});

worker.handle("STEPS", async (job) => {
  for (let step = job.checkpoint ?? 0; step < job.payload.steps; ++step) {
    say("step", step, "attempt", job.attempt);
    await job.save(step + 1);
    if (job.attempt === 1 && step === job.payload.dieAt) process.kill(process.pid, "SIGKILL");
  }
  return job.checkpoint;
});

worker.handle("HANDOFF", () => new HandOff({ timeout: 60 }));

worker.handle("LOG", (job) => {
  job.log("a line");
  job.log("another");
});

say("working");
await worker.run();
say("ended");
