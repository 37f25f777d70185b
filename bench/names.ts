import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { nearName } from './arguments.ts';
import { BOMB_TRIAL, TRIALS } from './http/trials.ts';
import type { BenchName } from './options.ts';
import { SHAPE_NAMES } from '../lab/shapes/sheet.ts';

/** Shapes that are measured only by a separate bench, which takes no names. */
const OWN_BENCHES: Readonly<Record<string, BenchName>> = { D: 'invoice', Z: 'month-end' };

/** A hint to the bench that measures this shape; '' for anything else. */
export function ownBench(shape: string): string {
  const bench = OWN_BENCHES[shape.toUpperCase()];
  return bench === undefined ? '' : `shape ${shape.toUpperCase()} is ./intaglio bench ${bench}`;
}

/**
 * This script needs a file on its command line, so the bench does not run it. The HTTP bench
 * measures protection.
 */
const NEEDS_FILE = 'protect';
export const MICRO_FOLDER = join(import.meta.dirname, 'micro');

/** The names of the scripts of bench/micro/ that the bench runs. */
export function microNames(): readonly string[] {
  return readdirSync(MICRO_FOLDER)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => basename(file, '.ts'))
    .filter((name) => name !== NEEDS_FILE)
    .toSorted();
}

/** Parts of `http` that are not loads. The soak takes minutes: only by name or at smoke size. */
export const HTTP_PARTS: readonly string[] = ['gateway', 'soak'];
const HTTP_LOADS = [...TRIALS, BOMB_TRIAL].map(({ name }) => name);
/**
 * Loads by which two services can be compared: those without other processes beside the service.
 */
const COMPARED = TRIALS.filter(({ company }) => company === null).map(({ name }) => name);

/** Corrects upper and lower case of the names to those that the bench knows. */
export function spelled(
  bench: BenchName,
  names: readonly string[],
  isCompared: boolean,
): readonly string[] {
  const { known } = namesOf(bench, isCompared);
  return names.map((name) => known.find((one) => one.toLowerCase() === name.toLowerCase()) ?? name);
}

/** The message why these names cannot be measured; null if all of them can. */
export function namesFault(
  bench: BenchName,
  names: readonly string[],
  isCompared: boolean,
): string | null {
  const { what, known, most = known.length } = namesOf(bench, isCompared);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    if (known.length === 0) return `${bench} takes no name, and ${unknown} is one`;
    const own = known === SHAPE_NAMES ? ownBench(unknown) : '';
    if (own !== '') return `${bench} draws ${known.join(', ')}; ${own}`;
    const near = nearName(unknown, known) || `: one of ${known.join(', ')}`;
    return `unknown ${what} ${JSON.stringify(unknown)}${near}`;
  }
  return names.length > most ? `${bench} takes one ${what} at a time` : null;
}

interface Names {
  readonly what: string;
  readonly known: readonly string[];
  readonly most?: number;
}

function namesOf(bench: BenchName, isCompared: boolean): Names {
  switch (bench) {
    case 'all':
    case 'engine':
    case 'first':
    case 'pool':
    case 'profile':
    case 'rows':
      return { what: 'shape', known: SHAPE_NAMES };
    case 'micro':
      return { what: 'file of bench/micro', known: microNames(), most: 1 };
    case 'http':
      return { what: 'load', known: isCompared ? COMPARED : [...HTTP_LOADS, ...HTTP_PARTS] };
    case 'invoice':
    case 'month-end':
      return { what: 'name', known: [] };
    case 'runs':
      return { what: 'part', known: ['fleet', 'guarded', 'prints'], most: 1 };
  }
}
