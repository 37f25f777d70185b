import { join } from 'node:path';
import { checkPdf } from '../harness/check.ts';
import type { PdfCheck } from '../harness/check.ts';
import { temporaryFolder } from '../../lab/process/interrupt.ts';
import { step } from '../harness/progress.ts';
import { ROUNDS_PER_START, startsRatio } from '../harness/starts.ts';
import type { StartsRatio } from '../harness/starts.ts';
import { ratioSpread, spread } from '../../lab/stats.ts';
import type { Spread } from '../../lab/stats.ts';
import { SHAPES } from '../../lab/shapes/index.ts';
import type { ShapeName } from '../../lab/shapes/sheet.ts';
import type { Plan } from './plan.ts';
import { stopAll } from './subjects.ts';
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
  readonly ratio: Spread | StartsRatio;
  readonly bytes: number;
  readonly rssMb: number;
  /** The check of the last PDF. */
  readonly check: PdfCheck;
}

let nextSeed = 1;

/** The first of `count` seeds that nothing has used yet: each document is new to every subject. */
export function takeSeeds(count: number): number {
  const first = nextSeed;
  nextSeed += count;
  return first;
}

/** A shape to draw; `rows` is the length of shape B's table, null: all. */
export interface Scene {
  readonly shape: ShapeName;
  readonly rows: number | null;
}

/** A subject with its figures so far. */
interface Lane {
  /** Another one of the same name after each start. */
  subject: Running;
  /** Per document, one figure a round. */
  readonly cpuMs: number[];
  readonly wallMs: number[];
  /** Documents in each round; found by the warm-up. */
  documentsPerRound: number;
  /** Wall time since the warm-up began. */
  spentMs: number;
  /** Size of one document of the last round. */
  bytes: number;
  rssMb: number;
  hasFailed: boolean;
}

/** How CPU of a subject over CPU of the first one is summed up. */
type RatioOf = (theirs: readonly number[], ours: readonly number[]) => Drawing['ratio'];

const DOCUMENTS_PER_ROUND_MAX = 4_000;
/** The shortest time of a document that the warm-up reckons with. */
const DOCUMENT_MS_MIN = 0.05;
const ERROR_CHARACTERS_MAX = 300;

/**
 * Has all subjects draw one shape in turns: round by round each one draws its share of documents
 * never drawn before. The first subject is what the others are compared with. A subject that fails
 * is left out.
 */
export async function measureScene(
  subjects: readonly Running[],
  scene: Scene,
  plan: Plan,
  note: (text: string) => void,
): Promise<Drawing[]> {
  const lanes = subjects.map(laneOf);
  await drawRounds(lanes, scene, plan, note, [0, plan.rounds]);
  return inspectAll(lanes, scene, ratioSpread);
}

/** The same with two commits, whose engines `start` starts anew for every second round. */
export async function measureStarts(
  start: () => Promise<readonly Running[]>,
  scene: Scene,
  plan: Plan,
  note: (text: string) => void,
): Promise<Drawing[]> {
  let lanes: readonly Lane[] = [];
  for (let round = 0; ; round += ROUNDS_PER_START) {
    const subjects = await start();
    try {
      const end = Math.min(round + ROUNDS_PER_START, plan.rounds);
      lanes = subjects.map((subject, i) => Object.assign(lanes[i] ?? laneOf(subject), { subject }));
      await drawRounds(lanes, scene, plan, note, [round, end]);
      if (end === plan.rounds) return await inspectAll(lanes, scene, startsRatio);
    } finally {
      await stopAll(subjects);
    }
  }
}

