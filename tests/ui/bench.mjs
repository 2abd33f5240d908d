// Measures opening each view on a server with many finished jobs: load time, number of calls, and
// CPU time and bytes read by the server. `./dev bench ui [jobs] [folder]`; the folder is kept, so
// that the next run can reuse its data.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { DashboardPage } from "./dashboard_page.mjs";
import { openBrowser, Server } from "./server.mjs";

const jobs = Number(process.argv[2] ?? 5_000_000);
const kept = process.argv[3];
const backlog = 20_000;
const types = ["email.send", "invoice.render", "image.resize", "search.index"];
const views = [
  "overview",
  "overview?window=24h",
  "jobs",
  "jobs?state=SUCCESS",
  "jobs?state=QUEUED",
  "jobs?state=RUNNING",
  "jobs?jobType=email.send",
  "jobs?queue=lane-0&within=15m",
  "jobs?queue=missing",
  "jobs?jobType=missing",
  "jobs?tag=missing",
  "jobs?jobKey=missing",
  "jobs?error=missing",
  "errors",
  "queues",
  "workers",
  "dead",
  "about",
];

// Four concurrent producers, so that commits are grouped; small batches, so that no request is
// refused for overload.
async function finish(server, count) {
  const began = Date.now();
  const batch = 1000;
  let left = Math.ceil(count / batch);
  let done = 0;
  const work = async (lane) => {
    const queue = `lane-${lane}`;
    while (left-- > 0) {
      const many = Array.from({ length: batch }, (_, i) => ({
        jobType: types[i % types.length],
        queue,
        payload: i,
      }));
      await server.post("/jobs/batch", { jobs: many });
      for (let settled = 0; settled < many.length; ) {
        const leases = await server.lease(queue, batch, `worker-${lane}`);
        await server.settle(leases, () => ({ result: null }));
        settled += leases.length;
      }
      done += many.length;
      if (done % 500_000 === 0) console.log(`${done} jobs finished, ${Date.now() - began} ms`);
    }
  };
  await Promise.all([0, 1, 2, 3].map(work));
}

// Jobs that no worker claims.
async function ensureBacklog(server, queues) {
  if (queues.some((queue) => queue.queue === "backlog")) return;
  const waiting = Array.from({ length: 10_000 }, (_, i) => ({
    jobType: types[i % types.length],
    queue: "backlog",
    tags: ["slow"],
  }));
  for (let i = 0; i < backlog; i += waiting.length) {
    await server.post("/jobs/batch", { jobs: waiting });
  }
}

// CPU time and bytes read by all threads of the server so far.
function spent(server) {
  const own = `/proc/${server.process.pid}`;
  const nanos = readdirSync(`${own}/task`).map((thread) =>
    Number(readFileSync(`${own}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  const io = readFileSync(`${own}/io`, "utf8");
  return {
    millis: nanos.reduce((sum, each) => sum + each, 0) / 1e6,
    kibibytes: Number(/rchar: (\d+)/.exec(io)[1]) / 1024,
  };
}

async function measure(dashboard, server, view, name = view) {
  let calls = 0;
  const counted = (request) => (calls += /\/(ui|events)\b/.test(request.url()) ? 0 : 1);
  dashboard.page.on("request", counted);
  const [before, began] = [spent(server), performance.now()];
  await dashboard.visit(view);
  const took = performance.now() - began;
  const after = spent(server);
  dashboard.page.off("request", counted);
  const work = `${(after.millis - before.millis).toFixed(1)} ms of CPU`;
  const read = `${Math.round(after.kibibytes - before.kibibytes)} KiB read`;
  console.log(
    `${name.padEnd(30)} ${took.toFixed(0).padStart(6)} ms   ${calls} calls, ${work}, ${read}`,
  );
}

// Several gigabytes, next to the data of the other benchmarks.
mkdirSync(kept ?? "build/bench-data", { recursive: true });
const server = await Server.start({ folder: kept ?? mkdtempSync("build/bench-data/ui-") });
const browser = await openBrowser();
try {
  const { queues } = await server.get("/queues");
  const had = queues.reduce((sum, queue) => sum + queue.depth.SUCCESS, 0);
  await finish(server, Math.max(0, jobs - had));
  await ensureBacklog(server, queues);
  const dashboard = await DashboardPage.open(browser, server);
  await dashboard.visit("about"); // fills the browser's cache
  const [{ jobId }] = (await server.get("/jobs?limit=1")).jobs;
  console.log(`\nOpening a view on ${jobs} finished jobs and ${backlog} waiting ones`);
  for (const view of views) await measure(dashboard, server, view);
  await measure(dashboard, server, `jobs/${jobId}`, "jobs/ID");
} finally {
  await browser.close();
  await (kept ? server.stop() : server.remove());
}
