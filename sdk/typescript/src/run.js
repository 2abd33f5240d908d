// JobRun: one attempt of a job, as passed to a handler, and its heartbeats.
import { setMaxListeners } from "node:events";

import { ApiError, LeaseLost } from "./errors.js";
import { Canceled, Release } from "./outcomes.js";
import { isTransient } from "./transport.js";

/**
 * @typedef {import("../types.js").JobRun} PublicRun
 * @typedef {import("../types.js").StopReason} StopReason
 * @typedef {{ progress?: number, checkpoint?: unknown, log?: string }} Pending
 */

// The error codes for a lease that the worker no longer holds.
export const leaseGone = new Set(["LEASE_LOST", "ALREADY_SETTLED", "NOT_FOUND"]);

const maxInterval = 5; // seconds between heartbeats; also bounds the delay of a cancellation
const minInterval = 0.1;
const maxResponse = 10; // seconds to wait for the response to a heartbeat
const minLease = 1; // seconds, in case the clocks differ
const logCharacters = 64 * 1024; // the newest are kept, as on the server
const afterDeadline = 0.05; // seconds after which the server has timed the attempt out
const retrySeconds = 1; // until a failed heartbeat is retried

/** @implements {PublicRun} */
export class JobRun {
  #transport;
  #leaseSeconds;
  #beatSeconds;
  #trouble;
  #abort = new AbortController();
  /** @type {StopReason | null} */
  #stopReason = null;
  /** @type {Pending} sent with the next heartbeat */
  #pending = {};
  /** @type {Promise<void>} keeps heartbeats in order */
  #beating = Promise.resolve();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #ended = false;
  #failing = false; // the last heartbeat failed, and this was reported