/** Warms the subjects up and has them draw the rounds from `first` up to `end`. */
async function drawRounds(
  lanes: readonly Lane[],
  scene: Scene,
  plan: Plan,
  note: (text: string) => void,
  [first, end]: readonly [number, number],
): Promise<void> {
  const attempt = async (lane: Lane, draw: () => Promise<void>): Promise<void> => {
    if (lane.hasFailed) return;
    try {
      await draw();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      lane.hasFailed = true;
      const reason = error.message.slice(0, ERROR_CHARACTERS_MAX);
      note(`${lane.subject.name} failed on ${scene.shape}: ${reason}`);
    }
  };
  for (const lane of lanes) {
    step(`${scene.shape}: warm up ${lane.subject.name}`);
    await attempt(lane, () => warmUp(lane, scene, plan));
  }
  for (let round = first; round < end; round++) {
    step(`${scene.shape}: round ${round + 1} of ${plan.rounds}`);
    // The order alternates, so that a machine that slows down or recovers favours no subject.
    for (const lane of round % 2 === 0 ? lanes : lanes.toReversed()) {
      if (hasTimeLeft(lane, plan)) await attempt(lane, () => drawRound(lane, scene));
    }
  }
}

function laneOf(subject: Running): Lane {
  const none = { documentsPerRound: 1, spentMs: 0, bytes: 0, rssMb: 0, hasFailed: false };
  return { subject, cpuMs: [], wallMs: [], ...none };
}

/**
 * Only subjects whose round is a single document have a budget of wall time: a busy machine must not
 * cost fast subjects their rounds.
 */
function hasTimeLeft({ cpuMs, documentsPerRound, spentMs }: Lane, plan: Plan): boolean {
  const isSlow = documentsPerRound === 1;
  return cpuMs.length === 0 || !isSlow || spentMs <= plan.budgetMs + plan.warmUpMs;
}

/** Draws until the time is over, at least once; finds how many documents make a round. */
async function warmUp(lane: Lane, scene: Scene, plan: Plan): Promise<void> {
  const { cold, process } = lane.subject;
  let count = 1;
  let perDocumentMs: number;
  let warmedMs = 0;
  do {
    const { cpuMs, wallMs } = await process.run({ ...scene, cold, first: takeSeeds(count), count });
    // CPU time, not wall time: a busy machine must not make the warm-up shorter.
    warmedMs += cpuMs;
    lane.spentMs += wallMs;
    perDocumentMs = cpuMs / count;
    const roundCount = Math.ceil(plan.roundMs / Math.max(DOCUMENT_MS_MIN, perDocumentMs));
    count = Math.min(DOCUMENTS_PER_ROUND_MAX, count * 2, roundCount);
  } while (warmedMs < plan.warmUpMs);
  const aimed = Math.max(1, Math.round(plan.roundMs / perDocumentMs));
  lane.documentsPerRound = Math.min(DOCUMENTS_PER_ROUND_MAX, aimed);
}

async function drawRound(lane: Lane, scene: Scene): Promise<void> {
  const { process, cold } = lane.subject;
  const count = lane.documentsPerRound;
  const reply = await process.run({ ...scene, cold, first: takeSeeds(count), count });
  lane.cpuMs.push(reply.cpuMs / count);
  lane.wallMs.push(reply.wallMs / count);
  lane.spentMs += reply.wallMs;
  lane.bytes = reply.bytes / count;
  lane.rssMb = reply.rssMb;
}

/** Describes the subjects that have not failed, each with a check of one more document. */
async function inspectAll(
  lanes: readonly Lane[],
  scene: Scene,
  ratioOf: RatioOf,
): Promise<Drawing[]> {
  const { path: folder, remove } = temporaryFolder('intaglio-bench-');
  try {
    const drawings: Drawing[] = [];
    for (const lane of lanes) {
      if (lane.hasFailed) continue;
      const check = await inspect(lane, scene, folder);
      const ratio = ratioOf(lane.cpuMs, (lanes[0] ?? lane).cpuMs);
      drawings.push(describe(lane, ratio, scene, check));
    }
    return drawings;
  } finally {
    remove();
  }
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

function describe(lane: Lane, ratio: Drawing['ratio'], scene: Scene, check: PdfCheck): Drawing {
  return {
    subject: lane.subject.name,
    title: lane.subject.title,
    version: lane.subject.process.version,
    shape: scene.shape,
    rows: scene.rows,
    words: lane.subject.cold ? 'cold' : 'warm',
    documentsPerRound: lane.documentsPerRound,
    cpuMs: spread(lane.cpuMs),
    wallMs: spread(lane.wallMs),
    ratio,
    bytes: Math.round(lane.bytes),
    rssMb: Math.round(lane.rssMb),
    check,
  };
}
