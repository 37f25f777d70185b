import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HOME } from '../../lab/home.ts';
import type { ShapeName } from '../../lab/shapes/sheet.ts';
import { takeSeeds } from './drawing.ts';
import { type FlameNode, flameTree } from '../flame/tree.ts';
import type { Plan } from './plan.ts';
import { startEngine } from './subjects.ts';

/** A function and the time during which it was at the top of the stack. */
export interface ProfileRow {
  readonly name: string;
  readonly place: string;
  readonly selfMs: number;
  readonly share: number;
}

/** A part of the engine, or of what runs beside it, and its share of the time. */
export interface ProfilePart {
  readonly part: string;
  readonly share: number;
}

export interface ProfileResult {
  readonly shape: ShapeName;
  readonly documents: number;
  readonly cpuMsPerDocument: number;
  readonly parts: readonly ProfilePart[];
  readonly rows: readonly ProfileRow[];
}

/** The parts of V8's profile format that are read. */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
    };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Documents that warm the engine up, and as many that are sampled. */
const DOCUMENTS: Readonly<Record<ShapeName, number>> = { A: 3_000, B: 100, C: 3_000 };
const SMOKE_DOCUMENTS = 2;

function placeOf(url: string, line: number): string {
  if (!url.startsWith('file:')) return url === '' ? '(native)' : url;
  return `${relative(HOME, fileURLToPath(url))}:${line + 1}`;
}

/** Whether V8 counts time for a frame that is not the program's: it was idle, or sampled itself. */
function isBeside({ functionName, url }: CpuProfile['nodes'][number]['callFrame']): boolean {
  return functionName === '(idle)' || url.startsWith('node:inspector');
}

/** Self time by function, the longest first; without that of the profiler. */
export function summarizeProfile(profile: CpuProfile): ProfileRow[] {
  const selfUs = new Map<number, number>();
  profile.samples.forEach((id, i) => {
    selfUs.set(id, (selfUs.get(id) ?? 0) + (profile.timeDeltas[i] ?? 0));
  });
  const byFunction = new Map<string, { name: string; place: string; us: number }>();
  let totalUs = 0;
  for (const { id, callFrame } of profile.nodes) {
    const us = selfUs.get(id) ?? 0;
    if (us === 0 || isBeside(callFrame)) continue;
    totalUs += us;
    const place = placeOf(callFrame.url, callFrame.lineNumber);
    const name = callFrame.functionName === '' ? '(anonymous)' : callFrame.functionName;
    const key = `${name} ${place}`;
    const known = byFunction.get(key);
    if (known === undefined) byFunction.set(key, { name, place, us });
    else known.us += us;
  }
  return [...byFunction.values()]
    .toSorted((a, b) => b.us - a.us)
    .map(({ name, place, us }) => ({ name, place, selfMs: us / 1000, share: us / totalUs }));
}

/** The parts in the order of their table; a folder is a path below src/engine/, the deeper one first. */
const FOLDERS = [
  'pdf/deflate/',
  'pdf/',
  'layout/text/',
  'layout/',
  'qr/',
  'font/',
  'contract/',
] as const;
export const PARTS: readonly string[] = [
  ...FOLDERS.map(labelOf),
  'the rest of src/engine/',
  'garbage collection',
  'Node and bench',
];

function labelOf(folder: (typeof FOLDERS)[number]): string {
  return folder === 'layout/' || folder === 'pdf/' ? `${folder} (the rest of it)` : folder;
}

/** Every part's share of the time; a part without a sample has 0. */
export function sumByPart(rows: readonly ProfileRow[]): ProfilePart[] {
  // The URL of a WebAssembly module does not tell where it comes from, but the names of its
  // functions do.
  const kernel = rows.find(({ name }) => name === 'kernel/parse')?.place;
  const partOf = (row: ProfileRow): string =>
    kernel !== undefined && row.place === kernel ? 'pdf/deflate/' : partOfCode(row);
  return PARTS.map((part) => {
    const own = rows.filter((row) => partOf(row) === part);
    return { part, share: own.reduce((sum, { share }) => sum + share, 0) };
  });
}

function partOfCode({ name, place }: ProfileRow): string {
  if (name === '(garbage collector)') return 'garbage collection';
  const engine = 'src/engine/';
  if (!place.startsWith(engine)) return 'Node and bench';
  const folder = FOLDERS.find((each) => place.startsWith(engine + each));
  return folder === undefined ? 'the rest of src/engine/' : labelOf(folder);
}

/** The calls of a profile as a tree, without idle time and the profiler's own. */
export function treeOf({ nodes, samples, timeDeltas }: CpuProfile): FlameNode {
  const selfUs = new Map<number, number>();
  samples.forEach((id, i) => selfUs.set(id, (selfUs.get(id) ?? 0) + (timeDeltas[i] ?? 0)));
  const sampled = nodes.map(({ id, callFrame, children = [] }) => {
    const { functionName, url, lineNumber } = callFrame;
    const name = functionName === '' ? '(anonymous)' : functionName;
    const selfMs = isBeside(callFrame) ? 0 : (selfUs.get(id) ?? 0) / 1000;
    return { id, name, place: placeOf(url, lineNumber), children, selfMs };
  });
  return flameTree(sampled);
}

/** Warms the engine up on one shape, then samples it every 0.2 ms. `path` keeps V8's file. */
export async function profileShape(
  shape: ShapeName,
  plan: Plan,
  path: string,
): Promise<{ readonly result: ProfileResult; readonly tree: FlameNode }> {
  const { process } = await startEngine(plan);
  try {
    const scene = { shape, rows: plan.rows };
    const count = plan.rounds === 1 ? SMOKE_DOCUMENTS : DOCUMENTS[shape];
    await process.run({ ...scene, first: takeSeeds(count), count });
    const request = { ...scene, first: takeSeeds(count), count, profile: path };
    const { cpuMs } = await process.run(request);
    // V8 writes its documented format.
    const profile = JSON.parse(readFileSync(path, 'utf8')) as CpuProfile;
    const rows = summarizeProfile(profile);
    const cpuMsPerDocument = cpuMs / count;
    const result = { shape, documents: count, cpuMsPerDocument, parts: sumByPart(rows), rows };
    return { result, tree: treeOf(profile) };
  } finally {
    await process.stop();
  }
}
