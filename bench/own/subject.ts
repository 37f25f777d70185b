import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine, type RenderJob } from '#engine';
import { entryAt } from '../../src/errors.ts';
import { jobsOf } from './jobs.ts';
import type { Reply, RoundRequest, SubjectArguments } from './protocol.ts';

/**
 * Draws documents of one template on one thread, in a separate process: `bench --template` starts it
 * with a channel and `SubjectArguments`. It draws its first document at once, keeps it, and then
 * answers each `RoundRequest` with a round.
 */
// The bench passes these arguments.
const { folder, settings, hasStopwatch } = JSON.parse(process.argv[2] ?? '') as SubjectArguments;
const send = process.send?.bind(process);
if (send === undefined) throw new Error('bench --template starts this process, with a channel');

const watch = hasStopwatch ? await import('./stopwatch.ts') : null;
const engine = createEngine(settings);
const jobs = jobsOf(folder);
let next = 0;

async function render(): Promise<{ readonly bytes: number; readonly pages: number }> {
  const { pdf, pages } = await draw(entryAt(jobs, next++ % jobs.length));
  return { bytes: pdf.length, pages };
}

async function draw(job: RenderJob) {
  const result = await engine.render(job);
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`);
  return result.value;
}

async function first(): Promise<Reply> {
  const loaded = process.cpuUsage();
  const { pdf } = await draw(entryAt(jobs, next++));
  const used = process.cpuUsage(loaded);
  const wallMs = performance.now();
  writeFileSync(join(folder, 'first.pdf'), pdf);
  const loadCpuMs = (loaded.user + loaded.system) / 1000;
  return { kind: 'first', wallMs, loadCpuMs, cpuMs: (used.user + used.system) / 1000 };
}

async function round({ documents }: RoundRequest): Promise<Reply> {
  let bytes = 0;
  let pages = 0;
  watch?.takeTimes();
  const before = process.cpuUsage();
  const threadBefore = process.threadCpuUsage();
  const startMs = performance.now();
  for (let index = 0; index < documents; index++) {
    watch?.beginDocument();
    const drawn = await render();
    watch?.endDocument();
    bytes += drawn.bytes;
    pages += drawn.pages;
  }
  const wallMs = performance.now() - startMs;
  const thread = process.threadCpuUsage(threadBefore);
  const used = process.cpuUsage(before);
  const { nodes, stages } = watch?.takeTimes() ?? { nodes: [], stages: [] };
  return {
    kind: 'round',
    documents,
    cpuMs: (used.user + used.system) / 1000,
    threadMs: (thread.user + thread.system) / 1000,
    wallMs,
    bytes,
    pages,
    rssMb: Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]) / 1024,
    nodes,
    stages,
  };
}

function answer(reply: Promise<Reply>): void {
  void reply
    .catch((error: unknown): Reply => {
      return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
    })
    .then((message) => send?.(message));
}

process.on('message', (request: RoundRequest) => answer(round(request)));
process.on('disconnect', () => process.exit(0));
if (watch !== null) watch.installStopwatch();
answer(first());
