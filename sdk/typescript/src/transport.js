// HTTP calls to the server, with keep-alive connections and retries.
//
// Every call of this package is safe to retry: reads have no effect, enqueues and replies by key
// carry an idempotency key, lease requests carry a request ID, and outcomes are identified by the
// lease token. So a call whose response was lost is sent again, with exponential back-off and
// jitter.
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";

import { ApiError, Unreachable } from "./errors.js";
import { version } from "./version.js";

export const firstWarning = 5; // seconds without a server until a worker reports it
export const nextWarning = 60; // seconds between further reports
const firstPause = 0.1; // seconds
const longestPause = 5;
const longestSleep = 2 ** 31 - 1; // milliseconds; the limit of Node's timers
const repeated = new Set([408, 425, 429, 500, 502, 503, 504, 507]);

/**
 * @typedef {object} CallOptions
 * @property {Record<string, string>} [headers]
 * @property {number} [timeout] seconds to wait for one response
 * @property {number} [patience] seconds to keep retrying
 * @property {AbortSignal} [leave] aborted to end a long poll; a response already sent is still read
 * @property {AbortSignal} [signal] aborted to end the call at once
 *
 * @typedef {object} Reply
 * @property {number} status
 * @property {http.IncomingHttpHeaders} headers
 * @property {string} text
 */

export class Transport {
  #ahead = 0; // upper bound of the server's clock minus ours, in seconds

  /** @param {import("../types.js").ServerOptions} [options] */
  constructor(options = {}) {
    const server = options.server || process.env.LONGSHORE_SERVER || "http://127.0.0.1:7788";
    const token = (options.token || process.env.LONGSHORE_TOKEN || "").trim();
    const caCert = options.caCert || process.env.LONGSHORE_CA_CERT;
    this.server = server;
    if (!/^https?:\/\//i.test(server)) {
      throw new TypeError(`the server URL must begin with http:// or https://, got ${server}`);
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
      throw new TypeError("the token must be one line of printable ASCII");
    }
    if (token) this.headers.Authorization = `Bearer ${token}`;
  }

  close() {
    this.agent.destroy();
  }

  /**
   * Seconds by the server's clock, from its latest Date header; up to one second too few.
   * @param {Date} at
   */
  secondsUntil(at) {
    return (at.getTime() - Date.now()) / 1000 - this.#ahead;
  }

  /**
   * Resolves to the JSON of the response. Rejects with ApiError for an error response, Unreachable
   * if there is no response, and the signal's reason if it was aborted.
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
        if (error instanceof Unreachable) throw error; // a retry cannot help
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
    // The Date header has whole seconds, so the server's clock may be a second ahead of it.
    const date = Date.parse(headers.date ?? "");
    if (!Number.isNaN(date)) this.#ahead = (date - Date.now()) / 1000 + 1;
    if (status >= 400) {
      throw new ApiError(status, problemOf(content), Number(headers["retry-after"]) || 0);
    }
    if (status >= 300) {
      const where = headers.location;
      throw new Unreachable(`${this.server} redirects to ${where} (${status}); is the URL right?`);
    }
    try {
      return content === "" ? null : JSON.parse(content);
    } catch (cause) {
      throw new Error("the response is not JSON; is it a Longshore server?", { cause });
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
        request.destroy(new Error("the server did not respond in time"));
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
        // The server closed the idle connection; retry once on a new one.
        const gone = options.leave?.aborted || options.signal?.aborted;
        if (!request.reusedSocket || late || gone) return reject(error);
        this.#exchange(method, path, text, options).then(resolve, reject);
      });
      request.end(text);
    });
  }
}

/**
 * Only closes the write side of the connection. The server sees that the caller has gone and leases
 * nothing more; a response already sent can still be read, so no lease is lost.
 * @param {http.ClientRequest} request @param {AbortSignal} [leave]
 */
function leaveWhenAsked(request, leave) {
  if (!leave) return () => {};
  const close = () => {
    if (request.socket && !request.socket.connecting) request.socket.end();
    else request.destroy(new Error("the worker is stopping"));
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

/** Seconds of a monotonic clock. */
export function now() {
  return performance.now() / 1000;
}

/** @param {string} content @returns {Record<string, unknown>} */
function problemOf(content) {
  try {
    const problem = JSON.parse(content);
    if (problem !== null && typeof problem === "object") return problem;
  } catch {
    // Not from a Longshore server but, for example, from a proxy.
  }
  return { detail: content.slice(0, 200) };
}

/** True if the same call may succeed later. @param {unknown} error */
export function isTransient(error) {
  if (error instanceof ApiError) return repeated.has(error.status);
  return error instanceof Unreachable;
}

/** @param {unknown} error @returns {string} */
function reasonOf(error) {
  if (!(error instanceof Error)) return String(error);
  // A host with several addresses fails with one error per address and without its own message.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join("; ");
  return error.message || error.name;
}

/** True if the server's certificate is not trusted. @param {unknown} error */
function isDistrust(error) {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY))/.test(code);
}
