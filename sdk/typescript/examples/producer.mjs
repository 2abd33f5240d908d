import { Client, JobFailed } from "longshore";

const client = new Client();
const job = await client.enqueue("GREET", { name: "Ada" }, { priority: 0, maxRetries: 5 });
try {
  console.log((await client.result(job.jobId, { timeout: 60 })).greeting);
} catch (failure) {
  if (!(failure instanceof JobFailed)) throw failure;
  console.log(failure.code, failure.detail);
}
