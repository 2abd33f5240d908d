// The client: enqueues jobs, queries and waits for them. types.d.ts documents each call.
import { randomUUID } from "node:crypto";

import { ApiError, JobCanceled, JobFailed, WaitTimeout } from "./errors.js";
import { now, Transport } from "./transport.js";

/**
 * @typedef {import("../types.js").Job} Job
 * @typedef {import("../types.js").NewJob} NewJob
 * @typedef {import("../types.js").Status} Status
 */

const longestWait = 30; // seconds per long poll; the server allows 60
const finished = new Set(["COMPLETED", "FAILED", "CANCELED"]);

export class Client {
  #transport;
  #patience;

  /** @param {import("../types.js").ServerOptions & { patience?: number }} [options] */
  constructor(options = {}) {
    this.#transport = new Transport(options);
    this.#patience = options.patience ?? 30;
  }

  close() {
    this.#transport.close();
  }

  /**
   * @param {string} jobType @param {unknown} [payload]
   * @param {import("../types.js").JobOptions} [options]
   * @returns {Promise<import("../types.js").Enqueued>}
   */
  enqueue(jobType, payload = null, options = {}) {
    return this.#call("POST", "/jobs", repeatable({ ...options, jobType, payload }, randomUUID()));
  }

  /** @param {NewJob[]} jobs @returns {Promise<import("../types.js").Enqueued[]>} */
  async enqueueBatch(jobs) {
    const batch = randomUUID();
    const body = { jobs: jobs.map((job, n) => repeatable(job, `${batch}:${n}`)) };
    return (await this.#call("POST", "/jobs/batch", body)).jobs;
  }

  /** @param {string} jobId */
  async get(jobId) {
    return jobOf(await this.#call("GET", jobPath(jobId)));
  }

  /** @param {string} jobType @param {string} jobKey */
  async find(jobType, jobKey) {
    return jobOf(await this.#call("GET", keyPath(jobType, jobKey)));
  }

  /** @param {string} jobId @param {import("../types.js").WaitOptions} [options] */
  async wait(jobId, { timeout = Infinity, signal } = {}) {
    const end = now() + timeout;
    signal?.throwIfAborted();
    for (;;) {
      const left = Math.max(0, end - now());
      const seconds = Math.min(left, longestWait);
      const path = `${jobPath(jobId)}?waitSeconds=${seconds.toFixed(3)}`;
      const patience = Math.min(left, this.#patience);
      const limits = { timeout: this.#transport.timeout + seconds, patience, signal };
      const job = jobOf(await this.#call("GET", path, undefined, limits));
      if (finished.has(job.status)) return job;
      if (now() >= end) {
        throw new WaitTimeout(`job ${jobId} is ${job.status} after ${timeout} seconds`);
      }
    }
  }

  /** @param {string} jobId @param {import("../types.js").WaitOptions} [options] */
  async result(jobId, options) {
    await this.wait(jobId, options);
    try {
      const signal = options?.signal;
      return await this.#call("GET", `${jobPath(jobId)}/result`, undefined, { signal });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const cause = /** @type {{ code?: string, message?: string }} */ (error.problem.error ?? {});
      if (error.code === "JOB_FAILED") throw new JobFailed(jobId, cause);
      if (error.code === "JOB_CANCELED") throw new JobCanceled(jobId, cause);
      throw error;
    }
  }

  /** @param {string} jobId @param {{ force?: boolean }} [options] @returns {Promise<Status>} */
  async cancel(jobId, { force = false } = {}) {
    return (await this.#call("POST", `${jobPath(jobId)}/cancel`, { force })).status;
  }

  /**
   * @param {string} jobId @param {import("../types.js").RedriveOptions} [options]
   * @returns {Promise<import("../types.js").Enqueued>}
   */
  redrive(jobId, options = {}) {
    return this.#call("POST", `${jobPath(jobId)}/redrive`, options);
  }

  /**
   * @param {string} jobType @param {string} jobKey @param {unknown} [result]
   * @param {import("../types.js").FinishOptions} [options]
   */
  completeByKey(jobType, jobKey, result = null, { fence } = {}) {
    return this.#finish(`${keyPath(jobType, jobKey)}/complete`, { result, fence });
  }

  /**
   * @param {string} jobType @param {string} jobKey @param {import("../types.js").JobError} error
   * @param {import("../types.js").FinishOptions & { retryable?: boolean }} [options]
   */
  failByKey(jobType, jobKey, error, { retryable = true, fence } = {}) {
    return this.#finish(`${keyPath(jobType, jobKey)}/fail`, { error, retryable, fence });
  }

  /** @param {string} path @param {object} body @returns {Promise<Status>} */
  async #finish(path, body) {
    const headers = { "Idempotency-Key": randomUUID() };
    return (await this.#call("POST", path, body, { headers })).status;
  }

  /**
   * @param {string} method @param {string} path @param {unknown} [body]
   * @param {import("./transport.js").CallOptions} [options]
   */
  #call(method, path, body, options = {}) {
    return this.#transport.call(method, path, body, { patience: this.#patience, ...options });
  }
}

/**
 * Adds an idempotency key if the caller gave none, so that a retry is safe.
 * @param {NewJob} job @param {string} key
 */
function repeatable(job, key) {
  return { ...job, payload: job.payload ?? null, idempotencyKey: job.idempotencyKey ?? key };
}

/** @param {Record<string, any>} body @returns {Job} */
function jobOf(body) {
  const job = { ...body };
  for (const name of ["createdAt", "updatedAt", "runAt", "startedAt", "completedAt"]) {
    if (job[name] !== undefined) job[name] = new Date(job[name]);
  }
  return /** @type {Job} */ (/** @type {unknown} */ (job));
}

/** @param {string} jobId */
function jobPath(jobId) {
  return `/jobs/${encodeURIComponent(jobId)}`;
}

/** @param {string} jobType @param {string} jobKey */
function keyPath(jobType, jobKey) {
  return `/types/${encodeURIComponent(jobType)}/keys/${encodeURIComponent(jobKey)}`;
}
