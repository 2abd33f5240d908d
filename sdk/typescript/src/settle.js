// Tells the server how attempts ended.
import { setMaxListeners } from "node:events";
import { inspect } from "node:util";

import { ApiError, Unreachable } from "./errors.js";
import { Canceled, Fatal, HandOff, Release, Retry } from "./outcomes.js";
import { notOurs, plain } from "./run.js";
import { firstWord, isPassing, nextWord, sleep } from "./transport.js";

/**
 * @typedef {import("./run.js").JobRun} JobRun
 * @typedef {{ verb: string, body: Record<string, any> }} Word
 * @typedef {{ run: JobRun, verb: string, body: Record<string, any>, done: () => void }} Line
 */

const traceCharacters = 16 * 1024; // the server takes 64 KiB of details
const messageCharacters = 8 * 1024; // the server keeps 8 KiB of a message
const bodyBytes = 2 * 1024 * 1024; // no server takes a larger request
const batchMax = 1000;
const away = new Set([429, 502, 503, 504]); // nobody could listen
const notInProfile = "NOT_IN_PROFILE"; // what a server answers that knows no hand-off
const untellable = new Set([400, 413, 422]); // the words themselves are at fault
// Which member of a line in a batch says what a route says.
const lineMembers = new Set(["complete", "fail", "release"]);

/** What to tell for what a handler returned. @param {unknown} value @returns {Word} */
export function wordFor(value) {
  if (value instanceof Release) return { verb: "release", body: { delaySeconds: value.after } };
  if (value instanceof HandOff) return { verb: "handoff", body: { timeoutSeconds: value.timeout } };
  if (value instanceof Canceled) return fail({ code: "CANCELED", message: value.message });
  if (value instanceof Fatal) {
    const { code = "FATAL", message, details } = value;
    return fail({ code, message, details }, { retryable: false });
  }
  if (value instanceof Retry) {
    const { code = "RETRY", message, details, after } = value;
    return fail({ code, message, details }, { retryAfterSeconds: after });
  }
  if (value instanceof Error) return wordForThrown(value);
  const wrong = wrongWith(value);
  if (wrong) return fail({ code: "BAD_RESULT", message: wrong }, { retryable: false });
  return { verb: "complete", body: { result: value ?? null } };
}

/** Why it cannot be a result. @param {unknown} value @returns {string | undefined} */
function wrongWith(value) {
  try {
    const size = Buffer.byteLength(JSON.stringify(value) ?? "null");
    return size > bodyBytes ? `a result of ${size} bytes is too large` : undefined;
  } catch (error) {
    return `the result cannot be JSON: ${error}`;
  }
}

/** What to tell for what a handler threw. @param {unknown} thrown @returns {Word} */
export function wordForThrown(thrown) {
  const isOutcome = [Release, HandOff, Canceled, Fatal, Retry].some((c) => thrown instanceof c);
  if (isOutcome) return wordFor(thrown);
  if (!(thrown instanceof Error)) return fail({ code: "Error", message: textOf(thrown) });
  const details = { trace: plain(textOf(thrown.stack ?? "").slice(0, traceCharacters)) };
  const code = textOf(thrown.name) || "Error";
  return fail({ code, message: textOf(thrown.message) || code, details });
}

/** With `batch`, what ended at about the same time is told in one call. */
export class Settler {
  #transport;
  #batch;
  #trouble;
  /** @type {Line[]} */
  #waiting = [];
  #telling = false;
  #ended = new AbortController();

  /**
   * @param {import("./transport.js").Transport} transport @param {boolean} batch
   * @param {(message: string) => void} trouble
   */
  constructor(transport, batch, trouble) {
    this.#transport = transport;
    this.#batch = batch;
    this.#trouble = trouble;
    setMaxListeners(0, this.#ended.signal); // one for each outcome that is told
  }

  /** Whatever nobody has heard by now is given up. */
  stop() {
    this.#ended.abort();
  }

  /**
   * Tells the outcome of an attempt, once; one that comes too late is dropped. Tries until there is
   * an answer or the worker ends: a lease that no server could end holds on when one is back.
   * @param {JobRun} run @param {Word} word
   */
  async settle(run, { verb, body }) {
    if (run.lost) {
      run.end();
      return this.#tellLost(run);
    }
    const news = await this.#lastNews(run, verb);
    if (!run.end()) return this.#tellLost(run);
    body = { ...withoutUndefined(body), ...news, leaseToken: run.leaseToken };
    const fits = !["delaySeconds", "checkpoint", "log"].some((name) => name in body);
    if (!this.#batch || !lineMembers.has(verb) || !fits) {
      return this.#tell(run, verb, body);
    }
    return new Promise((/** @type {(value?: undefined) => void} */ done) => {
      this.#waiting.push({ run, verb, body, done });
      if (!this.#telling) this.#tellMany();
    });
  }

  /**
   * Releases a job whose handler goes on. False if it has ended, and its outcome is told.
   * @param {JobRun} run @param {number} patience
   */
  async giveBack(run, patience) {
    if (!run.end()) return false;
    const body = { ...(await this.#lastNews(run, "release")), leaseToken: run.leaseToken };
    await this.#tell(run, "release", body, patience);
    return true;
  }

  /**
   * What the attempt had still to say, as far as this word can carry it.
   * @param {JobRun} run @param {string} verb
   */
  async #lastNews(run, verb) {
    const { checkpoint, log } = run.takeNews();
    if (checkpoint !== undefined && verb !== "complete" && verb !== "release") {
      try {
        await run.save(checkpoint);
      } catch (error) {
        this.#trouble(`job ${run.jobId}: its checkpoint was not saved: ${error}`);
      }
    }
    return withoutUndefined({
      checkpoint: verb === "release" ? checkpoint : undefined,
      log: verb === "handoff" ? undefined : log,
    });
  }

  /**
   * @param {JobRun} run @param {string} verb @param {Record<string, any>} body
   * @param {number} [patience] @param {boolean} [again] @returns {Promise<void>}
   */
  async #tell(run, verb, body, patience, again = true) {
    try {
      await this.#post(`/jobs/${run.jobId}/${verb}`, body, patience);
    } catch (error) {
      if (error instanceof ApiError && notOurs.has(error.code)) return this.#tellLost(run);
      this.#trouble(`job ${run.jobId}: its ${verb} was not taken: ${error}`);
      if (again && isUntellable(error)) {
        const word = plainly(verb, body, error);
        await this.#tell(run, word.verb, word.body, patience, word.verb !== "fail");
      }
    }
  }

  /**
   * The answer. With no `patience` it waits for one until the worker ends.
   * @param {string} path @param {object} body @param {number} [patience]
   */
  async #post(path, body, patience) {
    if (patience !== undefined) {
      const limits = { patience, timeout: Math.max(1, patience) };
      return this.#transport.call("POST", path, body, limits);
    }
    const { signal } = this.#ended;
    for (let word = firstWord; ; word = nextWord) {
      try {
        return await this.#transport.call("POST", path, body, { patience: word, signal });
      } catch (error) {
        const isAway =
          error instanceof Unreachable || (error instanceof ApiError && away.has(error.status));
        const isTried = word === nextWord && !isAway; // a server that cannot, and is there
        if (isTried || signal.aborted || !isPassing(error)) throw error;
        this.#trouble(`an outcome cannot be told yet (${path}): ${error}`);
      }
      await sleep(0.5 + Math.random(), signal);
    }
  }

  async #tellMany() {
    this.#telling = true;
    while (this.#waiting.length > 0) {
      // What else ends in this turn of the event loop goes with it.
      await new Promise((resolve) => setImmediate(resolve));
      const lines = this.#waiting.splice(0, batchMax);
      await this.#tellLines(lines);
      for (const line of lines) line.done();
    }
    this.#telling = false;
  }

