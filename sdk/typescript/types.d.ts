// The public API of this package. Time arguments are a Date or an RFC 3339 string.

export type Time = Date | string;
export type Status = "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELED";

export interface ServerOptions {
  /** URL of the server; may have a path. Default: LONGSHORE_SERVER, then http://127.0.0.1:7788 */
  server?: string;
  /** Default: LONGSHORE_TOKEN */
  token?: string;
  /** A file of certificates to trust instead of the system's. Default: LONGSHORE_CA_CERT */
  caCert?: string;
  /** Seconds to wait for one response. Default: 30 */
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
  /** Default: generated, so that an enqueue whose response was lost can be retried. */
  idempotencyKey?: string;
  jobKey?: string;
  onConflict?: "existing" | "reject" | "replace";
  queue?: string;
  /** 0 to 9; 0 runs first */
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

/** The response to an enqueue: the job is on stable storage. */
export interface Enqueued {
  jobId: string;
  status: Status;
}

/** A snapshot of a job at the time of the call. */
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
  /** Seconds. Default: no timeout */
  timeout?: number;
  /** Ends the wait, which rejects with the signal's reason. */
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
  /** Must equal the fence of the current attempt. */
  fence?: number;
}

export class Client {
  /** A call without a response is retried for `patience` seconds, 30 by default. */
  constructor(options?: ServerOptions & { patience?: number });
  /** Resolves once the job is on stable storage. */
  enqueue(jobType: string, payload?: unknown, options?: JobOptions): Promise<Enqueued>;
  /** Enqueues up to 10,000 jobs atomically; resolves to them in the same order. */
  enqueueBatch(jobs: NewJob[]): Promise<Enqueued[]>;
  get(jobId: string): Promise<Job>;
  /** The live job with this key, or else the latest one. */
  find(jobType: string, jobKey: string): Promise<Job>;
  /**
   * Waits until the job has finished, with any outcome. Rejects with WaitTimeout, or with
   * Unreachable if the server is unreachable by then.
   */
  wait(jobId: string, options?: WaitOptions): Promise<Job>;
  /** Waits for the job's result. Rejects with JobFailed, JobCanceled or WaitTimeout. */
  result<T = any>(jobId: string, options?: WaitOptions): Promise<T>;
  /** Resolves to CANCELED, or to RUNNING if the job's worker was asked to stop. */
  cancel(jobId: string, options?: { force?: boolean }): Promise<Status>;
  /**
   * Runs a failed or canceled job again: now, after `delaySeconds` or at `runAt`. Resolves to the
   * successor; a second redrive returns the same one. Omitted options keep the job's values. Needs
   * the operator role. Rejects with ApiError: WRONG_STATE if the job has not failed or been
   * canceled, KEY_IN_USE while another job has its key.
   */
  redrive(jobId: string, options?: RedriveOptions): Promise<Enqueued>;
  /** Finishes the live job with this key, such as one that was handed off. */
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
  /** Closes idle connections. The client can still be used. */
  close(): void;
}

export type StopReason = "canceled" | "lease lost" | "timed out" | "worker stopped";

/** One attempt of a job, as passed to a handler. */
export interface JobRun<Payload = any, Checkpoint = any> {
  readonly jobId: string;
  readonly jobType: string;
  readonly jobKey: string | null;
  readonly queue: string;
  readonly payload: Payload;
  readonly attempt: number;
  readonly failures: number;
  readonly maxRetries: number;
  /** Increases with every attempt; pass it to systems that must reject earlier attempts. */
  readonly fence: number;
  readonly leaseToken: string;
  readonly lastError: JobError | null;
  readonly metadata: Record<string, string>;
  readonly request: OriginRequest | null;
  readonly traceparent: string | null;
  readonly createdAt: Date;
  readonly deadlineAt: Date;
  /** The checkpoint last saved by this or an earlier attempt; null if there is none. */
  readonly checkpoint: Checkpoint | null;
  /**
   * Aborted within one heartbeat (5 seconds at most) of a cancellation or a lost lease, and when
   * the worker stops. Its reason is the matching outcome: `job.signal.throwIfAborted()` ends the
   * attempt.
   */
  readonly signal: AbortSignal;
  readonly stopReason: StopReason | null;
  /** Sets the progress, 0 to 100; sent with the next heartbeat. Else throws RangeError. */
  progress(percent: number): void;
  /** Adds a line to the attempt's log; sent with the next heartbeat or the outcome. */
  log(line: string): void;
  /**
   * Saves a checkpoint, which the next attempt gets as `checkpoint`. Durable once resolved; with
   * `now: false` it is sent with the next heartbeat. Rejects with LeaseLost if this attempt no
   * longer holds the lease, and with TypeError if it cannot be serialized as JSON.
   */
  save(checkpoint: Checkpoint, options?: { now?: boolean }): Promise<void>;
  /** Seconds until the deadline by the local clock; never negative. */
  timeLeft(): number;
}

