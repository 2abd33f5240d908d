// Reports the outcomes of attempts to the server.
import { setMaxListeners } from "node:events";
import { inspect } from "node:util";

import { ApiError, Unreachable } from "./errors.js";
import { Canceled, Fatal, HandOff, Release, Retry } from "./outcomes.js";
import { leaseGone, plain } from "./run.js";
import { firstWarning, isTransient, nextWarning, sleep } from "./transport.js";

/**
 * @typedef {import("./run.js").JobRun} JobRun
 * @typedef {{ verb: string, body: Record<string, any> }} Report
 * @typedef {{ run: JobRun, verb: string, body: Record<string, any>, done: () => void }} Line
 */

const traceCharacters = 16 * 1024; // the server accepts 64 KiB of details
const messageCharacters = 8 * 1024; // the server keeps 8 KiB of a message
const bodyBytes = 2 * 1024 * 1024; // the server's limit for a request body
const batchMax = 1000;
const unavailable = new Set([429, 502, 503, 504]); // overloaded or unreachable
const notInProfile = "NOT_IN_PROFILE"; // the error code if the profile does not support hand-offs
const invalidRequest = new Set([400, 413, 422]); // statuses for a request that is never accepted
// The routes whose requests a batch can carry.
const batchVerbs = new Set(["complete", "fail", "release"]);

/** The request for what a handler returned. @param {unknown} value @returns {Report} */
export function reportFor(value) {
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
  if (value instanceof Error) return reportForThrown(value);
  const wrong = wrongWith(value);
  if (wrong) return fail({ code: "BAD_RESULT", message: wrong }, { retryable: false });
  return { verb: "complete", body: { result: value ?? null } };
}

/** Why it cannot be a result. @param {unknown} value @returns {string | undefined} */
function wrongWith(value) {
  try {
    const size = Buffer.byteLength(JSON.stringify(value) ?? "null");
    return size > bodyBytes ? `the result is too large: ${size} bytes` : undefined;
  } catch (error) {
    return `the result cannot be serialized as JSON: ${error}`;
  }
}

/** The request for what a handler threw. @param {unknown} thrown @returns {Report} */
export function reportForThrown(thrown) {
  const isOutcome = [Release, HandOff, Canceled, Fatal, Retry].some((c) => thrown instanceof c);
  if (isOutcome) return reportFor(thrown);
  if (!(thrown instanceof Error)) return fail({ code: "Error", message: textOf(thrown) });
  const details = { trace: plain(textOf(thrown.stack ?? "").slice(0, traceCharacters)) };
  const code = textOf(thrown.name) || "Error";
  return fail({ code, message: textOf(thrown.message) || code, details });
}

/** With `batch`, sends the outcomes of many attempts in one call. */
export class Settler {
  #transport;
  #batch;
  #trouble;
  /** @type {Line[]} */
  #waiting = [];
  #sending = false;
  #ended = new AbortController();

