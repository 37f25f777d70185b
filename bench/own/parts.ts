import { entryAt } from '../../src/errors.ts';
import { median } from '../../lab/stats.ts';
import type { Part, Parts } from './figures.ts';
import { nodeName } from './nodes.ts';
import type { Round } from './protocol.ts';
import type { Stage } from './stopwatch.ts';

const STAGE_NAMES: Readonly<Record<Exclude<Stage, 'outside'>, string>> = {
  template: 'finding the compiled template',
  data: 'reading and checking the data',
  layout: 'layout: pages, links, what no node owns',
  file: 'file: fonts, objects, what no node owns',
  digest: 'SHA-256 of the file',
};
const OTHER_THREADS = 'garbage collector and compiler on other threads';

/** CPU of a document in these rounds, of all threads. */
export function cpuPerDocument(rounds: readonly Round[]): number {
  return sum(rounds.map(({ cpuMs }) => cpuMs)) / sum(rounds.map(({ documents }) => documents));
}

/** The most that reading the clock may take, with what it does to the caches. */
const READING_MS_MAX = 0.0005;

/**
 * The parts of a document. `watched` are rounds of a process with a stopwatch; `plain` those of one
 * without, in turns with them, which say what the document costs as a whole, and how much of it other
 * threads have.
 *
 * Reading the clock costs time, which the readings of all parts share evenly: as much as the watched
 * thread takes longer than the plain one, at most 0.5 µs a reading. On a busy machine the CPU time of
 * the same work changes from second to second, so levels are medians of ratios in the same turn.
 */
export function partsOf(
  watched: readonly Round[],
  plain: readonly Round[],
  template: unknown,
): Parts {
  const readingMs = readingCost(watched, plain);
  const spent = new Map<string, Omit<Part, 'share'>>();
  const add = (name: string, path: string | null, times: Times): number => {
    const part = spent.get(path ?? name) ?? emptyPart(name, path);
    spent.set(path ?? name, { ...part, ...added(part, times) });
    return times.cpuMs ?? 0;
  };
  const ratios = watched.map((round, index) => {
    const beside = entryAt(plain, index);
    const scale = scaleOf(round);
    const net = (ms: number, visits: number): number =>
      Math.max(0, ms * scale - (visits * readingMs) / round.documents);
    const otherMs = Math.max(0, beside.cpuMs - beside.threadMs) / beside.documents;
    let sumMs = add(OTHER_THREADS, null, { cpuMs: otherMs });
    for (const { stage, ms, visits } of round.stages) {
      if (stage !== 'outside') sumMs += add(STAGE_NAMES[stage], null, { cpuMs: net(ms, visits) });
    }
    for (const node of round.nodes) {
      const layoutMs = net(node.layoutMs, node.layoutVisits);
      const paintMs = net(node.paintMs, node.paintVisits);
      const deflateMs = node.deflateMs * scale;
      const cpuMs = layoutMs + paintMs + deflateMs;
      sumMs += add(nodeName(node.path, template), node.path, {
        cpuMs,
        layoutMs,
        paintMs,
        deflateMs,
      });
    }
    return (sumMs * beside.documents) / beside.cpuMs;
  });
  return level([...spent.values()], median(ratios), cpuPerDocument(plain));
}

/**
 * From the stopwatch's times to the CPU of a document: it reads wall time, of which a thread that
 * waited for its core had only a part.
 */
function scaleOf({ threadMs, wallMs, documents }: Round): number {
  return Math.min(1, threadMs / wallMs) / documents;
}

/** CPU of one reading of the clock. */
function readingCost(watched: readonly Round[], plain: readonly Round[]): number {
  const excess = watched.map((round, index) => {
    const beside = entryAt(plain, index);
    const stagesMs = sum(round.stages.map(({ ms }) => ms));
    const nodesMs = sum(round.nodes.map((node) => node.layoutMs + node.paintMs + node.deflateMs));
    return ((stagesMs + nodesMs) * scaleOf(round) * beside.documents) / beside.threadMs - 1;
  });
  const readings = sum(
    watched.map(({ stages, nodes }) => {
      const byNodes = sum(nodes.map((node) => node.layoutVisits + node.paintVisits));
      return byNodes + sum(stages.map(({ visits }) => visits));
    }),
  );
  const perDocument = readings / sum(watched.map(({ documents }) => documents));
  const plainMs =
    sum(plain.map(({ threadMs }) => threadMs)) / sum(plain.map((one) => one.documents));
  return Math.max(0, Math.min(READING_MS_MAX, (median(excess) * plainMs) / perDocument));
}

/** Brings the sum of all parts to `agreement` times the whole, and the most expensive part first. */
function level(spent: readonly Omit<Part, 'share'>[], agreement: number, wholeMs: number): Parts {
  const sumMs = agreement * wholeMs;
  const factor = sumMs / sum(spent.map(({ cpuMs }) => cpuMs));
  const parts = spent.map(({ name, path, ...times }) => ({
    name,
    path,
    cpuMs: times.cpuMs * factor,
    layoutMs: times.layoutMs * factor,
    paintMs: times.paintMs * factor,
    deflateMs: times.deflateMs * factor,
    share: (times.cpuMs * factor) / sumMs,
  }));
  return { parts: parts.toSorted((a, b) => b.cpuMs - a.cpuMs), sumMs, wholeMs, agreement };
}

type Times = Partial<Pick<Part, 'cpuMs' | 'layoutMs' | 'paintMs' | 'deflateMs'>>;

function added(part: Omit<Part, 'share'>, times: Times): Required<Times> {
  const { cpuMs = 0, layoutMs = 0, paintMs = 0, deflateMs = 0 } = times;
  return {
    cpuMs: part.cpuMs + cpuMs,
    layoutMs: part.layoutMs + layoutMs,
    paintMs: part.paintMs + paintMs,
    deflateMs: part.deflateMs + deflateMs,
  };
}

function emptyPart(name: string, path: string | null): Omit<Part, 'share'> {
  return { name, path, cpuMs: 0, layoutMs: 0, paintMs: 0, deflateMs: 0 };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
