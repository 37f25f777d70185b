import t from 'tap';
import { fail, type Outcome, succeed } from '../errors.ts';
import type { CheckRowsJob, RenderRowsJob } from '#engine';
import type { Pool } from '../workers/pool/pool.ts';
import { StillWriting, StorageUnavailable } from '../store/store.ts';
import { Slab, Slabs } from './slabs.ts';
import { RowJobs } from './row-jobs.ts';

const SHARED = {
  kind: 'check_rows',
  template: { hash: 'h', source: new SharedArrayBuffer(2), templateId: 'note', version: 1 },
  header: null,
  isFirstPart: true,
} as unknown as Omit<CheckRowsJob, 'rows' | 'ends'>;
const LATE = fail('render_failed', 'The render took longer than 10000 ms.');

/** Runs rows of one byte each; `answer` says how a job with these rows ends, null: well. */
async function run(
  count: number,
  answer: (rows: string) => ReturnType<typeof fail> | null,
): Promise<{ jobs: readonly string[]; failed: readonly number[] }> {
  const jobs: string[] = [];
  const rows = (job: CheckRowsJob): { result: Promise<Outcome<unknown>>; queuedMs: number } => {
    const text = Buffer.from(job.rows).toString();
    jobs.push(text);
    const result = answer(text) ?? succeed({ rows: Array.from(text) });
    return { result: Promise.resolve(result), queuedMs: 0 };
  };
  const bytes = Buffer.from('abcdefghijklmnopqrstuvwxyz'.slice(0, count));
  const ends = Array.from(bytes, (_, at) => at + 1);
  const failed: number[] = [];
  const engine = new RowJobs({ rows } as unknown as Pool, () => false);
  for await (const { from, failure } of engine.run(
    SHARED,
    { bytes, ends },
    { key: 'run', team: 'bank' },
  )) {
    if (failure !== null) failed.push(from);
  }
  return { jobs, failed };
}

t.test('a row that exceeds its time alone is tried once more', async (t) => {
  let late = 1;
  const once = await run(1, () => (late-- > 0 ? LATE : null));
  t.strictSame(once, { jobs: ['a', 'a'], failed: [] });
  t.strictSame(await run(1, () => LATE), { jobs: ['a', 'a'], failed: [0] }, 'but no more');
});

t.test('a row that ends a job of several rows is tried once more, alone', async (t) => {
  const { jobs, failed } = await run(4, (rows) => (rows.includes('b') ? LATE : null));
  t.strictSame(jobs, ['abcd', 'a', 'b', 'c', 'd']);
  t.strictSame(failed, [1]);
});

t.test('a row whose job fails for another reason fails at once', async (t) => {
  const { jobs, failed } = await run(1, () => fail('invalid_data', 'no', []));
  t.strictSame({ jobs, failed }, { jobs: ['a'], failed: [0] });
});

await t.test(
  'files of jobs follow each other in a slab, and none after a job that failed',
  async (t) => {
    const slabs: (number | undefined)[] = [];
    const rows = (job: RenderRowsJob): { result: Promise<Outcome<unknown>>; queuedMs: number } => {
      slabs.push(job.slab?.byteOffset);
      const text = Buffer.from(job.rows).toString();
      const made = {
        rows: Array.from(text),
        files: job.slab?.subarray(0, 10) ?? new Uint8Array(10),
      };
      const result = text === 'ef' ? LATE : succeed(made);
      return { result: Promise.resolve(result), queuedMs: 0 };
    };
    const rowJobs = new RowJobs({ rows } as unknown as Pool, () => false);
    const slab = new Slab(new Uint8Array(new SharedArrayBuffer(100)));
    const shared = { ...SHARED, kind: 'render_rows' } as unknown as RenderRowsJob;
    const given = { bytes: Buffer.from('abcdef'), ends: [1, 2, 3, 4, 5, 6] };
    const memory = slab.left?.buffer;
    const places: (number | null)[] = [];
    for await (const answer of rowJobs.run(shared, given, { key: 'run', team: 'bank' }, slab)) {
      if (answer.failure !== null) throw new Error(answer.failure.message);
      const { files } = answer.result as unknown as { files: Uint8Array };
      places.push(files.buffer === memory ? files.byteOffset : null);
    }
    t.strictSame(slabs, [0, 10, undefined, undefined]);
    t.strictSame(places, [0, null, null]);
    t.notOk(slab.isReusable);
  },
);

function bufferOf(slab: Slab): ArrayBufferLike | undefined {
  return slab.left?.buffer;
}

await t.test('a slab is used again when what used it has ended well', async (t) => {
  const slabs = new Slabs();
  const first = await slabs.with(async (slab) => bufferOf(slab));
  t.equal(await slabs.with(async (slab) => bufferOf(slab)), first);
  const refused = slabs.with(async () => {
    throw new StorageUnavailable('the disk is full');
  });
  await t.rejects(refused);
  t.equal(await slabs.with(async (slab) => bufferOf(slab)), first, 'after the store refused');
  for (const error of [new Error('a bug'), new StillWriting('the disk hangs')]) {
    const before = await slabs.with(async (slab) => bufferOf(slab));
    const failed = slabs.with(async () => {
      throw error;
    });
    await t.rejects(failed);
    const after = await slabs.with(async (slab) => bufferOf(slab));
    t.not(after, before, 'something may still read it');
  }
  const second = await slabs.with(async (slab) => {
    slab.close();
    return bufferOf(slab);
  });
  t.equal(second, undefined, 'after a job that failed');
  t.not(await slabs.with(async (slab) => bufferOf(slab)), first);
});
