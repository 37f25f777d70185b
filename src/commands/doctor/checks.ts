import { spawnSync } from 'node:child_process';
import { mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { dirname, join } from 'node:path';

import { ConfigError, SETTINGS, unknownSettings, type Config } from '../../config.ts';
import { connectionsMax, readDescriptorsMax } from '../../gateway/http/descriptors.ts';
import { loadUws } from '../../gateway/http/uws.ts';
import { readFontsFolder, readWordsFile } from '../../renderers.ts';
import { linkSecrets } from '../../secrets.ts';
import {
  closeStore,
  inspectFiles,
  migrateStore,
  openConfiguredStore,
  tryFiles,
} from '../../storage.ts';
import { StorageUnavailable } from '../../store/store.ts';
import { databaseClockMs } from './clock.ts';
import { checkEncryption } from './encryption.ts';
import { checkQueue } from './queue.ts';
import { checkSeals } from './seals.ts';
import { checkSigning } from './signers.ts';

/** The result of one check. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'fault';
  readonly detail: string;
  /** How to mend it; '' when nothing needs mending. */
  readonly mend: string;
}

type Check = (config: Config) => Promise<Finding> | Finding;

const MEGABYTE = 1_048_576;
const GIGABYTE = 1_073_741_824;
const QPDF_MS_MAX = 5_000;
/** With fewer descriptors, fewer than 2,000 connections can be served. */
const DESCRIPTORS_MIN = 4_096;
/** Free share of a disk below which space is scarce. */
const FREE_SHARE_MIN = 0.1;
/** Memory of the main process, without renderers and bodies. */
const MAIN_PROCESS_MB = 256;
/** Syncs that are measured. */
const SYNCS = 20;
/** Slower syncs delay callers: group commit hides them only when many callers are concurrent. */
const SYNC_MS_MAX = 20;
/** No disk syncs faster than this: a faster write is in a cache that a power cut empties. */
const SYNC_MS_MIN = 0.02;
const CLOCK_DIFFERENCE_MS_MAX = 2_000;

function ok(check: string, detail: string): Finding {
  return { check, state: 'ok', detail, mend: '' };
}

function warning(check: string, detail: string, mend: string): Finding {
  return { check, state: 'warning', detail, mend };
}

function fault(check: string, detail: string, mend: string): Finding {
  return { check, state: 'fault', detail, mend };
}

/** The checks in the order of the output. None of them changes rows or documents. */
export const CHECKS: readonly Check[] = [
  settings,
  program,
  descriptors,
  memory,
  processors,
  database,
  clock,
  files,
  diskSync,
  diskSpace,
  checkSeals,
  checkQueue,
  secrets,
  checkEncryption,
  checkSigning,
  fonts,
  words,
  qpdf,
];

function settings(): Finding {
  const unknown = unknownSettings(process.env);
  if (unknown.length === 0) return ok('settings', 'every INTAGLIO_ variable is a setting');
  return warning(
    'settings',
    `not known, so ignored: ${unknown.join(', ')}`,
    'compare the names with docs/settings.md',
  );
}

function program(): Finding {
  const header = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  const libc = header.header?.glibcVersionRuntime;
  const detail = `Node ${process.versions.node}, ${libc === undefined ? 'no glibc' : `glibc ${libc}`}`;
  try {
    loadUws();
    return ok('program', detail);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return fault(
      'program',
      `${detail}: ${error.message}`,
      'run it on Debian 11 or later, or an equivalent system',
    );
  }
}

function descriptors(): Finding {
  const descriptorsMax = readDescriptorsMax();
  const connections = connectionsMax(descriptorsMax);
  const detail = `${descriptorsMax} files may be open: ${connections} connections`;
  if (descriptorsMax >= DESCRIPTORS_MIN) return ok('descriptors', detail);
  const mend = 'raise the limit: ulimit -n 32768, or LimitNOFILE= of the unit';
  return warning('descriptors', detail, mend);
}

