import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPdf } from '../harness/check.ts';
import type { PdfCheck } from '../harness/check.ts';
import { ratioSpread, spread } from '../harness/stats.ts';
import type { Spread } from '../harness/stats.ts';
import { SHAPES } from '../shapes/index.ts';
import type { ShapeName } from '../shapes/sheet.ts';
import type { Plan } from './plan.ts';
import type { Running } from './subjects.ts';

/** The cost of one shape for one subject. */
export interface Drawing {
  readonly subject: string;
  readonly title: string;
  readonly version: string;
  readonly shape: ShapeName;
  /** Table rows of shape B. */
  readonly rows: number | null;
  readonly words: 'warm' | 'cold';
  readonly documentsPerRound: number;
  /** Per document. */
  readonly cpuMs: Spread;
  readonly wallMs: Spread;
  /** CPU of this subject over CPU of the first one, in the same rounds. */
  readonly ratio: Spread;
  readonly bytes: number;
  readonly rssMb: number;
  /** The check of the last PDF. */
  readonly check: PdfCheck;
}

/** Seeds never come twice, whatever is measured: every document is new to every subject. */
let nextSeed = 1;

export function takeSeeds(count: number): number {
  const first = nextSeed;
  nextSeed += count;
  return first;
}

interface Lane {
  readonly subject: Running;
  readonly cpuMs: number[];
  readonly wallMs: number[];
  count: number;
  spentMs: number;
  bytes: number;
  documents: number;
  rssMb: number;
  failed: string | null;
}

const COUNT_MAX = 4_000;

export interface Scene {
  readonly shape: ShapeName;
  readonly rows: number | null;
}

/** Draws until the time is over, at least once; finds how many documents make a round. */
async function warmUp(lane: Lane, scene: Scene, plan: Plan): Promise<void> {
  let count = 1;
  let perDocumentMs = 0;
  let warmedMs = 0;
  while (warmedMs < plan.warmUpMs || lane.documents === 0) {
    const { cold } = lane.subject;
    const request = { ...scene, cold, first: takeSeeds(count), count };
    const { cpuMs, wallMs } = await lane.subject.process.run(request);
    // CPU time, not wall time: a busy machine must not make the warm-up shorter.
    warmedMs += cpuMs;
    lane.spentMs += wallMs;
    lane.documents += count;
    perDocumentMs = cpuMs / count;
    count = Math.min(COUNT_MAX, count * 2, Math.ceil(plan.roundMs / Math.max(0.05, perDocumentMs)));
  }
  lane.count = Math.min(COUNT_MAX, Math.max(1, Math.round(plan.roundMs / perDocumentMs)));
}

async function oneRound(lane: Lane, scene: Scene, first: number): Promise<void> {
  const { process, cold } = lane.subject;
  const reply = await process.run({ ...scene, cold, first, count: lane.count });
  lane.cpuMs.push(reply.cpuMs / lane.count);
  lane.wallMs.push(reply.wallMs / lane.count);
  lane.spentMs += reply.wallMs;
  lane.bytes = reply.bytes / lane.count;
  lane.rssMb = reply.rssMb;
}

/** Has the subject draw one more document and reads it back. */
async function inspect(lane: Lane, scene: Scene, folder: string): Promise<PdfCheck> {
  const keep = join(folder, `${lane.subject.name}-${scene.shape}.pdf`);
  const first = takeSeeds(1);
  const { process, cold } = lane.subject;
  await process.run({ ...scene, cold, first, count: 1, keep });
  const rows = scene.rows === null ? {} : { rows: scene.rows };
  const document = SHAPES[scene.shape].document(first, { cold, ...rows });
  return checkPdf(keep, document.strings());
}

/**
 * Has all subjects draw one shape in turns: round by round each one draws its share of documents
 * never drawn before. The first subject is what the others are compared with.
 */
export async function measureScene(
  subjects: readonly Running[],
  scene: Scene,
  plan: Plan,
  note: (text: string) => void,
): Promise<Drawing[]> {
  const lanes = subjects.map((subject): Lane => {
    const none = { count: 1, spentMs: 0, bytes: 0, documents: 0, rssMb: 0, failed: null };
    return { subject, cpuMs: [], wallMs: [], ...none };
  });
  const attempt = async (lane: Lane, step: () => Promise<void>): Promise<void> => {
    if (lane.failed !== null) return;
    try {
      await step();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      lane.failed = error.message;
      note(`${lane.subject.name} failed on ${scene.shape}: ${error.message.slice(0, 300)}`);
    }
  };
  for (const lane of lanes) await attempt(lane, () => warmUp(lane, scene, plan));
  for (let round = 0; round < plan.rounds; round++) {
    for (const lane of lanes) {
      // The wall-time budget applies only to subjects whose round is a single document: a busy
      // machine must not cost fast subjects their rounds.
      const isSpent = lane.spentMs > plan.budgetMs + plan.warmUpMs;
      if (lane.cpuMs.length === 0 || lane.count > 1 || !isSpent)
        await attempt(lane, () => oneRound(lane, scene, takeSeeds(lane.count)));
    }
  }
  const folder = mkdtempSync(join(tmpdir(), 'intaglio-bench-'));
  try {
    const drawings: Drawing[] = [];
    for (const lane of lanes) {
      if (lane.failed !== null) continue;
      const check = await inspect(lane, scene, folder);
      drawings.push(describe(lane, lanes[0] ?? lane, scene, check));
    }
    return drawings;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function describe(lane: Lane, base: Lane, scene: Scene, check: PdfCheck): Drawing {
  return {
    subject: lane.subject.name,
    title: lane.subject.title,
    version: lane.subject.process.version,
    shape: scene.shape,
    rows: scene.rows,
    words: lane.subject.cold ? 'cold' : 'warm',
    documentsPerRound: lane.count,
    cpuMs: spread(lane.cpuMs),
    wallMs: spread(lane.wallMs),
    ratio: ratioSpread(lane.cpuMs, base.cpuMs),
    bytes: Math.round(lane.bytes),
    rssMb: Math.round(lane.rssMb),
    check,
  };
}
