// ui/dist matches its sources: a fresh build is compared file by file. Files are compared
// uncompressed, because another version of zlib may compress differently.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const ui = join(dirname(fileURLToPath(import.meta.url)), "../../ui");

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}

const run = (program, ...options) =>
  execFileSync(join(ui, "node_modules/.bin", program), options, { cwd: ui, stdio: "pipe" });

test("the sources pass the type check", () => {
  run("tsc", "--noEmit");
});

test("ui/dist matches its sources", () => {
  const fresh = mkdtempSync(join(tmpdir(), "longshore-dist-"));
  try {
    run("vite", "build", "--outDir", fresh, "--emptyOutDir", "--logLevel", "error");
    const kept = join(ui, "dist");
    const note = "run `npm run build` in ui/ and commit ui/dist";
    assert.deepEqual(filesIn(kept), filesIn(fresh), note);
    for (const name of filesIn(fresh)) {
      const [mine, theirs] = [kept, fresh].map((each) =>
        gunzipSync(readFileSync(join(each, name))),
      );
      assert.ok(mine.equals(theirs), `${name} differs: ${note}`);
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
});

test("ui/dist is at most 80 KB, compressed", () => {
  const dist = join(ui, "dist");
  const total = filesIn(dist).reduce((sum, name) => sum + readFileSync(join(dist, name)).length, 0);
  console.log(`ui/dist: ${total} bytes`);
  assert.ok(total <= 80_000, `${total} bytes`);
});

test("every package is pinned, and no lock file contains download URLs", () => {
  for (const folder of [ui, dirname(fileURLToPath(import.meta.url))]) {
    const wanted = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const pins = { ...wanted.dependencies, ...wanted.devDependencies };
    for (const [name, version] of Object.entries(pins))
      assert.match(version, /^\d+\.\d+\.\d+$/, name);
    assert.doesNotMatch(readFileSync(join(folder, "package-lock.json"), "utf8"), /"resolved"/);
  }
});
