// What opening each view costs a server that has finished many jobs: the time until everything is
// there, the calls it took, and what the server did for them. `./dev bench ui [jobs]`
import { readFileSync } from "node:fs";
import { Desk } from "./desk.mjs";
import { openBrowser, Server } from "./world.mjs";

const jobs = Number(process.argv[2] ?? 5_000_000);
const types = ["email.send", "invoice.render", "image.resize", "search.index"];
const tick = 10; // milliseconds of processor time, as the kernel counts
const views = ["overview", "overview?window=24h", "jobs", "jobs?state=SUCCESS", "errors", "queues"];

// Four at once, so that their commits gather.
async function finish(server, count) {
  const began = Date.now();
  let left = Math.ceil(count / 10_000);
  let done = 0;
  const work = async (lane) => {
    const queue = `lane-${lane}`;
    while (left-- > 0) {
      const many = Array.from({ length: 10_000 }, (_, i) => ({
        jobType: types[i % types.length],
        queue,
        payload: i,
      }));
      await server.post("/jobs/batch", { jobs: many });
      for (let settled = 0; settled < many.length; ) {
        const leases = await server.lease(queue, 1000, `worker-${lane}`);
        await server.settle(leases, () => ({ result: null }));
        settled += leases.length;
      }
      done += many.length;
      if (done % 500_000 < 10_000) console.log(`${done} jobs finished, ${Date.now() - began} ms`);
    }
  };
  await Promise.all([0, 1, 2, 3].map(work));
}

function spent(server) {
  const fields = readFileSync(`/proc/${server.process.pid}/stat`, "utf8").split(") ")[1].split(" ");
  const io = readFileSync(`/proc/${server.process.pid}/io`, "utf8");
  return {
    millis: (Number(fields[11]) + Number(fields[12])) * tick,
    kibibytes: Number(/rchar: (\d+)/.exec(io)[1]) / 1024,
  };
}

async function measure(desk, server, view) {
  let calls = 0;
  const counted = (request) => (calls += /\/(ui|events)\b/.test(request.url()) ? 0 : 1);
  desk.page.on("request", counted);
  const [before, began] = [spent(server), performance.now()];
  await desk.visit(view);
  const took = performance.now() - began;
  const after = spent(server);
  desk.page.off("request", counted);
  const work = `${after.millis - before.millis} ms of processor`;
  const read = `${Math.round(after.kibibytes - before.kibibytes)} KiB read`;
  console.log(
    `${view.padEnd(22)} ${took.toFixed(0).padStart(6)} ms   ${calls} calls, ${work}, ${read}`,
  );
}

const server = await Server.start();
const browser = await openBrowser();
try {
  await finish(server, jobs);
  const desk = await Desk.open(browser, server);
  await desk.visit("about"); // the browser has its files from here on
  const [{ jobId }] = (await server.get("/jobs?limit=1")).jobs;
  console.log(`\nOpening a view on ${jobs} finished jobs`);
  for (const view of [...views, "workers", "dead", "about", `jobs/${jobId}`]) {
    await measure(desk, server, view);
  }
} finally {
  await browser.close();
  await server.remove();
}
