// Builds dist/: gzipped files with content hashes in their names. The build is reproducible.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { defineConfig } from "vite";

function packed() {
  let folder = "dist";
  return {
    name: "packed",
    apply: "build",
    configResolved(config) {
      folder = join(config.root, config.build.outDir);
      if (config.build.outDir.startsWith("/")) folder = config.build.outDir;
    },
    closeBundle() {
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        const file = join(entry.parentPath ?? entry.path, entry.name);
        if (!entry.isFile() || file.endsWith(".gz")) continue;
        writeFileSync(file + ".gz", gzipSync(readFileSync(file), { level: 9 }));
        rmSync(file);
      }
    },
  };
}

// All files have the page's origin, so the crossorigin attribute is not needed.
const plainTags = {
  name: "plain-tags",
  transformIndexHtml: (html) => html.replaceAll(" crossorigin", ""),
};

export default defineConfig({
  base: "./", // works under any path prefix
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    reportCompressedSize: false,
  },
  plugins: [plainTags, packed()],
});
