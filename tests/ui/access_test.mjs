// Sign-in and roles, behavior while the server is down, dark mode, phones, and proxies.
import assert from "node:assert/strict";
import http from "node:http";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { DashboardPage } from "./dashboard_page.mjs";
import { fill, openBrowser, Server } from "./server.mjs";

const views = ["overview", "jobs", "errors", "queues", "workers", "dead", "about"];
let server;
let browser;

before(async () => {
  [server, browser] = await Promise.all([Server.start(), openBrowser()]);
  await fill(server, 1000);
});

after(async () => {
  await browser?.close();
  await server?.remove();
});

async function withPage(options, body) {
  const dashboard = await DashboardPage.open(browser, server, options);
  await body(dashboard);
  await dashboard.faultless();
  await dashboard.close();
}

test("files are compressed, immutable, and allow no other origin", async () => {
  const page = await server.call("GET", "/ui/");
  const policy = page.headers["content-security-policy"];
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|\*|http/);
  assert.doesNotMatch(page.text, /<script>|<style| style=| on\w+=|https?:\/\//);
  let total = page.bytes.length;
  for (const [, name] of page.text.matchAll(/(?:src|href)="\.\/([^"]+)"/g)) {
    assert.match(name, /-[\w-]{8}\./, "the name contains a content hash");
    const packed = await server.call("GET", `/ui/${name}`, undefined, {
      "Accept-Encoding": "gzip",
    });
    const plain = await server.call("GET", `/ui/${name}`);
    assert.equal(packed.headers["content-encoding"], "gzip");
    assert.match(packed.headers["cache-control"], /immutable/);
    assert.deepEqual(gunzipSync(packed.bytes), plain.bytes);
    total += packed.bytes.length;
  }
  console.log(`the dashboard is ${total} bytes`);
  assert.ok(total > 10_000 && total <= 80 * 1024);
});

test("every view follows the system's dark mode", async () => {
  await withPage({ colorScheme: "dark" }, async (dashboard) => {
    for (const view of views) {
      await dashboard.visit(view);
      const colour = await dashboard.page.evaluate(
        () => getComputedStyle(document.documentElement).backgroundColor,
      );
      assert.equal(colour, "rgb(18, 19, 21)");
      await dashboard.clean(`dark-${view}`);
    }
    await dashboard.page.selectOption(".side select", "light");
    const lit = await dashboard.page.evaluate(
      () => getComputedStyle(document.documentElement).backgroundColor,
    );
    assert.equal(lit, "rgb(247, 247, 245)");
  });
});

test("every view fits a phone", async () => {
  const [{ jobId }] = (await server.get("/dead?limit=1")).jobs;
  await withPage({ viewport: { width: 390, height: 844 } }, async (dashboard) => {
    for (const view of [...views, `jobs/${jobId}?view=endpoints`]) {
      await dashboard.visit(view);
      const width = await dashboard.page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 390, `${view} is ${width} wide`);
      const here = await dashboard.page.locator(".side nav [aria-current]").boundingBox();
      assert.ok(here.x >= 0 && here.x + here.width <= 390, `${view} is scrolled out of view`);
      await dashboard.clean(`phone-${view.includes("/") ? "job" : view}`);
    }
  });
});

