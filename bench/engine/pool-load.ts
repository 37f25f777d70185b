import { releaseBuffer } from '../../src/runtime/memory/release-buffer.ts';
import type { RenderJob } from '#engine';
import { createPool } from '../../src/workers/pool/pool.ts';
import type { Pool, PoolFault } from '../../src/workers/pool/pool.ts';
import { SHAPES } from '../../lab/shapes/index.ts';
import type { ShapeName } from '../../lab/shapes/sheet.ts';
import { renderJob, shareTemplate } from '../../lab/shapes/job.ts';

export interface PoolLoadOptions {
  readonly shape: ShapeName;
  readonly threads: number;
  /** Number of concurrent jobs. */
  readonly lanes: number;
  /** Rows of shape B; undefined: all. */
  readonly rows: number | undefined;
}

export interface PoolLine {
  readonly documentsPerSecond: number;
  /** All threads of the process together. */
  readonly cpuMsPerDocument: number;
  readonly rssMb: number;
}

/** Distinct bodies; each is copied before it is given away. */
const BODIES = 256;
/** The number of distinct bodies with 2,000 rows. */
const BODIES_LARGE = 8;
const MEMORY_MB = 512;

function startPool(threads: number): Pool {
  return createPool({
    module: new URL('../../src/workers/render.ts', import.meta.url),
    settings: { fontsDir: null },
    threads,
    spareThreads: 0,
    queueMax: 64,
    renderTimeoutMs: 60_000,
    checkTimeoutMs: 60_000,
    draftTimeoutMs: 10_000,
    memoryMb: MEMORY_MB,
    onFault: ({ kind, error, stack }: PoolFault) => {
      process.stderr.write(`${kind} ${error}\n${stack.join('\n')}\n`);
    },
  });
}

/** A renderer pool in this process and a load of documents for it, without HTTP. */
export class PoolLoad {
  readonly #pool: Pool;
  readonly #jobs: readonly RenderJob[];
  readonly #lanes: number;
  #next = 0;

  constructor({ shape: name, threads, lanes, rows }: PoolLoadOptions) {
    const shape = SHAPES[name];
    const template = shareTemplate(shape, 1);
    const options = { cold: false, ...(rows === undefined ? {} : { rows }) };
    this.#jobs = Array.from({ length: name === 'B' ? BODIES_LARGE : BODIES }, (_, i) =>
      renderJob(shape, shape.document(i + 1, options), template, true),
    );
    this.#lanes = lanes;
    this.#pool = startPool(threads);
  }

  ready(): Promise<void> {
    return this.#pool.ready();
  }

  /** Keeps every thread busy for a while. */
  async run(ms: number): Promise<PoolLine> {
    const before = process.cpuUsage();
    const startMs = performance.now();
    let documents = 0;
    const lane = async (): Promise<void> => {
      while (performance.now() < startMs + ms) {
        await this.#renderOne();
        documents++;
      }
    };
    await Promise.all(Array.from({ length: this.#lanes }, lane));
    const wallMs = performance.now() - startMs;
    const used = process.cpuUsage(before);
    return {
      documentsPerSecond: (documents * 1000) / wallMs,
      cpuMsPerDocument: (used.user + used.system) / 1000 / documents,
      rssMb: process.resourceUsage().maxRSS / 1024,
    };
  }

  close(): Promise<void> {
    return this.#pool.close(1_000);
  }

  async #renderOne(): Promise<void> {
    const job = this.#jobs[this.#next++ % this.#jobs.length];
    if (job === undefined) throw new Error('there is a job for every index');
    const given: RenderJob = { ...job, body: job.body.slice() };
    const result = await this.#pool.submit(given, 'bench').result;
    if (!result.ok) throw new Error(`${result.code}: ${result.message}`);
    releaseBuffer(result.value.pdf);
  }
}
