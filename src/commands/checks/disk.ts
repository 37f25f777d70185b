import { mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { SETTINGS } from '../../settings/config.ts';
import { attempt, localPath, ofFiles } from './attempt.ts';
import type { Examination } from './examination.ts';
import { fault, ok, type Verdict, warning } from './finding.ts';

const GIGABYTE = 1_073_741_824;
/** Free share of a disk below which space is scarce; the alert of the same name has the same one. */
const FREE_SHARE_MIN = 0.1;
/** Free bytes below which the next minutes may fill the disk. */
const FREE_BYTES_MIN = GIGABYTE / 10;
/** Syncs that are measured. */
const SYNCS = 20;
/** Slower syncs delay callers: group commit hides them only when many callers are concurrent. */
const SYNC_MS_MAX = 20;
/** No disk syncs faster than this: a faster write is in a cache that a power cut empties. */
const SYNC_MS_MIN = 0.02;

/** Measures the sync time of a small write; every acknowledged document waits for it. */
export async function checkDiskSync({ config }: Examination): Promise<Verdict> {
  const root = localPath(config.filesUrl);
  if (root === null) return ok('files lie in object storage');
  return attempt(ofFiles(config), async () => {
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
export function judgeSync(medianMs: number): Verdict {
  const detail = `${medianMs.toFixed(2)} ms until a write is durable`;
  if (medianMs > SYNC_MS_MAX) {
    return warning(detail, 'stored documents wait for it: use a faster disk');
  }
  if (medianMs < SYNC_MS_MIN) {
    const mend =
      'check that the disk and its virtual machine honour fsync; in memory it means nothing';
    return warning(`${detail}, which no disk does`, mend);
  }
  return ok(detail);
}

/** Free and total bytes of the disk of a folder or file. */
export interface Space {
  readonly path: string;
  readonly free: number;
  readonly total: number;
}

export async function checkDiskSpace({ config }: Examination): Promise<Verdict> {
  const paths = [config.filesUrl, config.databaseUrl].map(localPath);
  const known = paths.filter((path) => path !== null);
  if (known.length === 0) return ok('nothing is stored on this machine');
  return attempt(ofFiles(config), async () => judgeSpace(await Promise.all(known.map(spaceOf))));
}

async function spaceOf(path: string): Promise<Space> {
  const { bavail, blocks, bsize } = await statfs(dirname(path));
  return { path, free: bavail * bsize, total: blocks * bsize };
}

export function judgeSpace(spaces: readonly Space[]): Verdict {
  const textOf = (list: readonly Space[]): string => {
    return list.map(({ path, free }) => `${gigabytes(free)} GB free for ${path}`).join(', ');
  };
  const retention = SETTINGS.retentionSeconds.variable;
  const mend =
    'remove what is not needed from that disk, but no file of the service, or enlarge it; a shorter' +
    ` ${retention} frees nothing of what is stored: it counts for later documents`;
  const full = spaces.filter(({ free }) => free < FREE_BYTES_MIN);
  if (full.length > 0) {
    const detail = `${textOf(full)}: below ${gigabytes(FREE_BYTES_MIN)} GB documents are soon refused`;
    return fault(detail, mend);
  }
  const scarce = spaces.filter(({ free, total }) => {
    return free < total * FREE_SHARE_MIN || free < GIGABYTE;
  });
  if (scarce.length === 0) return ok(textOf(spaces));
  const bounds = `${FREE_SHARE_MIN * 100} % of the disk, or 1 GB`;
  return warning(`${textOf(scarce)}: less than ${bounds}`, mend);
}

function gigabytes(bytes: number): string {
  return (bytes / GIGABYTE).toFixed(1);
}
