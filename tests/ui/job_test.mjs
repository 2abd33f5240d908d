// The job view: state diagram, attempts, payload, and actions.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DashboardPage } from "./dashboard_page.mjs";
import { openBrowser, Server } from "./server.mjs";

let server;
let browser;
let desk;

before(async () => {
  [server, browser] = await Promise.all([Server.start(), openBrowser()]);
  desk = await DashboardPage.open(browser, server);
});

after(async () => {
  await desk?.faultless();
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
  await desk.visit(`jobs/${id}`);
  await desk.see("h1", "cargo.lift");
  await desk.see(".heading .badge", "dead");
  await desk.see(".diagram .current text", "dead");
  await desk.see(".diagram .edge.lit", undefined, 5);
  await desk.see(".diagram .times", "2×");
  await desk.see(".attempts li", undefined, 2);
  await desk.see(".attempts li", /Attempt 2.*failed.*crane-1/s);
  await desk.see(".attempts .message", "jammed 2 times");
  await desk.see(".attempts pre", "at the drum");
  await desk.see(".attempts pre", "try 2: pulling");
  const { history } = await server.get(`/jobs/${id}/history`);
  await desk.see("table.stacked tbody tr", undefined, history.length);
  await desk.see(".explain", (await server.get(`/jobs/${id}/explain`)).summary);
  await desk.clean("job");
});

test("the job view is updated live", async () => {
  const id = await server.enqueue({ jobType: "watched", queue: "watched" });
  await desk.visit(`jobs/${id}`);
  await desk.see(".heading .badge", "queued");
  await desk.see(".stream.live");
  const [lease] = await server.lease("watched");
  await desk.see(".heading .badge", "running");
  await server.post(`/jobs/${id}/heartbeat`, { leaseToken: lease.leaseToken, progress: 40 });
  await desk.see(".heading progress[value='40']");
  await server.post(`/jobs/${id}/complete`, { leaseToken: lease.leaseToken, result: { ok: true } });
  await desk.see(".heading .badge", "success");
  await desk.see(".viewer:has-text('Result')", "ok: true");
});

test("the state is shown as a profile names it, and the URL stores the profile", async () => {
  const id = await server.enqueue({ jobType: "worded", queue: "worded" });
  const [lease] = await server.lease("worded");
  const chooser = desk.page.getByLabel("View as");
  const seeState = async (view) => {
    const job = await server.get(`/jobs/${id}/details?view=${view}`);
    const word = job.state ?? job.Status ?? job.status;
    const words = [word, job.StatusNumber].filter(Boolean).join(" ");
    await desk.see(".heading .word", new RegExp(`^${words}$`));
  };
  await desk.visit(`jobs/${id}`);
  await desk.see(".heading .badge", "running");
  await desk.see(".word", undefined, 0);
  for (let i = 0; i < 40; i += 1) {
    if (await chooser.evaluate((element) => element === document.activeElement)) break;
    await desk.page.keyboard.press("Tab");
  }
  await desk.page.keyboard.press("e"); // its first profile with that letter
  await desk.page.waitForFunction(() => location.hash.endsWith("?view=endpoints"));
  await desk.see(".heading .word", "InProgress 300");
  for (const view of ["basic", "scheduler", "external", "orchestrator", "endpoints"]) {
    await chooser.selectOption(view);
    await seeState(view);
    await desk.page.waitForFunction((end) => location.hash.endsWith(end), `?view=${view}`);
  }
  await desk.page.reload();
  await desk.see(".heading .word", "InProgress 300");
  assert.equal(await chooser.inputValue(), "endpoints");
  await desk.see(".stream.live");
  await server.post(`/jobs/${id}/complete`, { leaseToken: lease.leaseToken });
  await desk.see(".heading .word", "Completed 400");
  await desk.clean("job-words");
  await desk.page.goBack();
  await seeState("orchestrator");
  await chooser.selectOption("longshore");
  await desk.see(".word", undefined, 0);
  assert.ok(desk.page.url().endsWith(id));
  await desk.visit(`jobs/${id}?view=unknown`);
  assert.equal(await chooser.inputValue(), "longshore");
});

test("a waiting job and a running job are canceled", async () => {
  const waiting = await server.enqueue({ jobType: "unwanted", queue: "unwanted" });
  await desk.visit(`jobs/${waiting}`);
  await desk.page.click(".actions >> text=Cancel");
  await desk.page.click("dialog .danger");
  await desk.see(".heading .badge", "canceled");
  assert.equal((await server.details(waiting)).state, "CANCELED");
  const running = await server.enqueue({ jobType: "unwanted", queue: "unwanted" });
  await server.lease("unwanted");
  await desk.visit(`jobs/${running}`);
  await desk.page.click(".actions >> text=Cancel");
  await desk.page.click("dialog .danger");
  await desk.see(".heading", "cancel requested");
  assert.equal((await server.details(running)).cancelRequested, true);
  await desk.page.click(".actions >> text=Cancel");
  await desk.page.check("dialog input[type=checkbox]");
  await desk.page.click("dialog .danger");
  await desk.see(".heading .badge", "canceled");
  assert.equal((await server.details(running)).state, "CANCELED");
});

test("a scheduled job is promoted", async () => {
  const id = await server.enqueue({ jobType: "early", queue: "early", delaySeconds: 3600 });
  await desk.visit(`jobs/${id}`);
  await desk.page.click("text=Run now");
  await desk.see(".heading .badge", "queued");
  assert.equal((await server.details(id)).state, "QUEUED");
});

