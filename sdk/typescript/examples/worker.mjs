import { Worker } from "longshore";

const worker = new Worker({ concurrency: 4 });

worker.handle("GREET", async (job) => {
  return { greeting: `Hello, ${job.payload.name}!` };
});

await worker.run();
