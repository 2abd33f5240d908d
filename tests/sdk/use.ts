// A user's program in TypeScript. It is compiled in strict mode against the packed package.
import { Client, Fatal, JobFailed, Worker } from "longshore";
import type { Enqueued, JobRun, Status } from "longshore";

interface Mail {
  to: string;
}

async function send(job: JobRun<Mail, { sent: number }>): Promise<string> {
  const sent: number = job.checkpoint?.sent ?? 0;
  if (!job.payload.to.includes("@")) throw new Fatal("no address", { code: "NO_ADDRESS" });
  job.progress(50);
  await job.save({ sent: sent + 1 });
  job.signal.throwIfAborted();
  return job.payload.to;
}

const worker: Worker = new Worker({ concurrency: 4, queues: ["mail"] }).handle("MAIL", send);
const left: number = await worker.run();

const client = new Client({ server: "https://example.org/longshore" });
const { jobId } = await client.enqueue("MAIL", { to: "ada@example.org" }, { priority: 0 });
try {
  const to: string = await client.result<string>(jobId, { timeout: 60 });
  console.log(to, left);
} catch (error) {
  if (error instanceof JobFailed) console.log(error.code);
}
const status: Status = await client.cancel(jobId);
const again: Enqueued = await client.redrive(jobId, { delaySeconds: 600, payload: null });
// @ts-expect-error: no such option
await client.enqueue("MAIL", null, { prority: 0 });
// @ts-expect-error: not an allowed value
await client.enqueue("MAIL", null, { onConflict: "ignore" });
console.log(status, again);
