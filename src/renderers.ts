import type { Config } from './config.ts';
import { ConfigError, SETTINGS } from './config.ts';
import { reasonOf } from './store/reason.ts';
import { createDecodeCells } from './workers/contract/decode-budget.ts';
import { loadFonts, type RejectedFont } from './workers/font/library.ts';
import { createPool, type Pool, type PoolFault } from './workers/pool/pool.ts';

/** A template is checked with all its samples in one go. */
const CHECK_TIMEOUT_MS = 60_000;

/**
 * Font files of the operator's folder that are left out, and why. Throws ConfigError when there is no
 * such folder: in each thread it would be a fault of the renderer.
 */
export function readFontsFolder({ fontsDir }: Config): readonly RejectedFont[] {
  if (fontsDir === null) return [];
  try {
    return loadFonts(fontsDir).rejected;
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error;
    const reason =
      error.code === 'ENOENT' ? 'there is no such folder' : reasonOf(String(error.code));
    throw new ConfigError(`${SETTINGS.fontsDir.variable}: cannot read ${fontsDir}: ${reason}`);
  }
}

/** The threads that render, as the settings say. */
export function startRenderers(
  config: Config,
  threads: number,
  onFault: (fault: PoolFault) => void,
  spareThreads = 0,
): Pool {
  return createPool({
    module: new URL('./workers/render.ts', import.meta.url),
    settings: {
      templateCacheMb: config.templateCacheMb,
      fontsDir: config.fontsDir,
      decodeCells: createDecodeCells(config.decodePixelsMax),
      decodeWaitMsMax: config.renderTimeoutMs / 2,
    },
    threads,
    spareThreads,
    queueMax: config.poolQueueMax,
    renderTimeoutMs: config.renderTimeoutMs,
    checkTimeoutMs: CHECK_TIMEOUT_MS,
    memoryMb: config.workerMemoryMb,
    onFault,
  });
}
