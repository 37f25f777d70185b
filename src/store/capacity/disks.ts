import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What is stored on a disk of this machine. */
export type DiskUse = 'files' | 'database';

/** The disk of the files, or of the SQLite database. */
export interface DiskFigures {
  readonly use: DiskUse;
  /** Bytes that the service may still write; NaN: not known yet, or the disk does not answer. */
  readonly freeBytes: number;
  readonly totalBytes: number;
  /**
   * Seconds until it is full at the rate of the last hours, at most a day; NaN: it does not fill, or
   * less than an hour is known.
   */
  readonly leftSeconds: number;
}

/** What `statfs` of Node tells of a file system. */
export type ReadSpace = (
  path: string,
) => Promise<{ readonly bavail: number; readonly blocks: number; readonly bsize: number }>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Figures are this old at most, counted from when they are asked for. */
const AGE_MS_MAX = MINUTE_MS;
/** A disk that has not answered for this long has no figures. */
const ANSWER_MS_MAX = 10_000;
/** Interval of the samples from which the rate is computed, and the time that they cover. */
const SAMPLE_MS = 5 * MINUTE_MS;
const COVERED_MS = 24 * HOUR_MS;
/** A rate over less time would follow every burst. */
const RATE_MS_MIN = HOUR_MS;

interface Sample {
  readonly atMs: number;
  readonly freeBytes: number;
}

/** Free space of the disks on this machine, looked at once a minute while somebody asks. */
export class Disks {
  readonly #disks: readonly Disk[];

  constructor(databaseUrl: string, filesUrl: string, monotonicMs: () => number, read?: ReadSpace) {
    const places = [
      ['files', pathOf(filesUrl, 'file:')],
      ['database', pathOf(databaseUrl, 'sqlite:')],
    ] as const;
    this.#disks = places.flatMap(([use, path]) =>
      path === null ? [] : [new Disk(use, path, monotonicMs, read ?? statfs)],
    );
  }

  /** The last figures; starts to look again when they are old. Never waits for a disk. */
  figures(): readonly DiskFigures[] {
    return this.#disks.map((disk) => disk.figures());
  }
}

class Disk {
  readonly #use: DiskUse;
  readonly #path: string;
  readonly #monotonicMs: () => number;
  readonly #read: ReadSpace;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #isAsking = false;
  #freeBytes = Number.NaN;
  #totalBytes = Number.NaN;
  /** The oldest first. */
  #samples: Sample[] = [];

  constructor(use: DiskUse, path: string, monotonicMs: () => number, read: ReadSpace) {
    this.#use = use;
    this.#path = path;
    this.#monotonicMs = monotonicMs;
    this.#read = read;
  }

  figures(): DiskFigures {
    const nowMs = this.#monotonicMs();
    if (!this.#isAsking && nowMs - this.#askedAtMs >= AGE_MS_MAX) void this.#ask(nowMs);
    const hangs = this.#isAsking && nowMs - this.#askedAtMs >= ANSWER_MS_MAX;
    return {
      use: this.#use,
      freeBytes: hangs ? Number.NaN : this.#freeBytes,
      totalBytes: hangs ? Number.NaN : this.#totalBytes,
      leftSeconds: hangs ? Number.NaN : this.#leftSeconds(nowMs),
    };
  }

  async #ask(nowMs: number): Promise<void> {
    this.#askedAtMs = nowMs;
    this.#isAsking = true;
    try {
      const { bavail, blocks, bsize } = await this.#read(this.#path);
      this.#freeBytes = bavail * bsize;
      this.#totalBytes = blocks * bsize;
      this.#sample({ atMs: nowMs, freeBytes: this.#freeBytes });
    } catch (error) {
      // The probe of the store reports a disk that fails; here it only has no figures.
      if (!(error instanceof Error && 'code' in error)) throw error;
      this.#freeBytes = Number.NaN;
      this.#totalBytes = Number.NaN;
    } finally {
      this.#isAsking = false;
    }
  }

  #sample(sample: Sample): void {
    const last = this.#samples.at(-1);
    if (last !== undefined && sample.atMs - last.atMs < SAMPLE_MS) return;
    this.#samples = this.#samples.filter(({ atMs }) => sample.atMs - atMs <= COVERED_MS);
    this.#samples.push(sample);
  }

  #leftSeconds(nowMs: number): number {
    const [first] = this.#samples;
    if (first === undefined || nowMs - first.atMs < RATE_MS_MIN) return Number.NaN;
    const usedBytes = first.freeBytes - this.#freeBytes;
    if (!(usedBytes > 0)) return Number.NaN;
    return ((this.#freeBytes / usedBytes) * (nowMs - first.atMs)) / 1_000;
  }
}

/** The folder of a store on this machine; null: it is elsewhere, or in memory. */
function pathOf(url: string, scheme: string): string | null {
  const path = url.slice(scheme.length);
  if (!url.startsWith(scheme) || path === ':memory:') return null;
  // The folder of the files is made later; its parent is on the same disk.
  return dirname(path);
}
