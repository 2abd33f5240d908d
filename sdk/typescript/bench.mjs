// Throughput of a worker with empty handlers: bench.mjs [JOBS] [CONCURRENCY].
//
// Needs a server at LONGSHORE_SERVER without other jobs. Prints one line for outcomes settled one
// by one and one for outcomes settled in batches.
import { randomUUID } from "node:crypto";

import { Client, Worker } from "./src/index.js";

// Jobs per second, from the worker's start to its stop.
async function measure(jobs, concurrency, batchSettle) {
  const jobType = `NOOP-${randomUUID()}`;
  const client = new Client();
  for (let first = 0; first < jobs; first += 1000) {
    const some = Array.from({ length: Math.min(1000, jobs - first) }, () => ({ jobType }));
    await client.enqueueBatch(some);
  }
  client.close();
  let left = jobs;
  let ended = () => {};
  const done = new Promise((resolve) => (ended = resolve));
  const worker = new Worker({ concurrency, batchSettle });
  worker.handle(jobType, () => {
    if (--left === 0) ended();
  });
  const begin = performance.now();
  worker.start();
  await done;
  await worker.stop();
  return (1000 * jobs) / (performance.now() - begin);
}

const [jobs = 5000, concurrency = 32] = process.argv.slice(2).map(Number);
for (const [batch, words] of [[false, "one by one"], [true, "in batches"]]) {
  const rate = Math.round(await measure(jobs, concurrency, batch)).toLocaleString("en");
  const slots = `${concurrency} slots`;
  console.log(`TypeScript SDK, ${slots}, outcomes settled ${words}: ${rate} jobs/s`);
}