/** Compares the memory with what renderers, a spare one, bodies and the main process may use. */
function memory(config: Config): Finding {
  const { poolThreads, workerMemoryMb, bodyMemoryMb } = config;
  const neededMb = (poolThreads + 1) * workerMemoryMb + bodyMemoryMb + MAIN_PROCESS_MB;
  const needed = neededMb * MEGABYTE;
  const limit = process.constrainedMemory();
  const available = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  const detail = `${gigabytes(available)} GB; at most ${gigabytes(needed)} GB are used`;
  if (needed <= available) return ok('memory', detail);
  const { poolThreads: threads, workerMemoryMb: heap } = SETTINGS;
  const mend = `lower ${threads.variable} or ${heap.variable}, or give it more memory`;
  return warning('memory', detail, mend);
}

function gigabytes(bytes: number): string {
  return (bytes / GIGABYTE).toFixed(1);
}

function processors({ poolThreads }: Config): Finding {
  const cores = availableParallelism();
  const detail = `${cores} cores, ${poolThreads} renderers`;
  if (poolThreads <= cores) return ok('processors', detail);
  return warning('processors', detail, `set ${SETTINGS.poolThreads.variable} to ${cores} or less`);
}

async function database(config: Config): Promise<Finding> {
  const warnings: string[] = [];
  return attempt('database', 'rows can be read and written', async () => {
    const store = await openConfiguredStore(config, (message) => warnings.push(message));
    try {
      await migrateStore(store, config);
      await store.probe();
      const [defect] = await store.checkDatabase();
      if (defect !== undefined) {
        const detail = `the SQLite file is damaged: ${defect}`;
        return fault('database', detail, 'stop the service and restore a backup');
      }
    } finally {
      await closeStore(store);
    }
    if (warnings.length === 0) return null;
    return warning('database', warnings.join('; '), 'see docs/settings.md');
  });
}

async function clock({ databaseUrl }: Config): Promise<Finding> {
  const databaseMs = await databaseClockMs(databaseUrl);
  if (databaseMs === null) return ok('clock', 'no other machine to compare it with');
  const differenceMs = Math.round(Math.abs(databaseMs - Date.now()));
  const detail = `${differenceMs} ms from the database's`;
  if (differenceMs <= CLOCK_DIFFERENCE_MS_MAX) return ok('clock', detail);
  return warning('clock', detail, 'let NTP set both: documents and links expire by this clock');
}

/** After `database`, which brings the schema up to date. */
async function files(config: Config): Promise<Finding> {
  return attempt('files', 'files can be written, and belong to this database', async () => {
    await tryFiles(config);
    const store = await openConfiguredStore(config, () => undefined);
    try {
      await inspectFiles(store, config);
      const { fileWarnings } = store.figures();
      if (fileWarnings.length === 0) return null;
      return warning(
        'files',
        fileWarnings.join('; '),
        'see docs/operations.md, Backup and restore',
      );
    } finally {
      await closeStore(store);
    }
  });
}

/** Measures the sync time of a small write; every acknowledged document waits for it. */
async function diskSync({ filesUrl }: Config): Promise<Finding> {
  const root = localFolder(filesUrl);
  if (root === null) return ok('disk sync', 'files lie in object storage');
  return attempt('disk sync', '', async () => {
    const folder = await mkdtemp(join(dirname(root), '.doctor-'));
    try {
      return judgeSync(await medianSyncMs(join(folder, 'sync')));
    } finally {
      await rm(folder, { recursive: true });
    }
  });
}

async function medianSyncMs(path: string): Promise<number> {
  const file = await open(path, 'w');
  try {
    const times: number[] = [];
    for (let index = 0; index < SYNCS; index += 1) {
      const startMs = performance.now();
      await file.write(Buffer.alloc(4_096, index));
      await file.sync();
      times.push(performance.now() - startMs);
    }
    return times.toSorted((a, b) => a - b)[SYNCS / 2] ?? 0;
  } finally {
    await file.close();
  }
}

