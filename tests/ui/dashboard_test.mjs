// Every view and action of the dashboard, in a real browser on a real server with 100,000 jobs.
// Each action on the page is verified through the API.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DashboardPage } from "./dashboard_page.mjs";
import { fill, openBrowser, Server } from "./server.mjs";

const size = Number(process.env.LONGSHORE_UI_JOBS ?? 100_000);
let server;
let browser;
let dashboard;
let made;

before(async () => {
  [server, browser] = await Promise.all([Server.start(), openBrowser()]);
  made = await fill(server, size);
  dashboard = await DashboardPage.open(browser, server);
});

after(async () => {
  await dashboard?.faultless();
  await browser?.close();
  await server?.remove();
});

const jobsIn = (path) => server.get(path).then((page) => page.jobs);

test("the overview shows the server's counts", async () => {
  await dashboard.visit("overview");
  await dashboard.see("h1", "Overview");
  await dashboard.see(".figure:has-text('Dead letters')", made.die.toLocaleString("en-US"));
  await dashboard.see(".chart .u-over", undefined, 4);
  for (const span of ["6h", "24h", "1h"]) {
    await dashboard.page.click(`.switch button:text-is('${span}')`);
    await dashboard.see(`.figure:has-text('Finished in ${span}')`);
    assert.match(dashboard.page.url(), new RegExp(`window=${span}`));
  }
  await dashboard.see(".panel:has(h2:text-is('Backlog'))", "backlog");
  await dashboard.see(".panel:has(h2:text-is('Most failures')) tbody tr");
  await dashboard.clean("overview");
});

test("the overview warns about jobs without a worker", async () => {
  await dashboard.visit("overview");
  await dashboard.see(".warnings li", "No worker for email.send in queue backlog");
});

test("live activity shows transitions as they happen", async () => {
  await dashboard.visit("overview");
  await dashboard.see(".stream.live");
  const id = await server.enqueue({ jobType: "live.one", queue: "live" });
  await dashboard.see(`.now a[href$='${id}']`, "live.one");
  const [lease] = await server.lease("live");
  await dashboard.see(".now li:has-text('live.one') .badge", "running");
  await server.post(`/jobs/${id}/complete`, { leaseToken: lease.leaseToken });
  await dashboard.see(".now li:has-text('live.one') .badge", "success");
});

test("the URL stores the filter", async () => {
  await dashboard.visit("jobs?state=DEAD&queue=press&tag=eu&jobType=email.send&error=SMTP_TIMEOUT");
  const expected = await jobsIn(
    "/jobs?state=DEAD&queue=press&tag=eu&jobType=email.send&error=SMTP_TIMEOUT&limit=50",
  );
  assert.ok(expected.length > 0);
  await dashboard.see(`tr[data-job='${expected[0].jobId}']`);
  await dashboard.list(expected.map((job) => job.jobId));
  const [clear, last] = await Promise.all(
    [".filter button", ".filter select >> nth=-1"].map((part) =>
      dashboard.page.locator(part).boundingBox(),
    ),
  );
  assert.ok(Math.abs(clear.y - last.y) < 5, "the filter bar is one line");
  await dashboard.page.selectOption(".filter select >> nth=0", "SUCCESS");
  await dashboard.page.fill("input[name=queue]", "mail");
  await dashboard.page.fill("input[name=error]", "");
  await dashboard.page.waitForFunction(() => location.hash.includes("state=SUCCESS"));
  await dashboard.page.waitForFunction(() => location.hash.includes("queue=mail"));
  await dashboard.page.waitForFunction(() => !location.hash.includes("error="));
  const next = await jobsIn("/jobs?state=SUCCESS&queue=mail&tag=eu&jobType=email.send&limit=1");
  await dashboard.see(`tr[data-job='${next[0].jobId}']`);
  await dashboard.page.goBack();
  await dashboard.clean("jobs");
});

test("a job key or a job ID finds its job", async () => {
  const id = await server.enqueue({ jobType: "keyed", queue: "keys", jobKey: "order-7" });
  await dashboard.visit("jobs");
  await dashboard.page.fill("input[name=jobKey]", "order-7");
  await dashboard.see(`tr[data-job='${id}']`);
  await dashboard.list([id]);
  await dashboard.page.fill("input[name=jobKey]", id);
  await dashboard.see("h1", "keyed");
});

test("a list does not move while jobs arrive", async () => {
  await dashboard.visit("jobs");
  await dashboard.see(".stream.live");
  const before = await dashboard.rows();
  const id = await server.enqueue({ jobType: "newcomer", queue: "live" });
  await dashboard.see(".toolbar button", "Show 1 new job");
  assert.deepEqual(await dashboard.rows(), before);
  await dashboard.page.click(".toolbar button >> nth=0");
  await dashboard.see(`tr[data-job='${id}']`);
  await dashboard.page.click("text=Older →");
  await dashboard.page.waitForFunction(
    (first) => !document.querySelector(`[data-job='${first}']`),
    id,
  );
  const expected = await server.get("/jobs?limit=50");
  const older = await server.get(`/jobs?limit=50&cursor=${expected.nextCursor}`);
  await dashboard.list(older.jobs.map((job) => job.jobId));
  await dashboard.page.click("text=← Newer");
  await dashboard.see(`tr[data-job='${id}']`);
});

