// The worker under test, in JavaScript; handlers.py is the same in Python.
//
// It prints what its handlers see. The environment variable WORKER_OPTIONS holds the worker's
// options as JSON.
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

worker.handle("BAD_RESULT", (job) => {
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

// Runs until the file exists and ignores requests to stop.
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

const throwIt = (error) => {
  throw error;
};

const logAndReturn = (job, lines) => {
  for (const line of lines) job.log(line);
  return "logged";
};

const mistakes = {
  "strange details": () => throwIt(new Fatal("no", { code: "STRANGE", details: { a: 1n } })),
  "large details": () => throwIt(new Fatal("no", { code: "LARGE", details: "x".repeat(100_000) })),
  "an error as the message": () => throwIt(new Fatal(new Error("inner"), { code: "WRAPPED" })),
  "a reserved code": () => throwIt(new Fatal("no", { code: "POISON" })),
  "a large message": () => throwIt(new RangeError("x".repeat(3_000_000))),
  "a large result": () => "x".repeat(1_500_000),
  "a huge result": () => "x".repeat(3_000_000),
  "no text": () => throwIt(Object.create(null)),
  "no error": () => throwIt(undefined),
  "a returned error": () => new RangeError("returned"),
  progress: (job) => job.progress(101),
  "a strange checkpoint": (job) => job.save({ a: 1n }, { now: false }),
  "a checkpoint that changes": (job) => {
    if (job.attempt === 2) return job.checkpoint;
    const state = { step: 1 };
    job.save(state, { now: false });
    state.step = 1n;
    throw new Retry("again", { after: 0 });
  },
  "a large checkpoint": (job) => {
    if (job.attempt === 2) return job.checkpoint;
    job.save("x".repeat(300_000), { now: false });
    throw new Release();
  },
  "a large log": (job) => logAndReturn(job, Array(5000).fill("x".repeat(1000))),
  "half a character": (job) => logAndReturn(job, ["a\ud800b"]),
  "a number in the log": (job) => logAndReturn(job, [42]),
};

worker.handle("MISTAKE", async (job) => {
  job.save(1n, { now: false }); // rejects, and the handler does not await it
  return mistakes[job.payload](job);
});

// In the same turn of the event loop in which the worker stops claiming jobs.
process.on("SIGTERM", () => say("stopping"));

say("working");
await worker.run();
say("ended");