  /**
   * @param {import("./transport.js").Transport} transport @param {boolean} batch
   * @param {(message: string) => void} trouble
   */
  constructor(transport, batch, trouble) {
    this.#transport = transport;
    this.#batch = batch;
    this.#trouble = trouble;
    setMaxListeners(0, this.#ended.signal); // one per outcome that is being sent
  }

  /** Discards outcomes that are not reported by now. */
  stop() {
    this.#ended.abort();
  }

  /**
   * Sends the outcome of an attempt once; discards it if the lease was lost. Retries until the
   * server responds or the worker ends: a lease that expires while no server runs is extended when
   * one is back.
   * @param {JobRun} run @param {Report} report
   */
  async settle(run, { verb, body }) {
    if (run.lost) {
      run.end();
      return this.#reportLost(run);
    }
    const pending = await this.#lastPending(run, verb);
    if (!run.end()) return this.#reportLost(run);
    body = { ...withoutUndefined(body), ...pending, leaseToken: run.leaseToken };
    const fits = !["delaySeconds", "checkpoint", "log"].some((name) => name in body);
    if (!this.#batch || !batchVerbs.has(verb) || !fits) {
      return this.#send(run, verb, body);
    }
    return new Promise((/** @type {(value?: undefined) => void} */ done) => {
      this.#waiting.push({ run, verb, body, done });
      if (!this.#sending) this.#sendBatches();
    });
  }

  /**
   * Releases a job whose handler is still running. False if its outcome is being sent.
   * @param {JobRun} run @param {number} patience
   */
  async giveBack(run, patience) {
    if (!run.end()) return false;
    const body = { ...(await this.#lastPending(run, "release")), leaseToken: run.leaseToken };
    await this.#send(run, "release", body, patience);
    return true;
  }

  /**
   * The pending data that this request can carry.
   * @param {JobRun} run @param {string} verb
   */
  async #lastPending(run, verb) {
    const { checkpoint, log } = run.takePending();
    if (checkpoint !== undefined && verb !== "complete" && verb !== "release") {
      try {
        await run.save(checkpoint);
      } catch (error) {
        this.#trouble(`job ${run.jobId}: could not save its checkpoint: ${error}`);
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
  async #send(run, verb, body, patience, again = true) {
    try {
      await this.#post(`/jobs/${run.jobId}/${verb}`, body, patience);
    } catch (error) {
      if (error instanceof ApiError && leaseGone.has(error.code)) return this.#reportLost(run);
      this.#trouble(`job ${run.jobId}: could not report its ${verb}: ${error}`);
      if (again && isInvalid(error)) {
        const report = simplified(verb, body, error);
        await this.#send(run, report.verb, report.body, patience, report.verb !== "fail");
      }
    }
  }

  /**
   * Returns the response. Without `patience` it retries until the worker ends.
   * @param {string} path @param {object} body @param {number} [patience]
   */
  async #post(path, body, patience) {
    if (patience !== undefined) {
      const limits = { patience, timeout: Math.max(1, patience) };
      return this.#transport.call("POST", path, body, limits);
    }
    const { signal } = this.#ended;
    for (let triedFor = firstWarning; ; triedFor = nextWarning) {
      try {
        return await this.#transport.call("POST", path, body, { patience: triedFor, signal });
      } catch (error) {
        // A server that still responds with errors by now will not recover soon.
        const isFailing = triedFor === nextWarning && !isUnavailable(error);
        if (isFailing || signal.aborted || !isTransient(error)) throw error;
        this.#trouble(`could not report an outcome yet (${path}), retrying: ${error}`);
      }
      await sleep(0.5 + Math.random(), signal);
    }
  }

  async #sendBatches() {
    this.#sending = true;
    while (this.#waiting.length > 0) {
      // Include outcomes of the same turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      const lines = this.#waiting.splice(0, batchMax);
      await this.#sendBatch(lines);
      for (const line of lines) line.done();
    }
    this.#sending = false;
  }

  /** @param {Line[]} lines */
  async #sendBatch(lines) {
    const outcomes = lines.map(({ run, verb, body }) => {
      return { jobId: run.jobId, ...body, ...(verb === "release" ? { release: true } : {}) };
    });
    /** @type {{ code?: string }[]} */
    let verdicts;
    try {
      const path = "/leases/settle";
      verdicts = (await this.#post(path, { outcomes })).verdicts;
    } catch (error) {
      // One by one, so that an invalid outcome does not affect the others.
      if (isInvalid(error)) return this.#sendEach(lines);
      for (const { run } of lines) {
        this.#trouble(`job ${run.jobId}: could not report its outcome: ${error}`);
      }
      return;
    }
    const refused = lines.filter((_, n) => verdicts[n]?.code !== undefined);
    await this.#sendEach(refused);
  }

  /** @param {Line[]} lines */
  async #sendEach(lines) {
    for (const { run, verb, body } of lines) await this.#send(run, verb, body);
  }

  /** @param {JobRun} run */
  #reportLost(run) {
    this.#trouble(
      `LEASE_LOST: job ${run.jobId}, attempt ${run.attempt} no longer holds the lease; ` +
        "its outcome is discarded",
    );
  }
}

/**
 * @param {{ code: string, message: string, details?: unknown }} error
 * @param {object} [more] @returns {Report}
 */
function fail(error, more = {}) {
  const code = plain(String(error.code).slice(0, 128));
  const message = plain(textOf(error.message).slice(0, messageCharacters));
  const sent = withoutUndefined({ code, message, details: serializable(error.details) });
  return { verb: "fail", body: { error: sent, retryable: true, ...more } };
}

/**
 * A simpler request to send after a rejection; it ends with a failure that is always valid.
 * @param {string} verb @param {Record<string, any>} body @param {unknown} why @returns {Report}
 */
function simplified(verb, body, why) {
  const { checkpoint, ...others } = body;
  if (checkpoint !== undefined) return { verb, body: others };
  if (why instanceof ApiError && why.code === notInProfile) {
    // Permanent: another attempt would repeat the handler's calls to other systems.
    const message = `the handler's hand-off was refused: ${why.detail}`;
    const report = fail({ code: notInProfile, message }, { retryable: false });
    return { verb: report.verb, body: { ...report.body, leaseToken: body.leaseToken } };
  }
  const failed = verb === "fail";
  const message = failed ? body.error.message : `the server rejected the ${verb} request: ${why}`;
  // The details were too large.
  const isLarge = failed && why instanceof ApiError && why.status === 413;
  const error = { code: isLarge ? body.error.code : "BAD_RESULT", message };
  const { leaseToken, log } = body;
  const sent = { error, retryable: failed && body.retryable, leaseToken, log };
  return { verb: "fail", body: withoutUndefined(sent) };
}

/** True if the server is overloaded or unreachable. @param {unknown} error */
function isUnavailable(error) {
  return error instanceof ApiError ? unavailable.has(error.status) : error instanceof Unreachable;
}

/** True if a retry cannot help, but a different request might. @param {unknown} error */
function isInvalid(error) {
  if (!(error instanceof ApiError)) return error instanceof TypeError;
  return invalidRequest.has(error.status) || error.code === notInProfile;
}

/** The details, or their text if they cannot be serialized as JSON. @param {unknown} details */
function serializable(details) {
  try {
    JSON.stringify(details);
    return details;
  } catch {
    return plain(textOf(details).slice(0, traceCharacters));
  }
}

/** The text of any thrown value. @param {unknown} value */
function textOf(value) {
  try {
    return typeof value === "string" ? value : inspect(value);
  } catch {
    return "a value without text";
  }
}

/** @param {Record<string, any>} members @returns {Record<string, any>} */
function withoutUndefined(members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
