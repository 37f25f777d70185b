import { workerData } from 'node:worker_threads';

import { createEngine, type EngineSettings } from '#engine';
import type { HeapTask } from './heap.ts';

/**
 * A renderer whose heap heap.ts watches: it renders the tasks in turn for `durationMs`, each at
 * least once. It ignores refusals: a table that the template refuses as too long needs no memory.
 */
const { settings, tasks, durationMs } = workerData as {
  readonly settings: Partial<EngineSettings>;
  readonly tasks: readonly HeapTask[];
  readonly durationMs: number;
};

const engine = createEngine(settings);
const endMs = performance.now() + durationMs;
do {
  for (const { source, hash, body } of tasks) {
    await engine.render({
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
      signature: null,
      isProtected: false,
      isPreview: false,
      digest: true,
    });
  }
} while (performance.now() < endMs);
// The engine holds what a renderer keeps; only the end of the thread frees it.
process.exit(0);
