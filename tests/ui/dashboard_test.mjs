// Every view and action of the dashboard, in a real browser on a real server with 100,000 jobs.
// Each action on the page is verified through the API.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DashboardPage } from "./dashboard_page.mjs";
import { fill, openBrowser, Server } from "./server.mjs";

const size = Number(process.env.LONGSHORE_UI_JOBS ?? 100_000);
let server;
let browser;
let desk;
let made;

before(async () => {
  [server, browser] = await Promise.all([Server.start(), openBrowser()]);
  made = await fill(server, size);
  desk = await DashboardPage.open(browser, server);
});

after(async () => {
  await desk?.faultless();
  await browser?.close();
  await server?.remove();
});

const jobsIn = (path) => server.get(path).then((page) => page.jobs);

test("the overview shows the server's counts", async () => {
  await desk.visit("overview");
  await desk.see("h1", "Overview");
  await desk.see(".figure:has-text('Dead letters')", made.die.toLocaleString("en-US"));
  await desk.see(".chart .u-over", undefined, 4);
  for (const span of ["6h", "24h", "1h"]) {
    await desk.page.click(`.switch button:text-is('${span}')`);
    await desk.see(`.figure:has-text('Finished in ${span}')`);
    assert.match(desk.page.url(), new RegExp(`window=${span}`));
  }
  await desk.see(".panel:has(h2:text-is('Backlog'))", "backlog");
  await desk.see(".panel:has(h2:text-is('Most failures')) tbody tr");
  await desk.clean("overview");
});

test("the overview warns about jobs without a worker", async () => {
  await desk.visit("overview");
  await desk.see(".warnings li", "No worker for email.send in queue backlog");
});

test("live activity shows transitions as they happen", async () => {
  await desk.visit("overview");
  await desk.see(".stream.live");
  const id = await server.enqueue({ jobType: "live.one", queue: "live" });
  await desk.see(`.now a[href$='${id}']`, "live.one");
  const [lease] = await server.lease("live");
  await desk.see(".now li:has-text('live.one') .badge", "running");
  await server.post(`/jobs/${id}/complete`, { leaseToken: lease.leaseToken });
  await desk.see(".now li:has-text('live.one') .badge", "success");
});

test("the URL stores the filter", async () => {
  await desk.visit("jobs?state=DEAD&queue=press&tag=eu&jobType=email.send&error=SMTP_TIMEOUT");
  const expected = await jobsIn(
    "/jobs?state=DEAD&queue=press&tag=eu&jobType=email.send&error=SMTP_TIMEOUT&limit=50",
  );
  assert.ok(expected.length > 0);
  await desk.see(`tr[data-job='${expected[0].jobId}']`);
  await desk.list(expected.map((job) => job.jobId));
  const [clear, last] = await Promise.all(
    [".filter button", ".filter select >> nth=-1"].map((part) =>
      desk.page.locator(part).boundingBox(),
    ),
  );
  assert.ok(Math.abs(clear.y - last.y) < 5, "the filter bar is one line");
  await desk.page.selectOption(".filter select >> nth=0", "SUCCESS");
  await desk.page.fill("input[name=queue]", "mail");
  await desk.page.fill("input[name=error]", "");
  await desk.page.waitForFunction(() => location.hash.includes("state=SUCCESS"));
  await desk.page.waitForFunction(() => location.hash.includes("queue=mail"));
  await desk.page.waitForFunction(() => !location.hash.includes("error="));
  const next = await jobsIn("/jobs?state=SUCCESS&queue=mail&tag=eu&jobType=email.send&limit=1");
  await desk.see(`tr[data-job='${next[0].jobId}']`);
  await desk.page.goBack();
  await desk.clean("jobs");
});

test("a job key or a job ID finds its job", async () => {
  const id = await server.enqueue({ jobType: "keyed", queue: "keys", jobKey: "order-7" });
  await desk.visit("jobs");
  await desk.page.fill("input[name=jobKey]", "order-7");
  await desk.see(`tr[data-job='${id}']`);
  await desk.list([id]);
  await desk.page.fill("input[name=jobKey]", id);
  await desk.see("h1", "keyed");
});

test("a list does not move while jobs arrive", async () => {
  await desk.visit("jobs");
  await desk.see(".stream.live");
  const before = await desk.rows();
  const id = await server.enqueue({ jobType: "newcomer", queue: "live" });
  await desk.see(".toolbar button", "Show 1 new job");
  assert.deepEqual(await desk.rows(), before);
  await desk.page.click(".toolbar button >> nth=0");
  await desk.see(`tr[data-job='${id}']`);
  await desk.page.click("text=Older →");
  await desk.page.waitForFunction((first) => !document.querySelector(`[data-job='${first}']`), id);
  const expected = await server.get("/jobs?limit=50");
  const older = await server.get(`/jobs?limit=50&cursor=${expected.nextCursor}`);
  await desk.list(older.jobs.map((job) => job.jobId));
  await desk.page.click("text=← Newer");
  await desk.see(`tr[data-job='${id}']`);
});

