// One attempt at a job: what a handler is given, and its heartbeats.
import { setMaxListeners } from "node:events";

import { ApiError, LeaseLost } from "./errors.js";
import { Canceled, Release } from "./outcomes.js";
import { isPassing } from "./transport.js";

/**
 * @typedef {import("../types.js").JobRun} PublicRun
 * @typedef {import("../types.js").StopReason} StopReason
 * @typedef {{ progress?: number, checkpoint?: unknown, log?: string }} News
 */

// What a server says to a worker whose lease is not the job's any more.
export const notOurs = new Set(["LEASE_LOST", "ALREADY_SETTLED", "NOT_FOUND"]);

const beatMost = 5; // seconds between heartbeats, however long the lease: they bring cancellations
const beatLeast = 0.1;
const answerMost = 10; // seconds that the answer to a heartbeat may take
const leaseLeast = 1; // seconds, whatever two clocks make of it
const logCharacters = 64 * 1024; // the newest are kept, as the server does
const afterDeadline = 0.05; // seconds; the server then knows that the attempt has timed out
const soon = 1; // seconds until a beat that failed is tried again

/** @implements {PublicRun} */
export class JobRun {
  #transport;
  #leaseSeconds;
  #beatSeconds;
  #trouble;
  #abort = new AbortController();
  /** @type {StopReason | null} */
  #stopReason = null;
  /** @type {News} what the next beat carries */
  #news = {};
  /** @type {Promise<void>} beats arrive in the order they were made */
  #beating = Promise.resolve();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #ended = false;
  #failing = false; // the last beat failed, which was said

  /**
   * @param {import("./transport.js").Transport} transport @param {Record<string, any>} lease
   * @param {number | undefined} leaseSeconds @param {(message: string) => void} trouble
   */
  constructor(transport, lease, leaseSeconds, trouble) {
    this.#transport = transport;
    const left = transport.secondsUntil(new Date(lease.leaseExpiresAt));
    this.#leaseSeconds = leaseSeconds ?? Math.max(left, leaseLeast);
    this.#beatSeconds = Math.max(beatLeast, Math.min(this.#leaseSeconds / 3, beatMost));
    this.#trouble = trouble;
    setMaxListeners(0, this.#abort.signal); // a handler may hand it to any number of calls
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
      throw new RangeError(`progress is a number from 0 to 100, not ${percent}`);
    }
    this.#news.progress = Number(percent);
  }

  /** @param {string} line */
  log(line) {
    const text = `${this.#news.log ?? ""}${plain(String(line)).replace(/\n$/, "")}\n`;
    this.#news.log = newest(text);
  }

  /** @param {unknown} checkpoint @param {{ now?: boolean }} [options] */
  save(checkpoint, { now = true } = {}) {
    const saved = this.#save(checkpoint, now);
    saved.catch(() => {}); // a handler that does not await it must not end the process
    return saved;
  }

  /** @param {unknown} checkpoint @param {boolean} now */
  async #save(checkpoint, now) {
    // As it is now; the handler may go on changing it.
    const told = JSON.parse(JSON.stringify(checkpoint ?? null));
    this.checkpoint = checkpoint;
    this.#news.checkpoint = told;
    if (now) await this.beat(this.#leaseSeconds);
  }

  timeLeft() {
    return Math.max(0, (this.deadlineAt.getTime() - Date.now()) / 1000);
  }

  /**
   * Asks the handler to give up. A lost lease outdoes every other reason.
   * @param {StopReason} reason
   */
  stop(reason) {
    const losing = reason === "lease lost" || reason === "timed out";
    if (this.#stopReason === null || (losing && !this.lost)) this.#stopReason = reason;
    if (!this.#abort.signal.aborted) this.#abort.abort(outcomeFor(this.jobId, reason));
  }

  /** Beats in the job's rhythm and once the deadline has passed, until end(). */
  keepAlive() {
    const interval = this.#beatSeconds;
    const left = this.timeLeft();
    // Past the deadline and yet not told so: the two clocks differ.
    this.#beatAfter(left > 0 ? Math.min(interval, left + afterDeadline) : Math.min(interval, soon));
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
          this.#trouble(`no heartbeat for job ${this.jobId}, trying again: ${error}`);
        }
        this.#failing = true;
        this.#beatAfter(Math.min(soon, this.#beatSeconds));
      }
    }, seconds * 1000);
  }

  /** Extends the lease, carries the news, and hears of cancellations. */
  beat(patience = 0) {
    const beat = this.#beating.then(() => (this.#ended ? undefined : this.#beat(patience)));
    this.#beating = beat.catch(() => {}); // whoever asked for the beat hears of it
    return beat;
  }

  /** @param {number} patience */
  async #beat(patience) {
    const news = this.takeNews();
    const body = { leaseToken: this.leaseToken, ...news };
    const timeout = Math.max(1, Math.min(this.#leaseSeconds / 3, answerMost));
    try {
      const path = `/jobs/${this.jobId}/heartbeat`;
      const answer = await this.#transport.call("POST", path, body, { patience, timeout });
      if (answer.cancelRequested) this.stop("canceled");
    } catch (error) {
      if (error instanceof ApiError && notOurs.has(error.code)) {
        this.stop(this.timeLeft() === 0 ? "timed out" : "lease lost");
        throw new LeaseLost(`job ${this.jobId}: ${error.message}`);
      }
      // What the server refuses is not sent again, but the log is never at fault.
      const { log } = news;
      this.#giveBack(isPassing(error) ? news : { ...(log ? { log } : {}) });
      throw error;
    }
  }

  /** From now on nothing more is told about this attempt. True for the first who asks. */
  end() {
    const first = !this.#ended;
    this.#ended = true;
    clearTimeout(this.#timer);
    return first;
  }

  /** @returns {News} */
  takeNews() {
    const news = this.#news;
    this.#news = {};
    return news;
  }

  /** What is newer wins, but no line of the log gets lost. @param {News} news */
  #giveBack(news) {
    const log = (news.log ?? "") + (this.#news.log ?? "");
    this.#news = { ...news, ...this.#news, ...(log ? { log: newest(log) } : {}) };
  }
}

/** Without halves of characters, which JSON text can hold and UTF-8 cannot. @param {string} text */
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
