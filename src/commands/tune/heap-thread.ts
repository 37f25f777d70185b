import { workerData } from 'node:worker_threads';

import render from '../../workers/render.ts';
import type { HeapTask } from './heap.ts';

/**
 * A renderer whose heap is watched from outside (heap.ts): renders the tasks in turn for so long,
 * each once at least. A long table that a template refuses is no failure here: nobody can ask for it.
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
