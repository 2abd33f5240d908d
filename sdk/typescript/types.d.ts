// What this package offers. Times that are given are a Date or RFC 3339 text.

export type Time = Date | string;
export type Status = "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELED";

export interface ServerOptions {
  /** May have a path. Default: LONGSHORE_SERVER, then http://127.0.0.1:7788 */
  server?: string;
  /** Default: LONGSHORE_TOKEN */
  token?: string;
  /** A file of certificates to trust instead of the system's. Default: LONGSHORE_CA_CERT */
  caCert?: string;
  /** Seconds that one answer may take. Default: 30 */
  timeout?: number;
}

export interface Backoff {
  kind: "exponential" | "fixed" | "none";
  baseSeconds?: number;
  maxSeconds?: number;
  jitter?: number;
}

export interface OriginRequest {
  method: string;
  path: string;
  headers?: Record<string, string[]>;
  routeParams?: Record<string, unknown>;
  queryParams?: { name: string; values: string[] }[];
}

export interface JobOptions {
  /** Default: one is made up, so that an enqueue whose answer was lost can be sent again. */
  idempotencyKey?: string;
  jobKey?: string;
  onConflict?: "existing" | "reject" | "replace";
  queue?: string;
  /** 0 to 9, 0 first */
  priority?: number;
  runAt?: Time;
  delaySeconds?: number;
  expiresAt?: Time;
  maxRetries?: number;
  timeoutSeconds?: number;
  backoff?: Backoff;
  tags?: string[];
  metadata?: Record<string, string>;
  callback?: { url: string; secretName?: string };
  request?: OriginRequest;
}

export interface NewJob extends JobOptions {
  jobType: string;
  payload?: unknown;
}

/** The answer to an enqueue: the job is on stable storage. */
export interface Enqueued {
  jobId: string;
  status: Status;
}

/** A job as it was when the server was asked. */
export interface Job {
  jobId: string;
  jobType: string;
  status: Status;
  createdAt: Date;
  updatedAt: Date;
  runAt?: Date;
  startedAt?: Date;
  completedAt?: Date;
  progress?: number;
  cancelRequested?: boolean;
  successorId?: string;
}

export interface JobError {
  code?: string;
  message: string;
  details?: unknown;
}

export interface WaitOptions {
  /** Seconds; none: as long as it takes */
  timeout?: number;
  /** Ends the wait, which then rejects with the signal's reason. */
  signal?: AbortSignal;
}

export interface RedriveOptions {
  payload?: unknown;
  queue?: string;
  priority?: number;
  maxRetries?: number;
  timeoutSeconds?: number;
  delaySeconds?: number;
  runAt?: Time;
}

export interface FinishOptions {
  /** Must be the fence of the attempt that is finished. */
  fence?: number;
}

export class Client {
  /** A call that got no answer is repeated for `patience` seconds, 30 by default. */
  constructor(options?: ServerOptions & { patience?: number });
  /** Resolves once the job is on stable storage. */
  enqueue(jobType: string, payload?: unknown, options?: JobOptions): Promise<Enqueued>;
  /** All of them or none, at most 10,000; the answers are in the same order. */
  enqueueBatch(jobs: NewJob[]): Promise<Enqueued[]>;
  get(jobId: string): Promise<Job>;
  /** The live job of that key, else the latest. */
  find(jobType: string, jobKey: string): Promise<Job>;
  /**
   * The job once it has finished, however it did. Rejects with WaitTimeout; a server that is away
   * by then is Unreachable.
   */
  wait(jobId: string, options?: WaitOptions): Promise<Job>;
  /** Waits, then gives the result. Rejects with JobFailed, JobCanceled or WaitTimeout. */
  result<T = any>(jobId: string, options?: WaitOptions): Promise<T>;
  /** CANCELED, or RUNNING if the job's owner was asked to stop. */
  cancel(jobId: string, options?: { force?: boolean }): Promise<Status>;
  /**
   * Runs a failed or canceled job again: now, after `delaySeconds` or at `runAt`. Resolves to the
   * successor, which is the same when asked again. What is left out is as the job had it. Needs the
   * operator role. Rejects with ApiError: WRONG_STATE for a job that has not failed, KEY_IN_USE
   * while another job has its key.
   */
  redrive(jobId: string, options?: RedriveOptions): Promise<Enqueued>;
  /** Finishes the live job of that key, such as one that was handed off. */
  completeByKey(
    jobType: string,
    jobKey: string,
    result?: unknown,
    options?: FinishOptions,
  ): Promise<Status>;
  failByKey(
    jobType: string,
    jobKey: string,
    error: JobError,
    options?: FinishOptions & { retryable?: boolean },
  ): Promise<Status>;
  /** Closes idle connections. The client may still be used. */
  close(): void;
}

export type StopReason = "canceled" | "lease lost" | "timed out" | "worker stopped";