test("the choice of columns is saved", async () => {
  await dashboard.visit("jobs");
  await dashboard.page.click("text=Columns");
  await dashboard.page.check("text=Priority");
  await dashboard.page.uncheck(".menu >> text=Tags");
  await dashboard.see("th", "Priority");
  await dashboard.page.reload();
  await dashboard.see("th:text-is('Priority')");
  assert.equal(await dashboard.page.locator("th:text-is('Tags')").count(), 0);
  await dashboard.page.evaluate(() => localStorage.removeItem("longshore-columns"));
  await dashboard.page.reload();
});

test("keyboard shortcuts navigate a list", async () => {
  await dashboard.visit("jobs?queue=backlog");
  const [first, second] = await dashboard.rows();
  await dashboard.page.keyboard.press("j");
  await dashboard.see(`tr.at[data-job='${first}']`);
  await dashboard.page.keyboard.press("j");
  await dashboard.see(`tr.at[data-job='${second}']`);
  await dashboard.page.keyboard.press("k");
  await dashboard.see(`tr.at[data-job='${first}']`);
  await dashboard.page.keyboard.press("x");
  await dashboard.see(`tr.picked[data-job='${first}']`);
  await dashboard.see(".bulk", "1 selected");
  await dashboard.page.keyboard.press("/");
  await dashboard.page.waitForFunction(() => document.activeElement?.matches(".filter input"));
  await dashboard.page.keyboard.press("Escape");
  await dashboard.page.waitForFunction(() => !document.activeElement?.matches(".filter input"));
  await dashboard.page.keyboard.press("?");
  await dashboard.see("dialog[open] h2", "Keyboard shortcuts");
  await dashboard.clean("keyboard");
  await dashboard.page.keyboard.press("Escape");
  await dashboard.page.waitForFunction(() => !document.querySelector("dialog[open]"));
  await dashboard.page.keyboard.press("Enter");
  await dashboard.page.waitForFunction((id) => location.hash.endsWith(id), first);
});

test("no key is lost when keys arrive faster than the page is drawn", async () => {
  await dashboard.visit("jobs?queue=backlog");
  const [first] = await dashboard.rows();
  await dashboard.type("j", "x");
  await dashboard.see(`tr.at.picked[data-job='${first}']`);
  await dashboard.type("?", "Escape");
  await dashboard.see("dialog", undefined, 0);
  await dashboard.see(".bulk", "1 selected");
  await dashboard.page.keyboard.press("?");
  await dashboard.see("dialog[open]");
  await dashboard.type("Escape", "Enter");
  await dashboard.page.waitForFunction((id) => location.hash.endsWith(id), first);
  await dashboard.visit("jobs");
  const [newest] = await dashboard.rows();
  await dashboard.page.keyboard.press("1");
  await dashboard.see("h1", "Overview");
  await dashboard.type("2", "j");
  await dashboard.see(`tr.at[data-job='${newest}']`);
  await dashboard.page.keyboard.press("1");
  await dashboard.see("h1", "Overview");
  await dashboard.type("/", "h", "i");
  assert.equal(await dashboard.page.locator("input[name=jobType]").inputValue(), "hi");
});

test("two filters that apply at the same moment are both kept", async () => {
  await dashboard.visit("jobs");
  await dashboard.page.evaluate(() => {
    for (const [name, value] of [
      ["queue", "mail"],
      ["tag", "eu"],
    ]) {
      const input = document.querySelector(`input[name=${name}]`);
      input.value = value;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    }
    // A busy page: both pauses in typing end before it handles anything else.
    for (const end = performance.now() + 600; performance.now() < end; );
  });
  await dashboard.page.waitForFunction(() => /queue=mail.*tag=eu/.test(location.hash));
});

test("selected jobs are canceled and redriven", async () => {
  const ids = [];
  for (let i = 0; i < 3; i += 1)
    ids.push(await server.enqueue({ jobType: "picked", queue: "picks" }));
  await dashboard.visit("jobs?queue=picks");
  await dashboard.see(".stream.live");
  await dashboard.page.check("[aria-label='Select this page']");
  await dashboard.page.click(".bulk >> text=Cancel");
  await dashboard.see("dialog h2", "Cancel 3 jobs?");
  await dashboard.page.click("dialog .danger");
  await dashboard.see(".notices", "3 jobs canceled");
  for (const id of ids) assert.equal((await server.details(id)).state, "CANCELED");
  await dashboard.see(`tr[data-job='${ids[0]}'] .badge`, "canceled");
  await dashboard.page.check(`[aria-label='Select ${ids[0]}']`);
  await dashboard.page.click(".bulk >> text=Redrive");
  await dashboard.page.click("dialog .primary");
  await dashboard.see(".notices", "1 job redriven");
  const successor = (await server.details(ids[0])).successorId;
  assert.equal((await server.details(successor)).redriveOf, ids[0]);
});

