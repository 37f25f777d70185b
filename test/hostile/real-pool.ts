/**
 * Settings that give a test service real renderers. Their time limits count wall-clock time: beside
 * other programs, work of 0.2 s of CPU has taken 20 s.
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