/** One attempt at a job: what a handler is given. */
export interface JobRun<Payload = any, Checkpoint = any> {
  readonly jobId: string;
  readonly jobType: string;
  readonly jobKey: string | null;
  readonly queue: string;
  readonly payload: Payload;
  readonly attempt: number;
  readonly failures: number;
  readonly maxRetries: number;
  /** Rises with every owner of the job; pass it on to whatever must refuse an owner of old. */
  readonly fence: number;
  readonly leaseToken: string;
  readonly lastError: JobError | null;
  readonly metadata: Record<string, string>;
  readonly request: OriginRequest | null;
  readonly traceparent: string | null;
  readonly createdAt: Date;
  readonly deadlineAt: Date;
  /** What an attempt saved last, this one or an earlier one; null if none did. */
  readonly checkpoint: Checkpoint | null;
  /**
   * Aborted within one heartbeat (5 seconds at most) of a cancellation or a lost lease, and when
   * the worker has to stop. Its reason is the outcome that suits: `job.signal.throwIfAborted()`
   * ends the attempt.
   */
  readonly signal: AbortSignal;
  readonly stopReason: StopReason | null;
  /** 0 to 100, else RangeError; goes with the next heartbeat. */
  progress(percent: number): void;
  /** A line for the attempt's log; goes with the next heartbeat or the outcome. */
  log(line: string): void;
  /**
   * What the next attempt is given as `checkpoint`. Durable once resolved; with `now: false` it
   * goes with the next heartbeat. Rejects with LeaseLost if the job is somebody else's now, and
   * with TypeError for what JSON cannot say.
   */
  save(checkpoint: Checkpoint, options?: { now?: boolean }): Promise<void>;
  /** Seconds until the deadline, by this machine's clock; never negative. */
  timeLeft(): number;
}

/** What it returns is the result, unless it is an error; outcomes are errors too. */
export type Handler = (job: JobRun) => unknown;

export interface WorkerOptions extends ServerOptions {
  /** Jobs at once. Default: the number of processors */
  concurrency?: number;
  /** Visited in this order. Default: ["default"] */
  queues?: string[];
  /** 1 to 86400. Default: by the rules of the server */
  leaseSeconds?: number;
  /** Seconds that handlers get to finish in when stopping. Default: 25 */
  grace?: number;
  /** Seconds that they get after they were asked to stop. Default: 3 */
  patience?: number;
  /** Seconds that a call for jobs waits for one, up to 60. Default: 20 */
  pollSeconds?: number;
  /** What operators see. Default: host, process and a random part */
  name?: string;
  /** Tells outcomes together: faster for many short jobs. Default: false */
  batchSettle?: boolean;
  /** Hears what goes wrong outside handlers. Default: console.error */
  onTrouble?: (message: string) => void;
}

export class Worker {
  constructor(options?: WorkerOptions);
  readonly name: string;
  readonly concurrency: number;
  handle(jobType: string, handler: Handler): this;
  /**
   * Works until SIGINT or SIGTERM; a second one does not wait for handlers. Resolves as stop()
   * does, or ends the process if handlers go on all the same. Rejects with ApiError if the server
   * refuses the worker.
   */
  run(): Promise<number>;
  /** Works in the background until stop(). A worker starts once. */
  start(): void;
  /**
   * Takes no more jobs, waits for handlers, then asks them to stop and gives the rest back,
   * uncounted. Resolves to how many were given back because their handlers did not end.
   */
  stop(): Promise<number>;
}

/** How an attempt can end besides returning a result; each may be returned or thrown. */
export class Outcome extends Error {}

/** It did not work; try again after so many seconds, else by the job's back-off. Counted. */
export class Retry extends Outcome {
  constructor(message?: string, options?: { after?: number; code?: string; details?: unknown });
  readonly after: number | undefined;
  readonly code: string | undefined;
  readonly details: unknown;
}

/** Trying again would not help: the job goes to the dead letters. */
export class Fatal extends Outcome {
  constructor(message?: string, options?: { code?: string; details?: unknown });
  readonly code: string | undefined;
  readonly details: unknown;
}

/** Not now: back to the front of the queue, or after so many seconds. Nothing is counted. */
export class Release extends Outcome {
  constructor(options?: { after?: number });
  readonly after: number | undefined;
}

/** Somebody outside will finish the job, by its key or with this attempt's token. */
export class HandOff extends Outcome {
  constructor(options?: { timeout?: number });
  readonly timeout: number | undefined;
}

/** The handler gave in to a cancellation. */
export class Canceled extends Outcome {
  constructor(message?: string);
}

/** Whatever else this package throws. */
export class LongshoreError extends Error {}

/** No answer could be had. The call may or may not have had its effect. */
export class Unreachable extends LongshoreError {}

/** The server refused. `code` is stable and meant for programs, `message` for people. */
export class ApiError extends LongshoreError {
  constructor(status: number, problem: Record<string, unknown>, retryAfter?: number);
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors: { field: string; detail: string }[];
  readonly problem: Record<string, unknown>;
}

/** The job is not this attempt's any more; whatever it answers is dropped. */
export class LeaseLost extends LongshoreError {}

/** A wait was over before the job was. */
export class WaitTimeout extends LongshoreError {}

/** The awaited job failed for good. */
export class JobFailed extends LongshoreError {
  constructor(jobId: string, error?: Partial<JobError>);
  readonly jobId: string;
  /** What the job's error says: `code` for programs, `detail` for people. */
  readonly code: string | undefined;
  readonly detail: string | undefined;
}

/** The awaited job was withdrawn or has expired. */
export class JobCanceled extends LongshoreError {
  constructor(jobId: string, error?: Partial<JobError>);
  readonly jobId: string;
  /** What the job's error says: `code` for programs, `detail` for people. */
  readonly code: string | undefined;
  readonly detail: string | undefined;
}