test("all matching jobs are counted and canceled with progress, without later ones", async () => {
  const of = async () =>
    (await server.get("/queues")).queues.find((queue) => queue.queue === "backlog").depth;
  const waiting = (await of()).QUEUED;
  assert.equal(waiting, size * 0.18);
  await dashboard.visit("jobs?queue=backlog&state=QUEUED");
  await dashboard.page.check("[aria-label='Select this page']");
  await dashboard.page.click("text=Select all matching");
  await dashboard.see(".bulk", `Cancel all ${waiting.toLocaleString("en-US")}`);
  const late = await server.enqueue({ jobType: "late", queue: "backlog" });
  await dashboard.clean("bulk");
  await dashboard.page.click(".bulk button:has-text('Cancel all')");
  // However fast the server is, progress shows.
  const release = await dashboard.hold("**/jobs/cancel");
  await dashboard.page.click("dialog .danger");
  await dashboard.see(".bulk progress");
  await release();
  await dashboard.see(".notices", `${waiting.toLocaleString("en-US")} jobs canceled`);
  const after = await of();
  assert.equal(after.CANCELED, waiting);
  assert.equal((await server.details(late)).state, "QUEUED", "it was created after the count");
});

test("dead letters are redriven by filter", async () => {
  const filter = { queue: "press", jobType: "image.resize", error: "SMTP_TIMEOUT" };
  const dry = () => server.post("/dead/redrive", { filter, limit: 10_000, dryRun: true });
  const { matching } = await dry();
  assert.ok(matching > 0);
  await dashboard.visit("dead?" + new URLSearchParams(filter));
  await dashboard.clean("dead");
  await dashboard.page.check("[aria-label='Select this page']");
  await dashboard.page.click("text=Select all matching");
  const all = matching.toLocaleString("en-US");
  await dashboard.page.click(`.bulk button:has-text('Redrive all ${all}')`);
  await dashboard.page.click("dialog .primary");
  await dashboard.see(".notices", `${matching.toLocaleString("en-US")} jobs redriven`);
  assert.equal((await dry()).matching, 0);
});

test("errors are grouped, and a group is redriven", async () => {
  await dashboard.visit("errors?jobType=webhook.deliver");
  const groups = (await server.get("/errors")).errors.filter(
    (g) => g.jobType === "webhook.deliver",
  );
  await dashboard.see(".groups li", undefined, groups.length);
  await dashboard.see(".groups .spark rect:not(.zero)");
  await dashboard.clean("errors");
  const group = groups.find((each) => each.code === "BOUNCED");
  const filter = { jobType: group.jobType, fingerprint: group.fingerprint };
  const dry = () => server.post("/dead/redrive", { filter, limit: 10_000, dryRun: true });
  const others = { jobType: group.jobType, error: "SMTP_TIMEOUT" };
  const left = () => server.post("/dead/redrive", { filter: others, limit: 1, dryRun: true });
  const [{ matching }, other] = [await dry(), (await left()).matching];
  assert.ok(matching > 0 && other > 0);
  await dashboard.page.click(".groups li:has-text('BOUNCED') >> text=Redrive dead jobs");
  await dashboard.see("dialog h2", `Redrive ${matching.toLocaleString("en-US")} dead letters?`);
  await dashboard.page.click("dialog .primary");
  await dashboard.see(".notices", `${matching.toLocaleString("en-US")} jobs redriven`);
  assert.equal((await dry()).matching, 0);
  assert.equal((await left()).matching, other, "another group is unchanged");
});

test("a queue is paused and resumed", async () => {
  const paused = async () =>
    (await server.get("/queues")).queues.find((queue) => queue.queue === "reports").paused;
  await dashboard.visit("queues");
  const row = ".queues > li:has(h2:has-text('reports'))";
  await dashboard.see(`${row} .counts`, (size * 0.05).toLocaleString("en-US"));
  await dashboard.page.click(`${row} button:text-is('Pause')`);
  await dashboard.page.click("dialog .primary");
  await dashboard.see(`${row} .badge`, "paused");
  assert.equal(await paused(), true);
  await dashboard.clean("queues");
  await dashboard.page.click(`${row} button:text-is('Resume')`);
  await dashboard.page.waitForFunction(() => !document.querySelector(".queues .badge.paused"));
  assert.equal(await paused(), false);
});

test("the workers view shows slots, current jobs and the last heartbeat", async () => {
  const id = await server.enqueue({ jobType: "held", queue: "held" });
  await server.lease("held", 1, "crane-7");
  await dashboard.visit("workers");
  const row = "tr:has-text('crane-7')";
  await dashboard.see(row, "1 of 8");
  await dashboard.see(`${row} a[href$='${id}']`);
  await dashboard.see(`${row} time`, /now|s ago/);
  await dashboard.clean("workers");
});

test("about shows store, durability class, version and configuration without secrets", async () => {
  await dashboard.visit("about");
  const expected = await server.get("/about");
  await dashboard.see("main", `class ${expected.durability}`);
  await dashboard.see("main", expected.version);
  await dashboard.see("td", "limits.connections");
  await dashboard.page.click("text=Check the store");
  await dashboard.see("main", "Consistent:");
  await dashboard.clean("about");
});
