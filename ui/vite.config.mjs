// Builds dist/: every file packed, named by its content, the same bytes from the same sources.
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

// The page's own origin serves everything, so nothing needs to be asked for across origins.
const plainTags = {
  name: "plain-tags",
  transformIndexHtml: (html) => html.replaceAll(" crossorigin", ""),
};

export default defineConfig({
  base: "./", // works below any path
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