test("the choice of columns is saved", async () => {
  await desk.visit("jobs");
  await desk.page.click("text=Columns");
  await desk.page.check("text=Priority");
  await desk.page.uncheck(".menu >> text=Tags");
  await desk.see("th", "Priority");
  await desk.page.reload();
  await desk.see("th:text-is('Priority')");
  assert.equal(await desk.page.locator("th:text-is('Tags')").count(), 0);
  await desk.page.evaluate(() => localStorage.removeItem("longshore-columns"));
  await desk.page.reload();
});

test("keyboard shortcuts navigate a list", async () => {
  await desk.visit("jobs?queue=backlog");
  const [first, second] = await desk.rows();
  await desk.page.keyboard.press("j");
  await desk.see(`tr.at[data-job='${first}']`);
  await desk.page.keyboard.press("j");
  await desk.see(`tr.at[data-job='${second}']`);
  await desk.page.keyboard.press("k");
  await desk.see(`tr.at[data-job='${first}']`);
  await desk.page.keyboard.press("x");
  await desk.see(`tr.picked[data-job='${first}']`);
  await desk.see(".bulk", "1 selected");
  await desk.page.keyboard.press("/");
  await desk.page.waitForFunction(() => document.activeElement?.matches(".filter input"));
  await desk.page.keyboard.press("Escape");
  await desk.page.waitForFunction(() => !document.activeElement?.matches(".filter input"));
  await desk.page.keyboard.press("?");
  await desk.see("dialog[open] h2", "Keyboard shortcuts");
  await desk.clean("keyboard");
  await desk.page.keyboard.press("Escape");
  await desk.page.waitForFunction(() => !document.querySelector("dialog[open]"));
  await desk.page.keyboard.press("Enter");
  await desk.page.waitForFunction((id) => location.hash.endsWith(id), first);
});

test("no key is lost when keys arrive faster than the page is drawn", async () => {
  await desk.visit("jobs?queue=backlog");
  const [first] = await desk.rows();
  await desk.type("j", "x");
  await desk.see(`tr.at.picked[data-job='${first}']`);
  await desk.type("?", "Escape");
  await desk.see("dialog", undefined, 0);
  await desk.see(".bulk", "1 selected");
  await desk.page.keyboard.press("?");
  await desk.see("dialog[open]");
  await desk.type("Escape", "Enter");
  await desk.page.waitForFunction((id) => location.hash.endsWith(id), first);
  await desk.visit("jobs");
  const [newest] = await desk.rows();
  await desk.page.keyboard.press("1");
  await desk.see("h1", "Overview");
  await desk.type("2", "j");
  await desk.see(`tr.at[data-job='${newest}']`);
  await desk.page.keyboard.press("1");
  await desk.see("h1", "Overview");
  await desk.type("/", "h", "i");
  assert.equal(await desk.page.locator("input[name=jobType]").inputValue(), "hi");
});

