export { Client } from "./client.js";
export {
  ApiError,
  JobCanceled,
  JobFailed,
  LeaseLost,
  LongshoreError,
  Unreachable,
  WaitTimeout,
} from "./errors.js";
export { Canceled, Fatal, HandOff, Outcome, Release, Retry } from "./outcomes.js";
export { Worker } from "./worker.js";
