import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { SHAPES } from '../../lab/shapes/index.ts';
import type { Shape, ShapeDocument } from '../../lab/shapes/sheet.ts';
import { descendantsCpuMs } from '../../lab/process/cpu.ts';
import type { RunReply, RunRequest } from './protocol.ts';

/** A renderer under test: the service's engine or a peer. It runs in a separate process. */
export interface Subject<Work> {
  readonly version: string;
  /** Whether it starts child processes whose CPU time counts. */
  readonly hasChildren: boolean;
  /** Prepares the input of `render`; not measured. */
  stage(shape: Shape, document: ShapeDocument, freshTemplate: boolean): Work;
  /** Draws one document from its data; measured. */
  render(work: Work): Promise<Uint8Array>;
}

/** Documents staged per batch: this bounds memory, not the length of the run. */
const BATCH_MAX = 64;
/** The same for documents of 2,000 rows: many at once would measure memory bandwidth. */
const BATCH_MAX_LARGE = 4;

interface Totals {
  cpuMs: number;
  wallMs: number;
  bytes: number;
  last: Uint8Array | null;
}

async function renderBatch<Work>(
  subject: Subject<Work>,
  works: readonly Work[],
  totals: Totals,
): Promise<void> {
  // Collect staging's garbage now, so that rendering is not charged for it.
  if (globalThis.gc !== undefined) await globalThis.gc({ type: 'minor', execution: 'async' });
  const childBefore = subject.hasChildren ? descendantsCpuMs() : 0;
  const before = process.cpuUsage();
  const startMs = performance.now();
  for (const work of works) {
    totals.last = await subject.render(work);
    totals.bytes += totals.last.length;
  }
  totals.wallMs += performance.now() - startMs;
  const used = process.cpuUsage(before);
  totals.cpuMs += (used.user + used.system) / 1000;
  if (subject.hasChildren) totals.cpuMs += descendantsCpuMs() - childBefore;
}

async function run<Work>(
  subject: Subject<Work>,
  request: RunRequest,
  batchMax: number,
  renderWorks: typeof renderBatch<Work>,
): Promise<RunReply> {
  const shape = SHAPES[request.shape];
  const options = { cold: request.cold, ...(request.rows === null ? {} : { rows: request.rows }) };
  const totals: Totals = { cpuMs: 0, wallMs: 0, bytes: 0, last: null };
  for (let done = 0; done < request.count; done += batchMax) {
    const works: Work[] = [];
    for (let i = done; i < Math.min(done + batchMax, request.count); i++) {
      const document = shape.document(request.first + i, options);
      works.push(subject.stage(shape, document, request.freshTemplate));
    }
    await renderWorks(subject, works, totals);
  }
  if (request.keep !== null && totals.last !== null) writeFileSync(request.keep, totals.last);
  return {
    ok: true,
    cpuMs: totals.cpuMs,
    wallMs: totals.wallMs,
    bytes: totals.bytes,
    rssMb: process.resourceUsage().maxRSS / 1024,
  };
}

/** Stages everything before the profile begins, so that it shows rendering only. */
async function runProfiled<Work>(
  subject: Subject<Work>,
  request: RunRequest,
  path: string,
): Promise<RunReply> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 200 });
    return await run(subject, request, request.count, async (...batch) => {
      await session.post('Profiler.start');
      await renderBatch(...batch);
      const { profile } = await session.post('Profiler.stop');
      writeFileSync(path, JSON.stringify(profile));
    });
  } finally {
    session.disconnect();
  }
}

/** Serves the bench until its channel closes. An error of the subject is a reply, not an exit. */
export function serveSubject<Work>(subject: Subject<Work>): void {
  const send = process.send?.bind(process);
  if (send === undefined) throw new Error('a subject is started by the bench, with a channel');
  process.on('message', (request: RunRequest) => {
    const running =
      request.profile === null
        ? run(subject, request, request.shape === 'B' ? BATCH_MAX_LARGE : BATCH_MAX, renderBatch)
        : runProfiled(subject, request, request.profile);
    void running
      .catch((error: unknown): RunReply => {
        return { ok: false, error: error instanceof Error ? String(error.stack) : String(error) };
      })
      .then((reply) => send(reply));
  });
  process.on('disconnect', () => process.exit(0));
  send({ ready: true, version: subject.version });
}
