// Runs handlers for jobs. What it promises is said in types.d.ts.
import { randomUUID } from "node:crypto";
import os from "node:os";

import { ApiError } from "./errors.js";
import { Release } from "./outcomes.js";
import { JobRun } from "./run.js";
import { Settler, wordFor, wordForThrown } from "./settle.js";
import { firstWord, isPassing, nextWord, now, sleep, Transport } from "./transport.js";
import { version } from "./version.js";

/** @typedef {import("../types.js").Handler} Handler */

const lastPatience = 5; // seconds that a worker that ends waits for a server to answer
const pause = 0.5; // seconds, more or less, between calls that end at once

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
  #wake = () => {}; // the poll, when a slot is free or the worker stops
  #most = 1000; // jobs that one call may ask for

  /** @param {import("../types.js").WorkerOptions} [options] */
  constructor(options = {}) {
    this.#options = {
      queues: options.queues ?? ["default"],
      leaseSeconds: options.leaseSeconds, // undefined: not sent, and by the server's rules
      grace: options.grace ?? 25,
      patience: options.patience ?? 3,
      pollSeconds: options.pollSeconds ?? 20,
    };
    this.concurrency = options.concurrency ?? (os.cpus().length || 1);
    if (!Number.isInteger(this.concurrency) || this.concurrency < 1) {
      throw new RangeError(`concurrency is how many jobs may run at once, not ${this.concurrency}`);
    }
    this.name = options.name ?? `${os.hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
    this.#trouble = options.onTrouble ?? console.error;
    this.#transport = new Transport(options);
    this.#settler = new Settler(this.#transport, options.batchSettle ?? false, this.#trouble);
  }

  /** @param {string} jobType @param {Handler} handler */
  handle(jobType, handler) {
    if (typeof handler !== "function") {
      throw new TypeError(`the handler of ${jobType} is no function: ${handler}`);
    }
    if (this.#handlers.has(jobType)) throw new Error(`${jobType} has a handler already`);
    if (this.#polling) throw new Error("the worker has started");
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
    const heard = () => (++signals === 1 ? asked() : this.#hurry.abort());
    process.on("SIGINT", heard).on("SIGTERM", heard);
    try {
      this.start();
      await Promise.race([firstSignal, this.#polling]);
      const left = await this.stop();
      if (left > 0) process.exit(0); // handlers that go on would keep the process
      return left;
    } finally {
      process.off("SIGINT", heard).off("SIGTERM", heard);
    }
  }

  start() {
    if (this.#handlers.size === 0) throw new Error("a worker without handlers has nothing to do");
    if (this.#polling || this.#stopped) throw new Error("a worker starts once; make another");
    this.#polling = this.#poll();
  }

  stop() {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop() {
    this.#stopping.abort();
    this.#wake();
    await within(lastPatience, this.#polling);
    await this.#idleWithin(this.#options.grace);
    for (const run of this.#runs.keys()) run.stop("worker stopped");
    await this.#idleWithin(this.#options.patience);
    const left = await this.#giveBack();
    this.#settler.stop();
    this.#transport.close();
    if (this.#refused) throw this.#refused;
    return left;
  }

  /** Releases what still runs, and lets what has ended be told; how many were released. */
  async #giveBack() {
    const telling = [...this.#runs].filter(([run]) => run.ended).map(([, ended]) => ended);
    const told = within(lastPatience, Promise.all(telling));
    const running = [...this.#runs.keys()].filter((run) => !run.ended);
    const released = running.map((run) => this.#settler.giveBack(run, lastPatience));
    const [results] = await Promise.all([Promise.all(released), told]);
    return results.filter(Boolean).length;
  }

  /** Waits for handlers to end; not so long if there is a second signal. @param {number} seconds */
  async #idleWithin(seconds) {
    const enough = new AbortController();
    const hurried = () => enough.abort();
    this.#hurry.signal.addEventListener("abort", hurried, { once: true });
    if (this.#hurry.signal.aborted) enough.abort();
    await Promise.race([Promise.all(this.#runs.values()), sleep(seconds, enough.signal)]);
    enough.abort(); // so that no timer is left
    this.#hurry.signal.removeEventListener("abort", hurried);
  }

  async #poll() {
    try {
      while (!this.#stopping.signal.aborted) {
        const free = this.concurrency - this.#runs.size;
        if (free > 0) await this.#pollOnce(Math.min(free, this.#most));
        else await this.#slot();
      }
    } catch (error) {
      this.#refuse(error); // what is asked is no Longshore server
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
    // Whatever does not wait for jobs, we do.
    if (leases.length === 0 && now() - asked < pause) await this.#rest();
  }

  /** @param {number} [atLeast] seconds */
  #rest(atLeast = 0) {
    const seconds = Math.max(pause * (0.5 + Math.random()), Math.min(atLeast, nextWord));
    return sleep(seconds, this.#stopping.signal);
  }

  /**
   * Asks until there is an answer. A repeat is the same request, so no lease gets lost.
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
    for (let patience = firstWord; !leave.aborted; patience = nextWord) {
      try {
        const limits = { timeout: pollSeconds + 15, patience, leave };
        const answer = await this.#transport.call("POST", "/leases", body, limits);
        if (Array.isArray(answer?.leases)) return answer.leases;
        throw new Error(`${this.#transport.server} does not answer as a Longshore server does`);
      } catch (error) {
        if (leave.aborted) break;
        const isMany = error instanceof ApiError && error.errors.some((e) => e.field === "maxJobs");
        if (isMany && this.#most > 1) {
          this.#most = body.maxJobs = 1; // some profiles hand out one at a time
        } else if (isPassing(error)) {
          this.#trouble(`no jobs can be had, asking again: ${error}`);
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
    this.#trouble(`the server refuses this worker: ${error}`);
    this.#refused = error;
    this.#stopping.abort();
  }

  /** @param {Record<string, any>} lease */
  #begin(lease) {
    const run = new JobRun(this.#transport, lease, this.#options.leaseSeconds, this.#trouble);
    run.keepAlive();
    const ended = this.#attempt(run)
      .then((word) => this.#settler.settle(run, word))
      .catch((error) => this.#trouble(`job ${run.jobId}: its outcome was not told: ${error}`))
      .finally(() => {
        this.#runs.delete(run);
        this.#wake();
      });
    this.#runs.set(run, ended);
  }

  /** What to tell of it. @param {JobRun} run */
  async #attempt(run) {
    const handler = this.#handlers.get(run.jobType);
    if (!handler || this.#stopping.signal.aborted) return wordFor(new Release());
    try {
      return wordFor(await handler(run));
    } catch (error) {
      // What is aborted by our signal (a timer, say) throws an error of its own.
      const aborted = error instanceof Error && error.name === "AbortError" && run.signal.aborted;
      return wordForThrown(aborted ? run.signal.reason : error);
    }
  }
}

/** Waits for it, but not for ever. @param {number} seconds @param {Promise<unknown> | null} done */
async function within(seconds, done) {
  const enough = new AbortController();
  await Promise.race([done, sleep(seconds, enough.signal)]);
  enough.abort(); // so that no timer is left
}