  /** @param {Line[]} lines */
  async #tellLines(lines) {
    const outcomes = lines.map(({ run, verb, body }) => {
      return { jobId: run.jobId, ...body, ...(verb === "release" ? { release: true } : {}) };
    });
    /** @type {{ code?: string }[]} */
    let verdicts;
    try {
      const path = "/leases/settle";
      verdicts = (await this.#post(path, { outcomes })).verdicts;
    } catch (error) {
      // One by one, so that what is wrong with one is its own affair.
      if (isUntellable(error)) return this.#tellEach(lines);
      for (const { run } of lines) this.#trouble(`job ${run.jobId}: not settled: ${error}`);
      return;
    }
    const refused = lines.filter((_, n) => verdicts[n]?.code !== undefined);
    await this.#tellEach(refused);
  }

  /** @param {Line[]} lines */
  async #tellEach(lines) {
    for (const { run, verb, body } of lines) await this.#tell(run, verb, body);
  }

  /** @param {JobRun} run */
  #tellLost(run) {
    this.#trouble(
      `LEASE_LOST: job ${run.jobId}, attempt ${run.attempt} ran on after its lease; ` +
        "its outcome is dropped",
    );
  }
}

/**
 * @param {{ code: string, message: string, details?: unknown }} error
 * @param {object} [more] @returns {Word}
 */
function fail(error, more = {}) {
  const code = plain(String(error.code).slice(0, 128));
  const message = plain(textOf(error.message).slice(0, messageCharacters));
  const told = withoutUndefined({ code, message, details: tellable(error.details) });
  return { verb: "fail", body: { error: told, retryable: true, ...more } };
}

/**
 * What to tell instead of what was refused as it was; a failure is never refused again.
 * @param {string} verb @param {Record<string, any>} body @param {unknown} why @returns {Word}
 */
function plainly(verb, body, why) {
  const { checkpoint, ...others } = body;
  if (checkpoint !== undefined) return { verb, body: others };
  if (why instanceof ApiError && why.code === notInProfile) {
    // For good: another attempt would repeat what the handler has already asked of others.
    const message = `the handler's hand-off was refused: ${why.detail}`;
    const word = fail({ code: notInProfile, message }, { retryable: false });
    return { verb: word.verb, body: { ...word.body, leaseToken: body.leaseToken } };
  }
  const failed = verb === "fail";
  const message = failed ? body.error.message : `the server refused its ${verb}: ${why}`;
  const isLarge = failed && why instanceof ApiError && why.status === 413; // so are its details
  const error = { code: isLarge ? body.error.code : "BAD_RESULT", message };
  const { leaseToken, log } = body;
  const told = { error, retryable: failed && body.retryable, leaseToken, log };
  return { verb: "fail", body: withoutUndefined(told) };
}

/** Whether no repeating would help, but other words might. @param {unknown} error */
function isUntellable(error) {
  if (!(error instanceof ApiError)) return error instanceof TypeError;
  return untellable.has(error.status) || error.code === notInProfile;
}

/** The details, or what they look like if JSON cannot say them. @param {unknown} details */
function tellable(details) {
  try {
    JSON.stringify(details);
    return details;
  } catch {
    return plain(textOf(details).slice(0, traceCharacters));
  }
}

/** Some text for whatever a handler throws. @param {unknown} value */
function textOf(value) {
  try {
    return typeof value === "string" ? value : inspect(value);
  } catch {
    return "something that has no text";
  }
}

/** @param {Record<string, any>} members @returns {Record<string, any>} */
function withoutUndefined(members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