test("two filters that apply at the same moment are both kept", async () => {
  await desk.visit("jobs");
  await desk.page.evaluate(() => {
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
  await desk.page.waitForFunction(() => /queue=mail.*tag=eu/.test(location.hash));
});

test("selected jobs are canceled and redriven", async () => {
  const ids = [];
  for (let i = 0; i < 3; i += 1)
    ids.push(await server.enqueue({ jobType: "picked", queue: "picks" }));
  await desk.visit("jobs?queue=picks");
  await desk.see(".stream.live");
  await desk.page.check("[aria-label='Select this page']");
  await desk.page.click(".bulk >> text=Cancel");
  await desk.see("dialog h2", "Cancel 3 jobs?");
  await desk.page.click("dialog .danger");
  await desk.see(".notices", "3 jobs canceled");
  for (const id of ids) assert.equal((await server.details(id)).state, "CANCELED");
  await desk.see(`tr[data-job='${ids[0]}'] .badge`, "canceled");
  await desk.page.check(`[aria-label='Select ${ids[0]}']`);
  await desk.page.click(".bulk >> text=Redrive");
  await desk.page.click("dialog .primary");
  await desk.see(".notices", "1 job redriven");
  const successor = (await server.details(ids[0])).successorId;
  assert.equal((await server.details(successor)).redriveOf, ids[0]);
});

test("all matching jobs are counted and canceled with progress, without later ones", async () => {
  const of = async () =>
    (await server.get("/queues")).queues.find((queue) => queue.queue === "backlog").depth;
  const waiting = (await of()).QUEUED;
  assert.equal(waiting, size * 0.18);
  await desk.visit("jobs?queue=backlog&state=QUEUED");
  await desk.page.check("[aria-label='Select this page']");
  await desk.page.click("text=Select all matching");
  await desk.see(".bulk", `Cancel all ${waiting.toLocaleString("en-US")}`);
  const late = await server.enqueue({ jobType: "late", queue: "backlog" });
  await desk.clean("bulk");
  await desk.page.click(".bulk button:has-text('Cancel all')");
  const release = await desk.hold("**/jobs/cancel"); // however fast the server is, progress shows
  await desk.page.click("dialog .danger");
  await desk.see(".bulk progress");
  await release();
  await desk.see(".notices", `${waiting.toLocaleString("en-US")} jobs canceled`);
  const after = await of();
  assert.equal(after.CANCELED, waiting);
  assert.equal((await server.details(late)).state, "QUEUED", "it was created after the count");
});

test("dead letters are redriven by filter", async () => {
  const filter = { queue: "press", jobType: "image.resize", error: "SMTP_TIMEOUT" };
  const dry = () => server.post("/dead/redrive", { filter, limit: 10_000, dryRun: true });
  const { matching } = await dry();
  assert.ok(matching > 0);
  await desk.visit("dead?" + new URLSearchParams(filter));
  await desk.clean("dead");
  await desk.page.check("[aria-label='Select this page']");
  await desk.page.click("text=Select all matching");
  await desk.page.click(`.bulk button:has-text('Redrive all ${matching.toLocaleString("en-US")}')`);
  await desk.page.click("dialog .primary");
  await desk.see(".notices", `${matching.toLocaleString("en-US")} jobs redriven`);
  assert.equal((await dry()).matching, 0);
});

test("errors are grouped, and a group is redriven", async () => {
  await desk.visit("errors?jobType=webhook.deliver");
  const groups = (await server.get("/errors")).errors.filter(
    (g) => g.jobType === "webhook.deliver",
  );
  await desk.see(".groups li", undefined, groups.length);
  await desk.see(".groups .spark rect:not(.zero)");
  await desk.clean("errors");
  const group = groups.find((each) => each.code === "BOUNCED");
  const filter = { jobType: group.jobType, fingerprint: group.fingerprint };
  const dry = () => server.post("/dead/redrive", { filter, limit: 10_000, dryRun: true });
  const others = { jobType: group.jobType, error: "SMTP_TIMEOUT" };
  const left = () => server.post("/dead/redrive", { filter: others, limit: 1, dryRun: true });
  const [{ matching }, other] = [await dry(), (await left()).matching];
  assert.ok(matching > 0 && other > 0);
  await desk.page.click(".groups li:has-text('BOUNCED') >> text=Redrive dead jobs");
  await desk.see("dialog h2", `Redrive ${matching.toLocaleString("en-US")} dead letters?`);
  await desk.page.click("dialog .primary");
  await desk.see(".notices", `${matching.toLocaleString("en-US")} jobs redriven`);
  assert.equal((await dry()).matching, 0);
  assert.equal((await left()).matching, other, "another group is unchanged");
});

test("a queue is paused and resumed", async () => {
  const paused = async () =>
    (await server.get("/queues")).queues.find((queue) => queue.queue === "reports").paused;
  await desk.visit("queues");
  const row = ".queues > li:has(h2:has-text('reports'))";
  await desk.see(`${row} .counts`, (size * 0.05).toLocaleString("en-US"));
  await desk.page.click(`${row} button:text-is('Pause')`);
  await desk.page.click("dialog .primary");
  await desk.see(`${row} .badge`, "paused");
  assert.equal(await paused(), true);
  await desk.clean("queues");
  await desk.page.click(`${row} button:text-is('Resume')`);
  await desk.page.waitForFunction(() => !document.querySelector(".queues .badge.paused"));
  assert.equal(await paused(), false);
});

test("the workers view shows slots, current jobs and the last heartbeat", async () => {
  const id = await server.enqueue({ jobType: "held", queue: "held" });
  await server.lease("held", 1, "crane-7");
  await desk.visit("workers");
  const row = "tr:has-text('crane-7')";
  await desk.see(row, "1 of 8");
  await desk.see(`${row} a[href$='${id}']`);
  await desk.see(`${row} time`, /now|s ago/);
  await desk.clean("workers");
});

test("about shows store, durability class, version and configuration without secrets", async () => {
  await desk.visit("about");
  const expected = await server.get("/about");
  await desk.see("main", `class ${expected.durability}`);
  await desk.see("main", expected.version);
  await desk.see("td", "limits.connections");
  await desk.page.click("text=Check the store");
  await desk.see("main", "Consistent:");
  await desk.clean("about");
});
