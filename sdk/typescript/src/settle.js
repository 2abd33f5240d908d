// Tells the server how attempts ended.
import { ApiError } from "./errors.js";
import { Canceled, Fatal, HandOff, Release, Retry } from "./outcomes.js";
import { notOurs } from "./run.js";

/**
 * @typedef {import("./run.js").JobRun} JobRun
 * @typedef {{ verb: string, body: Record<string, any> }} Word
 * @typedef {{ run: JobRun, verb: string, body: Record<string, any>, done: () => void }} Line
 */

const traceCharacters = 16 * 1024; // the server takes 64 KiB of details
const batchMax = 1000;
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
  try {
    JSON.stringify(value);
  } catch (error) {
    const message = `the result cannot be JSON: ${error}`;
    return fail({ code: "BAD_RESULT", message }, { retryable: false });
  }
  return { verb: "complete", body: { result: value ?? null } };
}

/** What to tell for what a handler threw. @param {unknown} thrown @returns {Word} */
export function wordForThrown(thrown) {
  const isOutcome = [Release, HandOff, Canceled, Fatal, Retry].some((c) => thrown instanceof c);
  if (isOutcome) return wordFor(thrown);
  if (!(thrown instanceof Error)) return fail({ code: "Error", message: String(thrown) });
  const details = { trace: String(thrown.stack ?? "").slice(0, traceCharacters) };
  return fail({ code: thrown.name || "Error", message: thrown.message || thrown.name, details });
}

/** With `batch`, what ended at about the same time is told in one call. */
export class Settler {
  #transport;
  #batch;
  #trouble;
  /** @type {Line[]} */
  #waiting = [];
  #telling = false;

  /**
   * @param {import("./transport.js").Transport} transport @param {boolean} batch
   * @param {(message: string) => void} trouble
   */
  constructor(transport, batch, trouble) {
    this.#transport = transport;
    this.#batch = batch;
    this.#trouble = trouble;
  }

  /**
   * Tells the outcome of an attempt, once; one that comes too late is dropped. Tries for
   * `patience` seconds, by default for as long as the lease could still hold: what no server could
   * end goes on when one is back.
   * @param {JobRun} run @param {Word} word @param {number} [patience]
   */
  async settle(run, { verb, body }, patience = hope(run)) {
    if (run.lost) {
      run.end();
      return this.#tellLost(run);
    }
    const news = await this.#lastNews(run, verb);
    if (!run.end()) return this.#tellLost(run);
    body = { ...withoutUndefined(body), ...news, leaseToken: run.leaseToken };
    const fits = !["delaySeconds", "checkpoint", "log"].some((name) => name in body);
    if (!this.#batch || !lineMembers.has(verb) || !fits) {
      return this.#tell(run, verb, body, patience);
    }
    return new Promise((/** @type {(value?: undefined) => void} */ done) => {
      this.#waiting.push({ run, verb, body, done });
      if (!this.#telling) this.#tellMany();
    });
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
   * @param {number} patience @param {boolean} [again] @returns {Promise<void>}
   */
  async #tell(run, verb, body, patience, again = true) {
    try {
      await this.#transport.call("POST", `/jobs/${run.jobId}/${verb}`, body, { patience });
    } catch (error) {
      if (error instanceof ApiError && notOurs.has(error.code)) return this.#tellLost(run);
      this.#trouble(`job ${run.jobId}: its ${verb} was not taken: ${error}`);
      if (again && error instanceof ApiError && untellable.has(error.status)) {
        await this.#tell(run, "fail", plainly(verb, body, error), patience, false);
      }
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
    const patience = Math.max(...lines.map(({ run }) => hope(run)));
    /** @type {{ code?: string }[]} */
    let verdicts;
    try {
      const path = "/leases/settle";
      verdicts = (await this.#transport.call("POST", path, { outcomes }, { patience })).verdicts;
    } catch (error) {
      // One by one, so that what is wrong with one is its own affair.
      if (error instanceof ApiError && untellable.has(error.status)) return this.#tellEach(lines);
      for (const { run } of lines) this.#trouble(`job ${run.jobId}: not settled: ${error}`);
      return;
    }
    const refused = lines.filter((_, n) => verdicts[n]?.code !== undefined);
    await this.#tellEach(refused);
  }

  /** @param {Line[]} lines */
  async #tellEach(lines) {
    for (const { run, verb, body } of lines) await this.#tell(run, verb, body, hope(run));
  }

  /** @param {JobRun} run */
  #tellLost(run) {
    this.#trouble(
      `LEASE_LOST: job ${run.jobId}, attempt ${run.attempt} ran on after its lease; ` +
        "its outcome is dropped",
    );
  }
}

/** @param {JobRun} run */
function hope(run) {
  return 2 * run.leaseSeconds + 10;
}

/**
 * @param {{ code: string, message: string, details?: unknown }} error
 * @param {object} [more] @returns {Word}
 */
function fail(error, more = {}) {
  const { code, message, details } = error;
  const told = withoutUndefined({ code: code.slice(0, 128), message: plain(message), details });
  return { verb: "fail", body: { error: told, retryable: true, ...more } };
}

/**
 * A failure in words that no server refuses, for one that was refused as it was.
 * @param {string} verb @param {Record<string, any>} body @param {ApiError} why
 */
function plainly(verb, body, why) {
  const failed = verb === "fail";
  const message = failed ? body.error.message : `the server refused its ${verb}: ${why.message}`;
  const retryable = failed && body.retryable;
  return { error: { code: "BAD_RESULT", message }, retryable, leaseToken: body.leaseToken };
}

/** Without halves of characters, which JSON text can hold and UTF-8 cannot. @param {string} text */
function plain(text) {
  return Buffer.from(text, "utf8").toString("utf8");
}

/** @param {Record<string, any>} members @returns {Record<string, any>} */
function withoutUndefined(members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
