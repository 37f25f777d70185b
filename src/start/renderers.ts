import { readFileSync, statSync } from 'node:fs';
import type { Config } from '../settings/config.ts';
import { ConfigError, SETTINGS } from '../settings/config.ts';
import { reasonOf } from '../store/reason.ts';
import { createDecodeCells, readRejectedFonts, type RejectedFont } from '#engine/light';
import { createPool, type Pool, type PoolFault } from '../workers/pool/pool.ts';

/** Least timeout for publishing, which checks a template and renders all its samples. */
const CHECK_TIMEOUT_MS_MIN = 60_000;
/** Least timeout for saving a draft, which takes at most 2 s of CPU to compile. */
const DRAFT_TIMEOUT_MS_MIN = 10_000;

/**
 * Checks the operator's font folder; returns the files that are left out, and why. Throws
 * ConfigError when the folder cannot be read, before every renderer fails at it.
 */
export async function readFontsFolder({ fontsDir }: Config): Promise<readonly RejectedFont[]> {
  if (fontsDir === null) return [];
  try {
    return await readRejectedFonts(fontsDir);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error;
    const reason =
      error.code === 'ENOENT' ? 'there is no such folder' : reasonOf(String(error.code));
    throw new ConfigError(`${SETTINGS.fontsDir.variable}: cannot read ${fontsDir}: ${reason}`);
  }
}

/** Limits of the words file. */
const WORDS_BYTES_MAX = 4 * 1024 * 1024;
const WORDS_MAX = 50_000;
const THAI_WORD = /^[\u0e01-\u0e3a\u0e40-\u0e4e]{2,60}$/u;

/** Reads the operator's words, one per line; ignores empty lines and lines that begin with #. */
export function readWordsFile({ wordsFile }: Config): readonly string[] {
  if (wordsFile === null) return [];
  const { variable } = SETTINGS.wordsFile;
  let text: string;
  try {
    const { size } = statSync(wordsFile);
    if (size > WORDS_BYTES_MAX) {
      throw new ConfigError(`${variable}: ${wordsFile} is over ${WORDS_BYTES_MAX} bytes.`);
    }
    text = readFileSync(wordsFile, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error;
    const reason = error.code === 'ENOENT' ? 'there is no such file' : reasonOf(String(error.code));
    throw new ConfigError(`${variable}: cannot read ${wordsFile}: ${reason}`);
  }
  const words: string[] = [];
  for (const [index, line] of text.split(/\r?\n/u).entries()) {
    const word = line.trim();
    if (word === '' || word.startsWith('#')) continue;
    if (!THAI_WORD.test(word)) {
      const at = `${variable}: line ${index + 1} of ${wordsFile}`;
      throw new ConfigError(`${at} is not one word of 2 to 60 Thai letters.`);
    }
    words.push(word);
  }
  if (words.length > WORDS_MAX) {
    throw new ConfigError(`${variable}: ${wordsFile} holds more than ${WORDS_MAX} words.`);
  }
  return words;
}

/** Starts the pool of renderers with the configured limits. */
export function startRenderers(
  config: Config,
  threads: number,
  onFault: (fault: PoolFault) => void,
  spareThreads = 0,
): Pool {
  return createPool({
    module: new URL('../workers/render.ts', import.meta.url),
    settings: {
      templateCacheMb: config.templateCacheMb,
      fontsDir: config.fontsDir,
      words: readWordsFile(config),
      decodeCells: createDecodeCells(config.decodePixelsMax),
      decodeWaitMsMax: config.renderTimeoutMs / 2,
    },
    threads,
    spareThreads,
    queueMax: config.poolQueueMax,
    renderTimeoutMs: config.renderTimeoutMs,
    // An operator of a slow machine raises the limit of documents; drafts need more time there, too.
    checkTimeoutMs: Math.max(CHECK_TIMEOUT_MS_MIN, config.renderTimeoutMs),
    draftTimeoutMs: Math.max(DRAFT_TIMEOUT_MS_MIN, config.renderTimeoutMs),
    memoryMb: config.workerMemoryMb,
    onFault,
  });
}
