// The job view: state diagram, attempts, payload, and actions.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DashboardPage } from "./dashboard_page.mjs";
import { openBrowser, Server } from "./server.mjs";

let server;
let browser;
let dashboard;

before(async () => {
  [server, browser] = await Promise.all([Server.start(), openBrowser()]);
  dashboard = await DashboardPage.open(browser, server);
});

after(async () => {
  await dashboard?.faultless();
  await browser?.close();
  await server?.remove();
});

const hostile = `<script>window.pwned=1</script><img src=x onerror="window.pwned=1">`;

// A job that dies after `times` failed attempts.
async function deadJob({ worker = "crane-1", ...job }, times = 1) {
  const queue = `q${Math.random().toString(36).slice(2)}`;
  const more = { queue, maxRetries: times - 1, backoff: { kind: "none" } };
  const id = await server.enqueue({ ...job, ...more });
  for (let i = 1; i <= times; i += 1) {
    const [lease] = await server.lease(queue, 1, worker);
    await server.post(`/jobs/${id}/fail`, {
      leaseToken: lease.leaseToken,
      error: { code: "WINCH", message: `jammed ${i} times\nat the drum`, details: { drum: i } },
      log: `try ${i}: pulling`,
    });
  }
  return id;
}

test("the job view shows the state diagram, attempts, errors, logs and history", async () => {
  const id = await deadJob({ jobType: "cargo.lift", payload: { crates: 4 }, tags: ["north"] }, 2);
  await dashboard.visit(`jobs/${id}`);
  await dashboard.see("h1", "cargo.lift");
  await dashboard.see(".heading .badge", "dead");
  await dashboard.see(".diagram .current text", "dead");
  await dashboard.see(".diagram .edge.lit", undefined, 5);
  await dashboard.see(".diagram .times", "2×");
  await dashboard.see(".attempts li", undefined, 2);
  await dashboard.see(".attempts li", /Attempt 2.*failed.*crane-1/s);
  await dashboard.see(".attempts .message", "jammed 2 times");
  await dashboard.see(".attempts pre", "at the drum");
  await dashboard.see(".attempts pre", "try 2: pulling");
  const { history } = await server.get(`/jobs/${id}/history`);
  await dashboard.see("table.stacked tbody tr", undefined, history.length);
  await dashboard.see(".explain", (await server.get(`/jobs/${id}/explain`)).summary);
  await dashboard.clean("job");
});

test("the job view is updated live", async () => {
  const id = await server.enqueue({ jobType: "watched", queue: "watched" });
  await dashboard.visit(`jobs/${id}`);
  await dashboard.see(".heading .badge", "queued");
  await dashboard.see(".stream.live");
  const [lease] = await server.lease("watched");
  await dashboard.see(".heading .badge", "running");
  await server.post(`/jobs/${id}/heartbeat`, { leaseToken: lease.leaseToken, progress: 40 });
  await dashboard.see(".heading progress[value='40']");
  await server.post(`/jobs/${id}/complete`, { leaseToken: lease.leaseToken, result: { ok: true } });
  await dashboard.see(".heading .badge", "success");
  await dashboard.see(".viewer:has-text('Result')", "ok: true");
});

test("the state is shown as a profile names it, and the URL stores the profile", async () => {
  const id = await server.enqueue({ jobType: "worded", queue: "worded" });
  const [lease] = await server.lease("worded");
  const chooser = dashboard.page.getByLabel("View as");
  const seeState = async (view) => {
    const job = await server.get(`/jobs/${id}/details?view=${view}`);
    const word = job.state ?? job.Status ?? job.status;
    const words = [word, job.StatusNumber].filter(Boolean).join(" ");
    await dashboard.see(".heading .word", new RegExp(`^${words}$`));
  };
  await dashboard.visit(`jobs/${id}`);
  await dashboard.see(".heading .badge", "running");
  await dashboard.see(".word", undefined, 0);
  for (let i = 0; i < 40; i += 1) {
    if (await chooser.evaluate((element) => element === document.activeElement)) break;
    await dashboard.page.keyboard.press("Tab");
  }
  await dashboard.page.keyboard.press("e"); // its first profile with that letter
  await dashboard.page.waitForFunction(() => location.hash.endsWith("?view=endpoints"));
  await dashboard.see(".heading .word", "InProgress 300");
  for (const view of ["basic", "scheduler", "external", "orchestrator", "endpoints"]) {
    await chooser.selectOption(view);
    await seeState(view);
    await dashboard.page.waitForFunction((end) => location.hash.endsWith(end), `?view=${view}`);
  }
  await dashboard.page.reload();
  await dashboard.see(".heading .word", "InProgress 300");
  assert.equal(await chooser.inputValue(), "endpoints");
  await dashboard.see(".stream.live");
  await server.post(`/jobs/${id}/complete`, { leaseToken: lease.leaseToken });
  await dashboard.see(".heading .word", "Completed 400");
  await dashboard.clean("job-words");
  await dashboard.page.goBack();
  await seeState("orchestrator");
  await chooser.selectOption("longshore");
  await dashboard.see(".word", undefined, 0);
  assert.ok(dashboard.page.url().endsWith(id));
  await dashboard.visit(`jobs/${id}?view=unknown`);
  assert.equal(await chooser.inputValue(), "longshore");
});