/** Its return value is the result, unless it is an error; outcomes are errors too. */
export type Handler = (job: JobRun) => unknown;

export interface WorkerOptions extends ServerOptions {
  /** Maximum number of concurrent jobs. Default: the number of CPUs */
  concurrency?: number;
  /** Polled in this order. Default: ["default"] */
  queues?: string[];
  /** 1 to 86400. Default: set by the server's rules */
  leaseSeconds?: number;
  /** Seconds for handlers to finish after stop(). Default: 25 */
  grace?: number;
  /** Further seconds for handlers that were asked to stop. Default: 3 */
  patience?: number;
  /** Seconds that a lease request waits for a job, up to 60. Default: 20 */
  pollSeconds?: number;
  /** The worker's name for operators. Default: host, process ID and a random part */
  name?: string;
  /** Sends outcomes in batches: faster for many short jobs. Default: false */
  batchSettle?: boolean;
  /** Called for problems outside handlers. Default: console.error */
  onTrouble?: (message: string) => void;
}

export class Worker {
  constructor(options?: WorkerOptions);
  readonly name: string;
  readonly concurrency: number;
  handle(jobType: string, handler: Handler): this;
  /**
   * Runs until SIGINT or SIGTERM; a second signal skips waiting for handlers. Resolves like stop(),
   * or exits the process if handlers are still running. Rejects with ApiError if the server rejects
   * the worker.
   */
  run(): Promise<number>;
  /** Runs in the background until stop(). A worker can start only once. */
  start(): void;
  /**
   * Claims no more jobs, waits for handlers, asks the others to stop, and releases the remaining
   * jobs without counting a failure. Resolves to the number of jobs released because their handlers
   * did not end.
   */
  stop(): Promise<number>;
}

/** The outcomes of an attempt other than a result; each can be returned or thrown. */
export class Outcome extends Error {}

/** Counts as a failure; retried after `after` seconds, by default with the job's back-off. */
export class Retry extends Outcome {
  constructor(message?: string, options?: { after?: number; code?: string; details?: unknown });
  readonly after: number | undefined;
  readonly code: string | undefined;
  readonly details: unknown;
}

/** Fails the job permanently: it becomes a dead letter. */
export class Fatal extends Outcome {
  constructor(message?: string, options?: { code?: string; details?: unknown });
  readonly code: string | undefined;
  readonly details: unknown;
}

/** Returns the job to the front of its queue, or after `after` seconds. Not a failure. */
export class Release extends Outcome {
  constructor(options?: { after?: number });
  readonly after: number | undefined;
}

/** An external call will finish the job, by its key or with this attempt's lease token. */
export class HandOff extends Outcome {
  constructor(options?: { timeout?: number });
  readonly timeout: number | undefined;
}

/** The handler stopped because of a cancellation. */
export class Canceled extends Outcome {
  constructor(message?: string);
}

/** The base class of this package's other errors. */
export class LongshoreError extends Error {}

/** The server did not respond. The call may or may not have taken effect. */
export class Unreachable extends LongshoreError {}

/** An error response. `code` is stable and meant for programs, `message` for people. */
export class ApiError extends LongshoreError {
  constructor(status: number, problem: Record<string, unknown>, retryAfter?: number);
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors: { field: string; detail: string }[];
  readonly problem: Record<string, unknown>;
}

/** This attempt no longer holds the job's lease; its outcome is discarded. */
export class LeaseLost extends LongshoreError {}

/** The job had not finished when the wait timed out. */
export class WaitTimeout extends LongshoreError {}

/** The awaited job failed permanently. */
export class JobFailed extends LongshoreError {
  constructor(jobId: string, error?: Partial<JobError>);
  readonly jobId: string;
  /** The job's error: `code` for programs, `detail` for people. */
  readonly code: string | undefined;
  readonly detail: string | undefined;
}

/** The awaited job was canceled or has expired. */
export class JobCanceled extends LongshoreError {
  constructor(jobId: string, error?: Partial<JobError>);
  readonly jobId: string;
  /** The job's error: `code` for programs, `detail` for people. */
  readonly code: string | undefined;
  readonly detail: string | undefined;
}
