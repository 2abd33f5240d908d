// The worker: runs handlers. types.d.ts documents it.
import { randomUUID } from "node:crypto";
import os from "node:os";

import { ApiError } from "./errors.js";
import { Release } from "./outcomes.js";
import { JobRun } from "./run.js";
import { Settler, reportFor, reportForThrown } from "./settle.js";
import { firstWarning, isTransient, nextWarning, now, sleep, Transport } from "./transport.js";
import { version } from "./version.js";

/** @typedef {import("../types.js").Handler} Handler */

const stopPatience = 5; // seconds that a stopping worker waits for the server
const pause = 0.5; // seconds, with jitter, between polls that return at once

export class Worker {
  #options;
  #transport;
  #settler;
  #trouble;
  /** @type {Map<string, Handler>} */
  #handlers = new Map();
  /** @type {Map<JobRun, Promise<void>>} */
  #runs = new Map();
  #stopping = new AbortController();
  #hurry = new AbortController();
  /** @type {Promise<void> | null} */
  #polling = null;
  /** @type {Promise<number> | null} */
  #stopped = null;
  /** @type {unknown} */
  #refused = null;
  #wake = () => {}; // wakes the poll loop when a slot is free or the worker stops
  #maxJobs = 1000; // per lease request

  /** @param {import("../types.js").WorkerOptions} [options] */
  constructor(options = {}) {
    this.#options = {
      queues: options.queues ?? ["default"],
      leaseSeconds: options.leaseSeconds, // undefined: not sent; the server's rules apply
      grace: options.grace ?? 25,
      patience: options.patience ?? 3,
      pollSeconds: options.pollSeconds ?? 20,
    };
    this.concurrency = options.concurrency ?? (os.cpus().length || 1);
    if (!Number.isInteger(this.concurrency) || this.concurrency < 1) {
      throw new RangeError(`concurrency must be an integer of at least 1, got ${this.concurrency}`);
    }
    this.name = options.name ?? `${os.hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
    this.#trouble = options.onTrouble ?? console.error;
    this.#transport = new Transport(options);
    this.#settler = new Settler(this.#transport, options.batchSettle ?? false, this.#trouble);
  }

  /** @param {string} jobType @param {Handler} handler */
  handle(jobType, handler) {
    if (typeof handler !== "function") {
      throw new TypeError(`the handler of ${jobType} is not a function: ${handler}`);
    }
    if (this.#handlers.has(jobType)) throw new Error(`${jobType} already has a handler`);
    if (this.#polling) throw new Error("add handlers before the worker starts");
    this.#handlers.set(jobType, handler);
    return this;
  }

  async run() {
    /** @type {() => void} */
    let asked = () => {};
    const firstSignal = new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
      asked = resolve;
    });
    let signals = 0;
    const onSignal = () => (++signals === 1 ? asked() : this.#hurry.abort());
    process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
    try {
      this.start();
      await Promise.race([firstSignal, this.#polling]);
      const left = await this.stop();
      if (left > 0) process.exit(0); // running handlers would keep the process alive
      return left;
    } finally {
      process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
    }
  }

  start() {
    if (this.#handlers.size === 0) {
      throw new Error("the worker has no handlers; add one before starting it");
    }
    if (this.#polling || this.#stopped) {
      throw new Error("a worker can start only once; create another");
    }
    this.#polling = this.#poll();
  }

  stop() {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop() {
    this.#stopping.abort();
    this.#wake();
    await within(stopPatience, this.#polling);
    await this.#idleWithin(this.#options.grace);
    for (const run of this.#runs.keys()) run.stop("worker stopped");
    await this.#idleWithin(this.#options.patience);
    const left = await this.#giveBack();
    this.#settler.stop();
    this.#transport.close();
    if (this.#refused) throw this.#refused;
    return left;
  }

  /** Releases running jobs and lets ended ones report; returns how many were released. */
  async #giveBack() {
    const reporting = [...this.#runs].filter(([run]) => run.ended).map(([, ended]) => ended);
    const reported = within(stopPatience, Promise.all(reporting));
    const running = [...this.#runs.keys()].filter((run) => !run.ended);
    const released = running.map((run) => this.#settler.giveBack(run, stopPatience));
    const [results] = await Promise.all([Promise.all(released), reported]);
    return results.filter(Boolean).length;
  }

  /** Waits for handlers to end; returns early on a second signal. @param {number} seconds */
  async #idleWithin(seconds) {
    const enough = new AbortController();
    const hurried = () => enough.abort();
    this.#hurry.signal.addEventListener("abort", hurried, { once: true });
    if (this.#hurry.signal.aborted) enough.abort();
    await Promise.race([Promise.all(this.#runs.values()), sleep(seconds, enough.signal)]);
    enough.abort(); // clears the timer
    this.#hurry.signal.removeEventListener("abort", hurried);
  }

  async #poll() {
    try {
      while (!this.#stopping.signal.aborted) {
        const free = this.concurrency - this.#runs.size;
        if (free > 0) await this.#pollOnce(Math.min(free, this.#maxJobs));
        else await this.#slot();
      }
    } catch (error) {
      this.#refuse(error); // not a Longshore server
    }
  }

  /** @returns {Promise<void>} */
  #slot() {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  /** @param {number} wanted */
  async #pollOnce(wanted) {
    const asked = now();
    const leases = await this.#lease(wanted);
    for (const lease of leases) this.#begin(lease);
    // The server did not long-poll.
    if (leases.length === 0 && now() - asked < pause) await this.#rest();
  }

  /** @param {number} [atLeast] seconds */
  #rest(atLeast = 0) {
    const seconds = Math.max(pause * (0.5 + Math.random()), Math.min(atLeast, nextWarning));
    return sleep(seconds, this.#stopping.signal);
  }

  /**
   * Retries until the server responds, with the same request ID, so that no lease is lost.
   * @param {number} wanted @returns {Promise<Record<string, any>[]>}
   */
  async #lease(wanted) {
    const { queues, leaseSeconds, pollSeconds } = this.#options;
    const leave = this.#stopping.signal;
    const body = {
      workerId: this.name,
      queues,
      jobTypes: [...this.#handlers.keys()],
      maxJobs: wanted,
      waitSeconds: pollSeconds,
      leaseSeconds,
      requestId: randomUUID(),
      worker: { slots: this.concurrency, host: os.hostname(), version: `js/${version}` },
    };
    for (let patience = firstWarning; !leave.aborted; patience = nextWarning) {
      try {
        const limits = { timeout: pollSeconds + 15, patience, leave };
        const answer = await this.#transport.call("POST", "/leases", body, limits);
        if (Array.isArray(answer?.leases)) return answer.leases;
        throw new Error(`${this.#transport.server} did not respond like a Longshore server`);
      } catch (error) {
        if (leave.aborted) break;
        const isMany = error instanceof ApiError && error.errors.some((e) => e.field === "maxJobs");
        if (isMany && this.#maxJobs > 1) {
          this.#maxJobs = body.maxJobs = 1; // some profiles lease one job per request
        } else if (isTransient(error)) {
          this.#trouble(`could not lease jobs, retrying: ${error}`);
          await this.#rest(error instanceof ApiError ? error.retryAfter : 0);
        } else {
          this.#refuse(error);
        }
      }
    }
    return [];
  }

  /** @param {unknown} error */
  #refuse(error) {
    this.#trouble(`the server rejected this worker: ${error}`);
    this.#refused = error;
    this.#stopping.abort();
  }

  /** @param {Record<string, any>} lease */
  #begin(lease) {
    const run = new JobRun(this.#transport, lease, this.#options.leaseSeconds, this.#trouble);
    run.keepAlive();
    const ended = this.#attempt(run)
      .then((report) => this.#settler.settle(run, report))
      .catch((error) => this.#trouble(`job ${run.jobId}: could not report its outcome: ${error}`))
      .finally(() => {
        this.#runs.delete(run);
        this.#wake();
      });
    this.#runs.set(run, ended);
  }

  /** Runs the handler and returns what to report. @param {JobRun} run */
  async #attempt(run) {
    const handler = this.#handlers.get(run.jobType);
    if (!handler || this.#stopping.signal.aborted) return reportFor(new Release());
    try {
      return reportFor(await handler(run));
    } catch (error) {
      // A call aborted by our signal (for example a timer) throws its own AbortError.
      const aborted = error instanceof Error && error.name === "AbortError" && run.signal.aborted;
      return reportForThrown(aborted ? run.signal.reason : error);
    }
  }
}

/** Waits with a timeout. @param {number} seconds @param {Promise<unknown> | null} done */
async function within(seconds, done) {
  const enough = new AbortController();
  await Promise.race([done, sleep(seconds, enough.signal)]);
  enough.abort(); // clears the timer
}