test("a waiting job and a running job are canceled", async () => {
  const waiting = await server.enqueue({ jobType: "unwanted", queue: "unwanted" });
  await dashboard.visit(`jobs/${waiting}`);
  await dashboard.page.click(".actions >> text=Cancel");
  await dashboard.page.click("dialog .danger");
  await dashboard.see(".heading .badge", "canceled");
  assert.equal((await server.details(waiting)).state, "CANCELED");
  const running = await server.enqueue({ jobType: "unwanted", queue: "unwanted" });
  await server.lease("unwanted");
  await dashboard.visit(`jobs/${running}`);
  await dashboard.page.click(".actions >> text=Cancel");
  await dashboard.page.click("dialog .danger");
  await dashboard.see(".heading", "cancel requested");
  assert.equal((await server.details(running)).cancelRequested, true);
  await dashboard.page.click(".actions >> text=Cancel");
  await dashboard.page.check("dialog input[type=checkbox]");
  await dashboard.page.click("dialog .danger");
  await dashboard.see(".heading .badge", "canceled");
  assert.equal((await server.details(running)).state, "CANCELED");
});

test("a scheduled job is promoted", async () => {
  const id = await server.enqueue({ jobType: "early", queue: "early", delaySeconds: 3600 });
  await dashboard.visit(`jobs/${id}`);
  await dashboard.page.click("text=Run now");
  await dashboard.see(".heading .badge", "queued");
  assert.equal((await server.details(id)).state, "QUEUED");
});

test("a dead job is redriven, and both jobs link to each other", async () => {
  const id = await deadJob({ jobType: "again", payload: { n: 1 } });
  await dashboard.visit(`jobs/${id}`);
  await dashboard.page.click(".actions >> text=Redrive >> nth=0");
  await dashboard.page.click("dialog .primary");
  await dashboard.page.waitForFunction((old) => !location.hash.endsWith(old), id);
  const successor = (await server.details(id)).successorId;
  assert.ok(dashboard.page.url().endsWith(successor));
  assert.equal((await server.details(successor)).redriveOf, id);
  await dashboard.see(".explain", "Redrive of");
  await dashboard.page.click(".explain a");
  await dashboard.see(".explain", "Redriven as");
  await dashboard.see(".facts", "Successor");
});

test("a dead job is redriven with a delay or at a given time", async () => {
  const hour = 3600 * 1000;
  const laterBy = async (id) => Date.parse((await server.details(id)).runAt) - Date.now();
  const redriven = async (id) => {
    await dashboard.page.click("dialog .primary");
    await dashboard.page.waitForFunction((old) => !location.hash.endsWith(old), id);
    const { successorId } = await server.details(id);
    assert.equal((await server.details(successorId)).state, "SCHEDULED");
    return successorId;
  };
  const first = await deadJob({ jobType: "later" });
  await dashboard.visit(`jobs/${first}`);
  await dashboard.page.click(".actions >> text=Redrive >> nth=0");
  await dashboard.page.getByLabel("in", { exact: true }).check();
  await dashboard.page.getByLabel("delay").fill("");
  await dashboard.page.click("dialog .primary");
  await dashboard.see("dialog .problem[role=alert]", "Enter a delay");
  await dashboard.page.getByLabel("delay").fill("2");
  await dashboard.page.getByLabel("unit").selectOption("hours");
  await dashboard.clean("redrive-later");
  const second = await redriven(first);
  assert.ok(Math.abs((await laterBy(second)) - 2 * hour) < hour / 60);
  const other = await deadJob({ jobType: "later" });
  await dashboard.visit(`jobs/${other}`);
  await dashboard.page.click("text=Edit and redrive");
  await dashboard.page.getByLabel("at", { exact: true }).check();
  await dashboard.page.click("dialog .primary");
  await dashboard.see("dialog .problem[role=alert]", "Enter a date and time");
  await dashboard.page.getByLabel("date and time, local").fill("2999-01-02T03:04:05");
  const third = await redriven(other);
  assert.ok((await laterBy(third)) > 24 * hour);
});

