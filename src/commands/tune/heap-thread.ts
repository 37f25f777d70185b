import { workerData } from 'node:worker_threads';

import render from '../../engine/render.ts';
import type { HeapTask } from './heap.ts';

/**
 * A renderer whose heap heap.ts watches: it renders the tasks in turn for `durationMs`, each at
 * least once. It ignores refusals: a table that the template refuses as too long needs no memory.
 */
const { tasks, durationMs } = workerData as {
  readonly tasks: readonly HeapTask[];
  readonly durationMs: number;
};

const endMs = performance.now() + durationMs;
do {
  for (const { source, hash, body } of tasks) {
    await render({
      kind: 'render',
      template: { hash, source, templateId: '', version: 1 },
      body: body.slice(),
      dataStart: 0,
      dataEnd: body.byteLength,
      atMs: 0,
      attachments: [],
      watermark: null,
      metadata: null,
      checkOnly: false,
      digest: true,
    });
  }
} while (performance.now() < endMs);
// The render module holds what a renderer keeps; only the end of the thread frees it.
process.exit(0);