test("a dead job is redriven, and both jobs link to each other", async () => {
  const id = await deadJob({ jobType: "again", payload: { n: 1 } });
  await desk.visit(`jobs/${id}`);
  await desk.page.click(".actions >> text=Redrive >> nth=0");
  await desk.page.click("dialog .primary");
  await desk.page.waitForFunction((old) => !location.hash.endsWith(old), id);
  const successor = (await server.details(id)).successorId;
  assert.ok(desk.page.url().endsWith(successor));
  assert.equal((await server.details(successor)).redriveOf, id);
  await desk.see(".explain", "Redrive of");
  await desk.page.click(".explain a");
  await desk.see(".explain", "Redriven as");
  await desk.see(".facts", "Successor");
});

test("a dead job is redriven with a delay or at a given time", async () => {
  const hour = 3600 * 1000;
  const laterBy = async (id) => Date.parse((await server.details(id)).runAt) - Date.now();
  const redriven = async (id) => {
    await desk.page.click("dialog .primary");
    await desk.page.waitForFunction((old) => !location.hash.endsWith(old), id);
    const { successorId } = await server.details(id);
    assert.equal((await server.details(successorId)).state, "SCHEDULED");
    return successorId;
  };
  const first = await deadJob({ jobType: "later" });
  await desk.visit(`jobs/${first}`);
  await desk.page.click(".actions >> text=Redrive >> nth=0");
  await desk.page.getByLabel("in", { exact: true }).check();
  await desk.page.getByLabel("delay").fill("");
  await desk.page.click("dialog .primary");
  await desk.see("dialog .problem[role=alert]", "Enter a delay");
  await desk.page.getByLabel("delay").fill("2");
  await desk.page.getByLabel("unit").selectOption("hours");
  await desk.clean("redrive-later");
  const second = await redriven(first);
  assert.ok(Math.abs((await laterBy(second)) - 2 * hour) < hour / 60);
  const other = await deadJob({ jobType: "later" });
  await desk.visit(`jobs/${other}`);
  await desk.page.click("text=Edit and redrive");
  await desk.page.getByLabel("at", { exact: true }).check();
  await desk.page.click("dialog .primary");
  await desk.see("dialog .problem[role=alert]", "Enter a date and time");
  await desk.page.getByLabel("date and time, local").fill("2999-01-02T03:04:05");
  const third = await redriven(other);
  assert.ok((await laterBy(third)) > 24 * hour);
});

test("a dead job is edited and redriven without rounding its numbers", async () => {
  const payload = '{"big": 12345678901234567890, "rate": 1.50}';
  const id = await deadJob({ jobType: "edited" });
  const raw = await server.call("POST", "/jobs", `{"jobType":"raw","payload":${payload}}`);
  await desk.visit(`jobs/${JSON.parse(raw.text).jobId}`);
  await desk.see(".viewer", "12345678901234567890");
  await desk.see(".viewer", "1.50");
  await desk.visit(`jobs/${id}`);
  await desk.page.click("text=Edit and redrive");
  await desk.page.fill("dialog textarea", "{nonsense");
  await desk.see("dialog", "Invalid JSON");
  await desk.page.click("dialog button.primary");
  await desk.see("dialog .problem[role=alert]");
  await desk.page.fill("dialog textarea", payload);
  await desk.page.fill("dialog .fields input >> nth=0", "elsewhere");
  await desk.clean("edit");
  await desk.page.click("dialog button.primary");
  await desk.page.waitForFunction((old) => !location.hash.endsWith(old), id);
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
  await desk.visit(`jobs/${id}`);
  await desk.page.click(".actions >> text=Duplicate");
  await desk.page.click("dialog .primary");
  await desk.page.waitForFunction((old) => !location.hash.endsWith(old), id);
  const twin = await server.details(desk.page.url().split("/").at(-1));
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
  await desk.visit(`jobs/${id}`);
  const viewer = ".viewer:has-text('Payload')";
  await desk.see(viewer, "1 MiB");
  const nodes = () => desk.page.locator(`${viewer} .json *`).count();
  assert.ok((await nodes()) < 20, "starts collapsed");
  await desk.page.click(`${viewer} .fold`);
  await desk.page.click(`${viewer} .fold >> nth=1`);
  await desk.see(`${viewer} button`, "9,200 more");
  assert.ok((await nodes()) < 2000, "renders only the first items");
  await desk.clean("payload");
  await desk.page.click(`${viewer} >> text=Copy`);
  await desk.see(".notices", "Payload copied");
  const copied = await desk.page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, payload);
});

test("redacted members are hidden on the page and in copies", async () => {
  const payload = { user: "ada", password: "hunter2", nested: { "X-Api-Key": "k-123", plain: 1 } };
  const id = await server.enqueue({ jobType: "secretive", payload });
  await desk.visit(`jobs/${id}`);
  await desk.see(".viewer", "ada");
  const text = () => desk.page.locator(".viewer").first().innerText();
  assert.doesNotMatch(await text(), /hunter2|k-123/);
  await desk.page.click(".viewer >> text=Copy");
  await desk.see(".notices", "Payload copied");
  const copied = JSON.parse(await desk.page.evaluate(() => navigator.clipboard.readText()));
  assert.deepEqual(copied.nested, { "X-Api-Key": "(hidden)", plain: 1 });
  await desk.page.click("text=Reveal secrets");
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
    await desk.visit(view);
    await desk.see("main", /hostile|script/);
    assert.equal(await desk.page.evaluate(() => window.pwned), undefined, view);
    assert.equal(await desk.page.locator("main img").count(), 0);
  }
  await desk.visit(`jobs/${id}`);
  await desk.see(".viewer", hostile);
  await desk.visit(`jobs/${encodeURIComponent(hostile)}`);
  await desk.see("main", "Job not found");
});