test("a dead job is edited and redriven without rounding its numbers", async () => {
  const payload = '{"big": 12345678901234567890, "rate": 1.50}';
  const id = await deadJob({ jobType: "edited" });
  const raw = await server.call("POST", "/jobs", `{"jobType":"raw","payload":${payload}}`);
  await dashboard.visit(`jobs/${JSON.parse(raw.text).jobId}`);
  await dashboard.see(".viewer", "12345678901234567890");
  await dashboard.see(".viewer", "1.50");
  await dashboard.visit(`jobs/${id}`);
  await dashboard.page.click("text=Edit and redrive");
  await dashboard.page.fill("dialog textarea", "{nonsense");
  await dashboard.see("dialog", "Invalid JSON");
  await dashboard.page.click("dialog button.primary");
  await dashboard.see("dialog .problem[role=alert]");
  await dashboard.page.fill("dialog textarea", payload);
  await dashboard.page.fill("dialog .fields input >> nth=0", "elsewhere");
  await dashboard.clean("edit");
  await dashboard.page.click("dialog button.primary");
  await dashboard.page.waitForFunction((old) => !location.hash.endsWith(old), id);
  const successor = (await server.details(id)).successorId;
  const answer = await server.call("GET", `/jobs/${successor}/details`);
  assert.ok(answer.text.includes(`"payload":${payload}`), "byte for byte");
  assert.equal(JSON.parse(answer.text).queue, "elsewhere");
});

test("a job is duplicated without its keys", async () => {
  const id = await server.enqueue({
    jobType: "twin",
    jobKey: "one",
    payload: { a: [1, 2] },
    tags: ["x"],
    metadata: { team: "blue" },
    maxRetries: 9,
  });
  await dashboard.visit(`jobs/${id}`);
  await dashboard.page.click(".actions >> text=Duplicate");
  await dashboard.page.click("dialog .primary");
  await dashboard.page.waitForFunction((old) => !location.hash.endsWith(old), id);
  const twin = await server.details(dashboard.page.url().split("/").at(-1));
  assert.notEqual(twin.jobId, id);
  assert.deepEqual(twin.payload, { a: [1, 2] });
  assert.deepEqual([twin.tags, twin.metadata, twin.maxRetries], [["x"], { team: "blue" }, 9]);
  assert.equal(twin.jobKey, null);
});

test("a payload of 1 MiB starts collapsed and is copied completely", async () => {
  const rows = Array.from({ length: 9300 }, (_, i) => ({ i, text: "cargo ".repeat(14) }));
  const bare = JSON.stringify({ rows, note: "" }).length;
  const payload = JSON.stringify({ rows, note: "x".repeat(1024 * 1024 - bare) });
  const id = await server.enqueue({ jobType: "heavy", payload: JSON.parse(payload) });
  await dashboard.visit(`jobs/${id}`);
  const viewer = ".viewer:has-text('Payload')";
  await dashboard.see(viewer, "1 MiB");
  const nodes = () => dashboard.page.locator(`${viewer} .json *`).count();
  assert.ok((await nodes()) < 20, "starts collapsed");
  await dashboard.page.click(`${viewer} .fold`);
  await dashboard.page.click(`${viewer} .fold >> nth=1`);
  await dashboard.see(`${viewer} button`, "9,200 more");
  assert.ok((await nodes()) < 2000, "renders only the first items");
  await dashboard.clean("payload");
  await dashboard.page.click(`${viewer} >> text=Copy`);
  await dashboard.see(".notices", "Payload copied");
  const copied = await dashboard.page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, payload);
});

test("redacted members are hidden on the page and in copies", async () => {
  const payload = { user: "ada", password: "hunter2", nested: { "X-Api-Key": "k-123", plain: 1 } };
  const id = await server.enqueue({ jobType: "secretive", payload });
  await dashboard.visit(`jobs/${id}`);
  await dashboard.see(".viewer", "ada");
  const text = () => dashboard.page.locator(".viewer").first().innerText();
  assert.doesNotMatch(await text(), /hunter2|k-123/);
  await dashboard.page.click(".viewer >> text=Copy");
  await dashboard.see(".notices", "Payload copied");
  const copied = JSON.parse(await dashboard.page.evaluate(() => navigator.clipboard.readText()));
  assert.deepEqual(copied.nested, { "X-Api-Key": "(hidden)", plain: 1 });
  await dashboard.page.click("text=Reveal secrets");
  assert.match(await text(), /hunter2/);
});

test("hostile names are rendered as text", async () => {
  const id = await deadJob({
    jobType: "hostile",
    payload: { [hostile]: hostile },
    tags: [hostile.slice(0, 64)],
    metadata: { [hostile]: hostile },
    jobKey: hostile,
    worker: hostile.slice(0, 60),
  });
  await server.lease("nothing", 1, hostile.slice(0, 90));
  const sight = [
    `jobs/${id}`,
    "jobs",
    "dead",
    "errors",
    "workers",
    `jobs?tag=${encodeURIComponent(hostile.slice(0, 64))}`,
  ];
  for (const view of sight) {
    await dashboard.visit(view);
    await dashboard.see("main", /hostile|script/);
    assert.equal(await dashboard.page.evaluate(() => window.pwned), undefined, view);
    assert.equal(await dashboard.page.locator("main img").count(), 0);
  }
  await dashboard.visit(`jobs/${id}`);
  await dashboard.see(".viewer", hostile);
  await dashboard.visit(`jobs/${encodeURIComponent(hostile)}`);
  await dashboard.see("main", "Job not found");
});
