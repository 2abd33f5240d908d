// One page of the dashboard under test. It must pass axe's accessibility rules and log no errors
// to the console; every wait has a deadline.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { patience, screenshots } from "./server.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export class DashboardPage {
  static async open(browser, server, { base = server.url, ...options } = {}) {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 860 },
      reducedMotion: "reduce",
      permissions: ["clipboard-read", "clipboard-write"],
      ...options,
    });
    const dashboard = new DashboardPage();
    dashboard.context = context;
    dashboard.base = base;
    dashboard.faults = [];
    dashboard.visits = 0;
    dashboard.page = await dashboard.another();
    return dashboard;
  }

  async another() {
    const page = await this.context.newPage();
    page.setDefaultTimeout(patience);
    page.on("pageerror", (error) => this.faults.push(error.message));
    page.on("console", (message) => {
      // The browser logs failed requests itself; some tests cause them on purpose.
      if (message.type() === "error" && !/Failed to load resource/.test(message.text())) {
        this.faults.push(message.text());
      }
    });
    return page;
  }

  // Opens a view and waits until it is loaded. Each visit has its own URL, so that the page
  // reloads. Going through about:blank instead would report a late icon request as cross-origin.
  async visit(view) {
    this.visits += 1;
    await this.page.goto(`${this.base}/ui/?visit=${this.visits}#/${view}`);
    await this.page.waitForSelector("main h1");
    await this.page.waitForFunction(() => !document.querySelector("[aria-busy=true], .skeleton"));
  }

  // Waits until one matching element contains the text, or until `count` elements match.
  async see(selector, text, count) {
    const found = this.page.locator(selector);
    if (count !== undefined) {
      await this.page.waitForFunction(
        ([css, wanted]) => document.querySelectorAll(css).length === wanted,
        [selector, count],
      );
      if (text === undefined) return;
    }
    const wanted = text === undefined ? found : found.filter({ hasText: text });
    await wanted
      .first()
      .waitFor({ timeout: patience })
      .catch(async () => {
        const shown = await found.allInnerTexts();
        assert.fail(`timed out waiting for ${text} in ${selector}; it shows ${shown.slice(0, 5)}`);
      });
  }

  // Holds the page's calls that match until the returned function is called.
  async hold(pattern) {
    let open;
    const opened = new Promise((resolve) => (open = resolve));
    await this.page.route(pattern, (route) => opened.then(() => route.continue()));
    return () => {
      open();
      return this.page.unrouteAll({ behavior: "wait" });
    };
  }

  // Presses keys one after another without waiting for the page.
  async type(...keys) {
    await Promise.all(keys.map((key) => this.page.keyboard.press(key)));
  }

  rows() {
    return this.page.$$eval("tr[data-job]", (rows) => rows.map((row) => row.dataset.job));
  }

  // Waits until the list shows exactly these jobs.
  async list(ids) {
    await this.page
      .waitForFunction(
        (wanted) =>
          [...document.querySelectorAll("tr[data-job]")].map((row) => row.dataset.job).join() ===
          wanted,
        ids.join(),
      )
      .catch(async () => assert.deepEqual(await this.rows(), ids));
  }

  // Takes a screenshot and runs axe.
  async clean(name) {
    await this.page.screenshot({ path: join(screenshots, `${name}.png`) });
    await this.page.evaluate(axe);
    const found = await this.page.evaluate(() => window.axe.run(document));
    const violations = found.violations.map(
      (rule) =>
        `${rule.id}: ${rule.nodes
          .slice(0, 3)
          .map((node) => node.html)
          .join(" | ")}`,
    );
    assert.deepEqual(violations, [], `axe on ${name}`);
  }

  async faultless() {
    assert.deepEqual(this.faults, []);
  }

  close() {
    return this.context.close();
  }
}
