// A real server with jobs in every state, and a browser.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const program = process.env.LONGSHORE_PROGRAM ?? "build/longshore";
const browserProgram = process.env.LONGSHORE_CHROMIUM ?? "/usr/bin/chromium";
export const screenshots = process.env.LONGSHORE_SCREENSHOTS ?? "build/screenshots";
export const patience = 60_000;

export class Server {
  static async start({ args = [], folder, port = 0 } = {}) {
    const own = folder ?? mkdtempSync(join(tmpdir(), "longshore-ui-"));
    const server = new Server(own);
    server.args = args;
    await server.run(port);
    return server;
  }

  constructor(folder) {
    this.folder = folder;
    this.agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
  }

  // Resolves when the log contains the server's URL.
  run(port) {
    const store = `sqlite:${this.folder}/jobs.db`;
    this.process = spawn(
      program,
      [
        "serve",
        "--store",
        store,
        "--listen",
        `127.0.0.1:${port}`,
        "--log-format",
        "json",
        ...this.args,
      ],
      { stdio: ["ignore", "ignore", "pipe"], env: { PATH: process.env.PATH } },
    );
    this.ended = new Promise((resolve) => this.process.once("exit", resolve));
    return new Promise((resolve, reject) => {
      const lines = [];
      createInterface({ input: this.process.stderr }).on("line", (line) => {
        lines.push(line);
        const entry = JSON.parse(line);
        if (!entry.url) return;
        this.url = entry.url;
        this.port = Number(new URL(entry.url).port);
        resolve();
      });
      this.ended.then(() => reject(new Error(`the server exited: ${lines.join("\n")}`)));
    });
  }

  async stop() {
    this.process.kill("SIGTERM");
    await this.ended;
  }

  async restart() {
    await this.run(this.port);
  }

  async remove() {
    await this.stop();
    this.agent.destroy();
    rmSync(this.folder, { recursive: true, force: true });
  }

  call(method, path, body, headers = {}) {
    const text =
      body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
    if (text !== undefined) headers = { "Content-Type": "application/json", ...headers };
    if (this.token) headers = { Authorization: `Bearer ${this.token}`, ...headers };
    return new Promise((resolve, reject) => {
      const request = http.request(
        this.url + path,
        { method, headers, agent: this.agent },
        (answer) => {
          const parts = [];
          answer.on("data", (part) => parts.push(part));
          answer.on("end", () => {
            const whole = Buffer.concat(parts);
            resolve({
              status: answer.statusCode,
              headers: answer.headers,
              bytes: whole,
              text: whole.toString(),
            });
          });
        },
      );
      request.on("error", reject);
      request.end(text);
    });
  }

  async get(path) {
    const answer = await this.call("GET", path);
    if (answer.status >= 300) throw new Error(`GET ${path}: ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text);
  }

  async post(path, body = {}) {
    const answer = await this.call("POST", path, body);
    if (answer.status >= 300)
      throw new Error(`POST ${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
    return JSON.parse(answer.text);
  }

  details(id) {
    return this.get(`/jobs/${id}/details`);
  }

  async enqueue(job) {
    return (await this.post("/jobs", { jobType: "SAMPLE", ...job })).jobId;
  }

  async lease(queue, maxJobs = 1, workerId = "crane-1") {
    const worker = { slots: 8, host: "quay", version: "1.2" };
    const body = { workerId, queues: [queue], maxJobs, leaseSeconds: 600, worker };
    return (await this.post("/leases", body)).leases;
  }

  settle(leases, outcome) {
    const outcomes = leases.map((lease, i) => ({
      jobId: lease.jobId,
      leaseToken: lease.leaseToken,
      ...outcome(i),
    }));
    return this.post("/leases/settle", { outcomes });
  }
}

const types = ["email.send", "invoice.render", "image.resize", "search.index", "webhook.deliver"];

async function enqueueMany(server, count, make) {
  const atOnce = 5000;
  for (let made = 0; made < count; made += atOnce) {
    const jobs = Array.from({ length: Math.min(atOnce, count - made) }, (_, i) => make(made + i));
    await server.post("/jobs/batch", { jobs });
  }
}

async function settleMany(server, queue, count, outcome, workerId) {
  for (let done = 0; done < count; ) {
    const leases = await server.lease(queue, Math.min(1000, count - done), workerId);
    if (leases.length === 0) throw new Error(`${queue} is empty after ${done} of ${count}`);
    await server.settle(leases, outcome);
    done += leases.length;
  }
}

const failure = (i) => ({
  error:
    i % 3 === 0
      ? { code: "SMTP_TIMEOUT", message: `no answer from mx${i % 7}.example.org after 30 s` }
      : {
          code: "BOUNCED",
          message: `mailbox "user-${i}" does not exist\nRCPT TO: 550`,
          details: { smtp: 550 },
        },
});

// Creates about `size` jobs, in every state.
export async function fill(server, size) {
  const tags = ["eu", "us", "bulk"];
  const job =
    (queue, extra = {}) =>
    (i) => ({
      jobType: types[i % types.length],
      queue,
      tags: [tags[i % tags.length]],
      payload: { number: i, to: `user-${i}@example.org` },
      ...extra,
    });
  const succeed = Math.round(size * 0.7);
  await enqueueMany(server, succeed, job("mail"));
  await settleMany(server, "mail", succeed, (i) => ({ result: { sent: i } }), "crane-1");
  const die = Math.round(size * 0.05);
  await enqueueMany(server, die, job("press", { maxRetries: 0 }));
  await settleMany(server, "press", die, failure, "crane-2");
  const retry = Math.round(size * 0.02);
  await enqueueMany(server, retry, job("media", { backoff: { kind: "fixed", baseSeconds: 3600 } }));
  await settleMany(server, "media", retry, failure, "crane-2");
  await enqueueMany(server, Math.round(size * 0.05), job("reports", { delaySeconds: 7200 }));
  await enqueueMany(server, Math.round(size * 0.18), job("backlog"));
  return { succeed, die, retry };
}

export async function openBrowser() {
  mkdirSync(screenshots, { recursive: true });
  return chromium.launch({
    executablePath: browserProgram,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--force-color-profile=srgb",
    ],
  });
}