/** `medianMs`: median time of one write and its sync. */
export function judgeSync(medianMs: number): Finding {
  const detail = `${medianMs.toFixed(2)} ms until a write is durable`;
  if (medianMs > SYNC_MS_MAX) {
    return warning('disk sync', detail, 'stored documents wait for it: use a faster disk');
  }
  if (medianMs < SYNC_MS_MIN) {
    const mend =
      'check that the disk and its virtual machine honour fsync; in memory it means nothing';
    return warning('disk sync', `${detail}, which no disk does`, mend);
  }
  return ok('disk sync', detail);
}

async function diskSpace({ filesUrl, databaseUrl }: Config): Promise<Finding> {
  const folders = [filesUrl, databaseUrl].map(localFolder).filter((folder) => folder !== null);
  if (folders.length === 0) return ok('disk space', 'nothing is stored on this machine');
  return attempt('disk space', '', async () => {
    const spaces = await Promise.all(
      folders.map(async (folder) => {
        const { bavail, blocks, bsize } = await statfs(dirname(folder));
        const free = bavail * bsize;
        const isScarce = free < blocks * bsize * FREE_SHARE_MIN || free < GIGABYTE;
        return { isScarce, text: `${gigabytes(free)} GB free for ${folder}` };
      }),
    );
    const scarce = spaces.filter(({ isScarce }) => isScarce);
    const textOf = (list: typeof spaces): string => list.map(({ text }) => text).join(', ');
    if (scarce.length === 0) return ok('disk space', textOf(spaces));
    const mend = `free some, or shorten ${SETTINGS.retentionSeconds.variable}`;
    return warning('disk space', textOf(scarce), mend);
  });
}

/** The folder or file on this machine that a URL names; null: the URL names a remote store. */
function localFolder(url: string): string | null {
  if (url === 'sqlite::memory:' || !/^(?:file|sqlite):/.test(url)) return null;
  return url.slice(url.indexOf(':') + 1);
}

async function secrets(config: Config): Promise<Finding> {
  return attempt('link secrets', 'links can be signed', () => {
    linkSecrets(config);
    const isShared = config.databaseUrl.startsWith('mysql:') && config.linkSecrets === null;
    if (!isShared) return null;
    return warning(
      'link secrets',
      'kept on this machine, while the database may be shared',
      `give every instance the same ${SETTINGS.linkSecrets.variable}`,
    );
  });
}

async function fonts(config: Config): Promise<Finding> {
  const folder = config.fontsDir ?? 'those that ship with the service';
  return attempt('fonts', folder, () => {
    const rejected = readFontsFolder(config);
    if (rejected.length === 0) return null;
    const names = rejected.map(({ file, reason }) => `${file} (${reason})`).join(', ');
    return warning('fonts', `left out: ${names}`, 'replace or remove these files');
  });
}

async function words(config: Config): Promise<Finding> {
  return attempt('words', 'no file of words, or a sound one', () => {
    readWordsFile(config);
    return null;
  });
}

function qpdf(config: Config): Finding {
  const run = spawnSync(config.qpdf, ['--version'], { timeout: QPDF_MS_MAX, encoding: 'utf8' });
  if (run.status === 0) return ok('qpdf', run.stdout.split('\n', 1)[0] ?? '');
  return warning(
    'qpdf',
    `${config.qpdf} does not run: a request for protection gets 503`,
    `install qpdf, or name it in ${SETTINGS.qpdf.variable}`,
  );
}

/**
 * Runs a check, which returns null when all is well. Turns a wrong setting or a failed system call
 * into a fault with its message.
 */
async function attempt(
  check: string,
  detail: string,
  work: () => Promise<Finding | null> | Finding | null,
): Promise<Finding> {
  try {
    return (await work()) ?? ok(check, detail);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isExpected =
      error instanceof ConfigError || error instanceof StorageUnavailable || 'code' in error;
    if (!isExpected) throw error;
    return fault(check, error.message, 'the service does not start or work with this');
  }
}
