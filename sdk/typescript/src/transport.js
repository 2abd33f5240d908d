// Calls to a server: connections that are kept, and calls that are repeated.
//
// Every call this package makes may be repeated: reading changes nothing, enqueues and replies by
// key carry an idempotency key, leases a request id, and a worker's word is recognised by its
// token. So a call whose answer was lost is sent again, after a pause that grows and is never the
// same for two workers.
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";

import { ApiError, Unreachable } from "./errors.js";
import { version } from "./version.js";

export const firstWord = 5; // seconds in which a worker finds no server until it says so, and
export const nextWord = 60; // until it says so again
const firstPause = 0.1; // seconds
const longestPause = 5;
const longestSleep = 2 ** 31 - 1; // milliseconds that a timer of Node can hold
const repeated = new Set([408, 425, 429, 500, 502, 503, 504, 507]);

/**
 * @typedef {object} CallOptions
 * @property {Record<string, string>} [headers]
 * @property {number} [timeout] seconds that one answer may take
 * @property {number} [patience] seconds in which it is tried again
 * @property {AbortSignal} [leave] aborted when nobody waits for the answer any more
 * @property {AbortSignal} [signal] aborted when the call is to be given up at once
 *
 * @typedef {object} Reply
 * @property {number} status
 * @property {http.IncomingHttpHeaders} headers
 * @property {string} text
 */

export class Transport {
  #ahead = 0; // seconds by which the server's clock is ahead of ours, at most

  /** @param {import("../types.js").ServerOptions} [options] */
  constructor(options = {}) {
    const server = options.server || process.env.LONGSHORE_SERVER || "http://127.0.0.1:7788";
    const token = (options.token || process.env.LONGSHORE_TOKEN || "").trim();
    const caCert = options.caCert || process.env.LONGSHORE_CA_CERT;
    this.server = server;
    if (!/^https?:\/\//i.test(server)) {
      throw new TypeError(`a server's address begins with http:// or https://, not ${server}`);
    }
    this.url = new URL(server);
    this.timeout = options.timeout ?? 30;
    this.base = this.url.pathname.replace(/\/+$/, "");
    const secure = this.url.protocol === "https:";
    const trust = secure && caCert ? { ca: readFileSync(caCert) } : {};
    this.library = secure ? https : http;
    this.agent = new this.library.Agent({ keepAlive: true, maxFreeSockets: 32, ...trust });
    /** @type {Record<string, string>} */
    this.headers = { Accept: "application/json", "User-Agent": `longshore-js/${version}` };
    if (/[^\x20-\x7e]/.test(token)) {
      throw new TypeError("a token is one line of ASCII; this one is not");
    }
    if (token) this.headers.Authorization = `Bearer ${token}`;
  }

  close() {
    this.agent.destroy();
  }

  /**
   * By the server's clock as its latest answer told it; up to a second too few.
   * @param {Date} at
   */
  secondsUntil(at) {
    return (at.getTime() - Date.now()) / 1000 - this.#ahead;
  }