test("it works behind a proxy with a path prefix", async () => {
  const proxy = http.createServer((request, response) => {
    if (!request.url.startsWith("/base/path/")) return response.writeHead(404).end();
    const path = request.url.slice("/base/path".length);
    const onward = http.request(
      server.url + path,
      { method: request.method, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on("error", () => response.destroy());
    request.pipe(onward);
    response.on("close", () => onward.destroy());
  });
  await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${proxy.address().port}/base/path`;
  await withPage({ base }, async (dashboard) => {
    await dashboard.visit("queues");
    await dashboard.see(".stream.live");
    await dashboard.page.click(".queues > li:has(h2:has-text('media')) button");
    await dashboard.page.click("dialog .primary");
    await dashboard.see(".queues .badge.paused");
    await server.post("/queues/media/resume");
  });
  proxy.closeAllConnections();
  await new Promise((resolve) => proxy.close(resolve));
});

test("the page is live once its stream is open, and not before", async () => {
  await withPage({}, async (dashboard) => {
    const colour = () =>
      dashboard.page.$eval(".stream i", (dot) => getComputedStyle(dot).backgroundColor);
    const release = await dashboard.hold("**/events");
    await dashboard.visit("queues");
    await dashboard.see(".stream.connecting", "Connecting");
    assert.equal(await dashboard.page.locator(".stream.live").count(), 0);
    const before = await colour();
    await release();
    await dashboard.see(".stream.live", "Live");
    assert.notEqual(await colour(), before);
  });
});

// Makes a tab believe that it is hidden, or visible again.
const hide = (hidden) => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
};

test("visible tabs share one stream, and hidden tabs have none", async () => {
  await withPage({}, async (dashboard) => {
    let streams = 0;
    dashboard.context.on("request", (request) => {
      streams += request.url().endsWith("/events") ? 1 : 0;
    });
    await dashboard.visit("overview");
    await dashboard.see(".stream.live");
    const first = dashboard.page;
    dashboard.page = await dashboard.another();
    await dashboard.visit("overview");
    await dashboard.see(".stream.live");
    assert.equal(streams, 1);
    await server.enqueue({ jobType: "shared", queue: "live" });
    await dashboard.see(".now", "shared");
    const opened = dashboard.page.waitForResponse((response) => response.url().endsWith("/events"));
    await first.evaluate(hide, true);
    await first.waitForSelector(".stream.paused");
    await opened;
    await server.enqueue({ jobType: "one-more", queue: "live" });
    await dashboard.see(".now", "one-more");
    assert.equal(streams, 2, "the other tab opened its own stream");
    assert.equal(await first.locator(".now:has-text('one-more')").count(), 0);
    await first.evaluate(hide, false);
    await first.waitForSelector(".stream.live");
    assert.equal(streams, 2);
  });
});

test("a tab that takes over the stream shows what happened in between", async () => {
  const id = await server.enqueue({ jobType: "handed-over", queue: "handed-over" });
  await withPage({}, async (dashboard) => {
    await dashboard.visit("overview");
    await dashboard.see(".stream.live");
    const first = dashboard.page;
    dashboard.page = await dashboard.another();
    await dashboard.visit("jobs?queue=handed-over");
    await dashboard.see(".stream.live");
    const release = await dashboard.hold("**/events");
    await first.evaluate(hide, true);
    await first.waitForSelector(".stream.paused");
    await server.lease("handed-over");
    await release();
    await dashboard.see(`tr[data-job='${id}'] .badge`, "running");
  });
});

test("a failed call affects only its panel", async () => {
  await withPage({}, async (dashboard) => {
    await dashboard.page.route("**/queues", (route) =>
      route.fulfill({
        status: 503,
        contentType: "application/problem+json",
        body: '{"detail":"the store is away","code":"STORE_UNAVAILABLE"}',
      }),
    );
    await dashboard.visit("overview");
    await dashboard.see(".panel:has(h2:text-is('Backlog')) .trouble", "The store is away");
    await dashboard.see(".chart .u-over", undefined, 4);
    await dashboard.see(".panel:has(h2:text-is('Most failures')) tbody tr");
    assert.equal(await dashboard.page.locator(".trouble").count(), 1);
    await dashboard.clean("degraded");
    await dashboard.page.click(".trouble button");
    await dashboard.page.unroute("**/queues");
    await dashboard.see(".panel:has(h2:text-is('Backlog')) tbody tr");
  });
});

test("while the server is down the page shows the last known data, then reconnects", async () => {
  await withPage({}, async (dashboard) => {
    await dashboard.visit("queues");
    await dashboard.see(".stream.live");
    await server.stop();
    await dashboard.see(".stream.offline");
    await dashboard.see(".banner", "The server is not responding");
    await dashboard.see(".queues h2", "mail");
    await dashboard.page.click(".side nav >> text=Workers");
    await dashboard.see(".trouble", "The server is not responding");
    await dashboard.clean("offline");
    await server.restart();
    await dashboard.see(".stream.live");
    await dashboard.see("tbody tr", "crane-1");
    await dashboard.page.waitForFunction(() => !document.querySelector(".banner, .trouble"));
  });
});

test("with tokens, the page requires sign-in and shows what the role allows", async () => {
  const token = async (role) => (await server.post("/tokens", { role, name: `${role}-ann` })).token;
  server.token = await token("admin");
  const [viewer, operator, producer] = [
    await token("viewer"),
    await token("operator"),
    await token("producer"),
  ];
  await withPage({}, async (dashboard) => {
    const enter = async (text) => {
      await dashboard.page.fill("input[type=password]", text);
      await dashboard.page.click("text=Sign in >> nth=-1");
    };
    await dashboard.visit("queues");
    await dashboard.clean("login");
    await enter("wrong");
    await dashboard.see(".problem", "The token is unknown");
    await enter(producer);
    await dashboard.see(".problem", "needs the viewer role");
    await enter(viewer);
    await dashboard.see(".who", "viewer-ann");
    await dashboard.see(".queues h2", "mail");
    const [cookie] = await dashboard.context.cookies();
    assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, "Strict"]);
    assert.equal(await dashboard.page.evaluate(() => document.cookie), "");
    await viewerSeesNoButtons(dashboard, cookie);
    await dashboard.page.click("text=Sign out");
    await dashboard.see("h1", "Longshore");
    await enter(operator);
    await dashboard.see(".who", "operator-ann");
    await dashboard.visit("queues");
    await dashboard.page.click(".queues > li:has(h2:has-text('mail')) >> text=Pause");
    await dashboard.page.click("dialog .primary");
    await dashboard.see(".queues .badge.paused");
    const queues = (await server.get("/queues")).queues;
    assert.equal(queues.find((queue) => queue.queue === "mail").paused, true);
    await dashboard.page.reload();
    await dashboard.see(".who", "operator-ann");
  });
});

async function viewerSeesNoButtons(dashboard, cookie) {
  const buttons = () =>
    dashboard.page.locator("main button, main input[type=checkbox]").allInnerTexts();
  const allowed = /^(1h|6h|24h|Refresh|Show .*|Copy|Older →|← Newer|Newest|01a.*|[▾▸].*|)$/;
  const [{ jobId }] = (await server.get("/dead?limit=1")).jobs;
  for (const view of [...views, `jobs/${jobId}`]) {
    await dashboard.visit(view);
    const menu = await dashboard.page.locator(".menu input").count();
    const seen = (await buttons()).slice(0);
    for (const text of seen) assert.match(text, allowed, `${view}: ${text}`);
    assert.equal(await dashboard.page.locator("main input[type=checkbox]").count(), menu, view);
  }
  const refused = await dashboard.page.evaluate(
    async (id) => (await fetch(`../jobs/${id}/redrive`, { method: "POST" })).status,
    jobId,
  );
  assert.equal(refused, 403);
  const foreign = await server.call(
    "POST",
    `/jobs/${jobId}/redrive`,
    {},
    {
      Authorization: "",
      Cookie: `${cookie.name}=${cookie.value}`,
      Origin: "http://evil.example",
    },
  );
  assert.ok([401, 403].includes(foreign.status));
  assert.equal((await server.details(jobId)).successorId, null);
}
