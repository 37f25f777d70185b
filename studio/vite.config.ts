import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

/** Below this a compressed copy saves no packet. */
const SHORT_BYTES = 1_024;

/** Puts compressed copies beside the assets, so that the service compresses nothing while it serves. */
function compressed(): Plugin {
  let folder = '';
  return {
    name: 'compressed',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = resolve(root, build.outDir, 'assets');
    },
    closeBundle: () => {
      for (const name of readdirSync(folder)) {
        if (/\.(?:br|gz|woff2|png)$/.test(name)) continue;
        const bytes = readFileSync(join(folder, name));
        if (bytes.byteLength < SHORT_BYTES) continue;
        writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
        const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, { params }));
      }
    },
  };
}

export default defineConfig({
  base: '/studio/',
  publicDir: false,
  plugins: [compressed()],
  build: {
    target: 'es2023',
    outDir: 'dist',
    emptyOutDir: true,
    // Small files too: a data URL in a script or a style sheet would need a wider policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 3_000,
    rolldownOptions: {
      input: ['index.html', 'docs.html'].map((name) => resolve(import.meta.dirname, name)),
      output: {
        // The editor changes seldom: it keeps its place in the browser's cache.
        codeSplitting: {
          groups: [
            {
              name: 'code',
              test: /node_modules\/(?:@codemirror|@lezer|style-mod|crelt|w3c-keyname)/,
            },
          ],
        },
      },
    },
  },
});
