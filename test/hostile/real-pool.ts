/**
 * Makes the renderers of a test service the real ones. Their time limits count the wall clock: beside
 * other programs, what takes 0.2 s of CPU was seen to take 20 s.
 */
export const REAL_POOL = {
  module: new URL('../../src/workers/render.ts', import.meta.url),
  settings: { templateCacheMb: 16, fontsDir: null },
  memoryMb: 512,
  queueMax: 100,
  renderTimeoutMs: 120_000,
  checkTimeoutMs: 120_000,
  draftTimeoutMs: 120_000,
};