  /**
   * @param {import("./transport.js").Transport} transport @param {Record<string, any>} lease
   * @param {number | undefined} leaseSeconds @param {(message: string) => void} trouble
   */
  constructor(transport, lease, leaseSeconds, trouble) {
    this.#transport = transport;
    const left = transport.secondsUntil(new Date(lease.leaseExpiresAt));
    this.#leaseSeconds = leaseSeconds ?? Math.max(left, minLease);
    this.#beatSeconds = Math.max(minInterval, Math.min(this.#leaseSeconds / 3, maxInterval));
    this.#trouble = trouble;
    setMaxListeners(0, this.#abort.signal); // a handler may pass it to any number of calls
    /** @type {string} */
    this.jobId = lease.jobId;
    /** @type {string} */
    this.jobType = lease.jobType;
    /** @type {string | null} */
    this.jobKey = lease.jobKey ?? null;
    /** @type {string} */
    this.queue = lease.queue;
    /** @type {any} */
    this.payload = lease.payload ?? null;
    /** @type {number} */
    this.attempt = lease.attempt;
    /** @type {number} */
    this.failures = lease.failures;
    /** @type {number} */
    this.maxRetries = lease.maxRetries;
    /** @type {number} */
    this.fence = lease.fence;
    /** @type {string} */
    this.leaseToken = lease.leaseToken;
    /** @type {import("../types.js").JobError | null} */
    this.lastError = lease.lastError ?? null;
    /** @type {Record<string, string>} */
    this.metadata = lease.metadata ?? {};
    /** @type {import("../types.js").OriginRequest | null} */
    this.request = lease.request ?? null;
    /** @type {string | null} */
    this.traceparent = lease.traceparent ?? null;
    this.createdAt = new Date(lease.createdAt);
    this.deadlineAt = new Date(lease.deadlineAt);
    /** @type {any} */
    this.checkpoint = lease.checkpoint ?? null;
  }

  get signal() {
    return this.#abort.signal;
  }

  get stopReason() {
    return this.#stopReason;
  }

  get lost() {
    return this.#stopReason === "lease lost" || this.#stopReason === "timed out";
  }

  get ended() {
    return this.#ended;
  }

  /** @param {number} percent */
  progress(percent) {
    if (!(percent >= 0 && percent <= 100)) {
      throw new RangeError(`progress must be a number from 0 to 100, got ${percent}`);
    }
    this.#pending.progress = Number(percent);
  }

  /** @param {string} line */
  log(line) {
    const text = `${this.#pending.log ?? ""}${plain(String(line)).replace(/\n$/, "")}\n`;
    this.#pending.log = newest(text);
  }

  /** @param {unknown} checkpoint @param {{ now?: boolean }} [options] */
  save(checkpoint, { now = true } = {}) {
    const saved = this.#save(checkpoint, now);
    saved.catch(() => {}); // a handler that does not await it must not end the process
    return saved;
  }

  /** @param {unknown} checkpoint @param {boolean} now */
  async #save(checkpoint, now) {
    // A copy: the handler may modify the checkpoint afterwards.
    const copy = JSON.parse(JSON.stringify(checkpoint ?? null));
    this.checkpoint = checkpoint;
    this.#pending.checkpoint = copy;
    if (now) await this.beat(this.#leaseSeconds);
  }

  timeLeft() {
    return Math.max(0, (this.deadlineAt.getTime() - Date.now()) / 1000);
  }

  /**
   * Asks the handler to stop. A lost lease overrides every other reason.
   * @param {StopReason} reason
   */
  stop(reason) {
    const losing = reason === "lease lost" || reason === "timed out";
    if (this.#stopReason === null || (losing && !this.lost)) this.#stopReason = reason;
    if (!this.#abort.signal.aborted) this.#abort.abort(outcomeFor(this.jobId, reason));
  }

  /** Sends heartbeats at the job's interval, and one right after its deadline, until end(). */
  keepAlive() {
    const interval = this.#beatSeconds;
    const left = this.timeLeft();
    // Past the deadline, but the server has not timed the attempt out: the clocks differ.
    const next = left > 0 ? left + afterDeadline : retrySeconds;
    this.#beatAfter(Math.min(interval, next));
  }

  /** @param {number} seconds */
  #beatAfter(seconds) {
    if (this.#ended) return;
    this.#timer = setTimeout(async () => {
      try {
        await this.beat();
        this.#failing = false;
        this.keepAlive();
      } catch (error) {
        if (error instanceof LeaseLost) return;
        if (!this.#failing) {
          this.#trouble(`heartbeat for job ${this.jobId} failed, retrying: ${error}`);
        }
        this.#failing = true;
        this.#beatAfter(Math.min(retrySeconds, this.#beatSeconds));
      }
    }, seconds * 1000);
  }

  /** Extends the lease, sends pending data, and learns of cancellations. */
  beat(patience = 0) {
    const beat = this.#beating.then(() => (this.#ended ? undefined : this.#beat(patience)));
    this.#beating = beat.catch(() => {}); // the caller of beat() handles the error
    return beat;
  }

  /** @param {number} patience */
  async #beat(patience) {
    const pending = this.takePending();
    const body = { leaseToken: this.leaseToken, ...pending };
    const timeout = Math.max(1, Math.min(this.#leaseSeconds / 3, maxResponse));
    try {
      const path = `/jobs/${this.jobId}/heartbeat`;
      const answer = await this.#transport.call("POST", path, body, { patience, timeout });
      if (answer.cancelRequested) this.stop("canceled");
    } catch (error) {
      if (error instanceof ApiError && leaseGone.has(error.code)) {
        this.stop(this.timeLeft() === 0 ? "timed out" : "lease lost");
        throw new LeaseLost(`job ${this.jobId}: ${error.message}`);
      }
      // Rejected data is not sent again, except for the log, which is always valid.
      const { log } = pending;
      this.#restore(isTransient(error) ? pending : { ...(log ? { log } : {}) });
      throw error;
    }
  }

  /** Marks the attempt as ended: nothing more is sent for it. True for the first caller. */
  end() {
    const first = !this.#ended;
    this.#ended = true;
    clearTimeout(this.#timer);
    return first;
  }

  /** @returns {Pending} */
  takePending() {
    const pending = this.#pending;
    this.#pending = {};
    return pending;
  }

  /**
   * Puts back data that was not delivered. Newer values win; log lines are concatenated.
   * @param {Pending} pending
   */
  #restore(pending) {
    const log = (pending.log ?? "") + (this.#pending.log ?? "");
    this.#pending = { ...pending, ...this.#pending, ...(log ? { log: newest(log) } : {}) };
  }
}

/** Replaces lone surrogates, which UTF-8 cannot encode. @param {string} text */
export function plain(text) {
  return Buffer.from(text, "utf8").toString("utf8");
}

/** @param {string} log */
function newest(log) {
  return log.length > logCharacters ? plain(log.slice(-logCharacters)) : log;
}

/** @param {string} jobId @param {StopReason} reason */
function outcomeFor(jobId, reason) {
  if (reason === "canceled") return new Canceled();
  if (reason === "worker stopped") return new Release();
  return new LeaseLost(`job ${jobId}: ${reason}`);
}
