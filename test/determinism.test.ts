import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import t from 'tap';
import { renderJob, shareTemplate } from '../lab/shapes/job.ts';
import { SHAPES } from '../lab/shapes/index.ts';
import type { ShapeName } from '../lab/shapes/sheet.ts';

/**
 * The same job gives the same bytes, whatever the worker rendered before: two threads render the
 * same documents in opposite orders, so their caches differ at each document.
 */

interface Ask {
  readonly shape: ShapeName;
  readonly seed: number;
  readonly cold: boolean;
}

const ASKS: Ask[] = (['A', 'B', 'C'] as const).flatMap((shape) =>
  [1, 2, 3].flatMap((seed) => [
    { shape, seed, cold: false },
    { shape, seed, cold: true },
  ]),
);

if (isMainThread) {
  t.test('the same job gives the same bytes, whatever came before', async (t) => {
    const [forwards, backwards] = await Promise.all([digests(ASKS), digests(ASKS.toReversed())]);
    t.equal(forwards.length, ASKS.length);
    t.strictSame(backwards.toReversed(), forwards);
    t.equal(new Set(forwards).size, ASKS.length, 'other jobs give other bytes');
  });
} else {
  // Only digests() below starts this file as a thread.
  parentPort?.postMessage(await renderAll(workerData as Ask[]));
}

async function digests(asks: readonly Ask[]): Promise<string[]> {
  const worker = new Worker(new URL(import.meta.url), { workerData: asks });
  for (;;) {
    // Hooks that the test runner installs in the thread post messages, too.
    const [message] = (await once(worker, 'message')) as unknown[];
    if (!Array.isArray(message)) continue;
    await worker.terminate();
    return message as string[];
  }
}

async function renderAll(asks: readonly Ask[]): Promise<string[]> {
  const { default: run } = await import('../src/workers/render.ts');
  const templates = new Map<ShapeName, ReturnType<typeof shareTemplate>>();
  const results: string[] = [];
  for (const { shape, seed, cold } of asks) {
    const template = templates.get(shape) ?? shareTemplate(SHAPES[shape], 1);
    templates.set(shape, template);
    const document = SHAPES[shape].document(seed, { cold, rows: 300 });
    const result = await run(renderJob(SHAPES[shape], document, template, false));
    if (result === undefined || !('ok' in result) || !result.ok) throw new Error('not rendered');
    results.push(createHash('sha256').update(result.value.pdf).digest('hex'));
  }
  return results;
}