  /**
   * The JSON of a good answer. Rejects with ApiError for a refusal, Unreachable if there was no
   * answer, and the signal's reason if it was given up.
   * @param {string} method @param {string} path @param {unknown} [body]
   * @param {CallOptions} [options] @returns {Promise<any>}
   */
  async call(method, path, body, options = {}) {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const end = now() + (options.patience ?? 0);
    for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
      let wait = pause * (0.5 + Math.random());
      /** @type {Error} */
      let failure;
      try {
        return await this.#once(method, path, text, options);
      } catch (error) {
        options.signal?.throwIfAborted();
        if (error instanceof Unreachable) throw error; // which no repeating would change
        if (error instanceof ApiError) {
          if (!repeated.has(error.status)) throw error;
          wait = Math.max(wait, error.retryAfter * (1 + 0.2 * Math.random()));
          failure = error;
        } else {
          failure = new Unreachable(`${this.server}: ${reasonOf(error)}`, { cause: error });
          if (isDistrust(error)) throw failure;
        }
      }
      if (options.leave?.aborted || now() + wait > end) throw failure;
      await sleep(wait, options.leave ?? options.signal);
      options.signal?.throwIfAborted();
    }
  }

  /**
   * @param {string} method @param {string} path @param {string | undefined} text
   * @param {CallOptions} options @returns {Promise<any>}
   */
  async #once(method, path, text, options) {
    const { status, headers, text: content } = await this.#exchange(method, path, text, options);
    // Answers tell whole seconds, so the server's clock may be a second further.
    const date = Date.parse(headers.date ?? "");
    if (!Number.isNaN(date)) this.#ahead = (date - Date.now()) / 1000 + 1;
    if (status >= 400) {
      throw new ApiError(status, problemOf(content), Number(headers["retry-after"]) || 0);
    }
    if (status >= 300) {
      const where = headers.location;
      throw new Unreachable(`${this.server} answers ${status} to ${where}: is that its address?`);
    }
    try {
      return content === "" ? null : JSON.parse(content);
    } catch (cause) {
      throw new Error("its answer is no JSON; is it a Longshore server?", { cause });
    }
  }

  /**
   * @param {string} method @param {string} path @param {string | undefined} text
   * @param {CallOptions} options @returns {Promise<Reply>}
   */
  #exchange(method, path, text, options) {
    /** @type {Record<string, string | number>} */
    const headers = { ...this.headers, ...options.headers };
    if (text !== undefined) {
      headers["Content-Type"] = "application/json";
      headers["Content-Length"] = Buffer.byteLength(text);
    }
    return new Promise((resolve, reject) => {
      const request = this.library.request({
        hostname: this.url.hostname.replace(/^\[|\]$/g, ""),
        port: this.url.port || undefined,
        path: this.base + path,
        method,
        headers,
        agent: this.agent,
        timeout: (options.timeout ?? this.timeout) * 1000,
        signal: options.signal,
      });
      let late = false;
      const unwatch = leaveWhenAsked(request, options.leave);
      request.on("timeout", () => {
        late = true;
        request.destroy(new Error("no answer in time"));
      });
      request.on("response", (response) => {
        let content = "";
        response.setEncoding("utf8");
        response.on("data", (part) => (content += part));
        response.on("error", (error) => {
          unwatch();
          reject(error);
        });
        response.on("end", () => {
          const { statusCode: status = 0, headers: got } = response;
          unwatch();
          resolve({ status, headers: got, text: content });
        });
      });
      request.on("error", (error) => {
        unwatch();
        // The server has closed what was idle; a new connection tells the truth.
        const gone = options.leave?.aborted || options.signal?.aborted;
        if (!request.reusedSocket || late || gone) return reject(error);
        this.#exchange(method, path, text, options).then(resolve, reject);
      });
      request.end(text);
    });
  }
}

/**
 * Closes the connection for writing alone. The server then sees that the caller has gone and hands
 * out nothing; what it had already answered can still be read, so no lease gets lost.
 * @param {http.ClientRequest} request @param {AbortSignal} [leave]
 */
function leaveWhenAsked(request, leave) {
  if (!leave) return () => {};
  const close = () => {
    if (request.socket && !request.socket.connecting) request.socket.end();
    else request.destroy(new Error("not wanted any more"));
  };
  leave.addEventListener("abort", close, { once: true });
  return () => leave.removeEventListener("abort", close);
}

/** @param {number} seconds @param {AbortSignal} [leave] @returns {Promise<void>} */
export function sleep(seconds, leave) {
  return new Promise((resolve) => {
    if (leave?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      leave?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(seconds * 1000, longestSleep));
    leave?.addEventListener("abort", done);
  });
}

/** Seconds, of a clock that never goes back. */
export function now() {
  return performance.now() / 1000;
}

/** @param {string} content @returns {Record<string, unknown>} */
function problemOf(content) {
  try {
    const problem = JSON.parse(content);
    if (problem !== null && typeof problem === "object") return problem;
  } catch {
    // It does not come from a Longshore server; a proxy, say.
  }
  return { detail: content.slice(0, 200) };
}

/** Whether the same call may succeed later on. @param {unknown} error */
export function isPassing(error) {
  if (error instanceof ApiError) return repeated.has(error.status);
  return error instanceof Unreachable;
}

/** @param {unknown} error @returns {string} */
function reasonOf(error) {
  if (!(error instanceof Error)) return String(error);
  // A name with several addresses fails with one error for each, and with no message of its own.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join("; ");
  return error.message || error.name;
}

/** Whether the other side's certificate was refused. @param {unknown} error */
function isDistrust(error) {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY))/.test(code);
}
