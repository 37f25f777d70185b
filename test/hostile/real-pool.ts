/** Makes the renderers of a test service the real ones. */
export const REAL_POOL = {
  module: new URL('../../src/workers/render.ts', import.meta.url),
  settings: { templateCacheMb: 16, fontsDir: null },
  memoryMb: 512,
  queueMax: 100,
  renderTimeoutMs: 20_000,
  checkTimeoutMs: 60_000,
};
