import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { nearName } from './arguments.ts';
import { BOMB_TRIAL, TRIALS } from './http/trials.ts';
import type { BenchName } from './options.ts';
import { SHAPE_NAMES } from '../lab/shapes/sheet.ts';

/** Shapes that have a bench of their own, which takes no name. */
const OWN_BENCHES: Readonly<Record<string, BenchName>> = { D: 'invoice', Z: 'month-end' };

/** Names the bench of a shape that has its own; '' for anything else. */
export function ownBench(shape: string): string {
  const bench = OWN_BENCHES[shape.toUpperCase()];
  return bench === undefined ? '' : `shape ${shape.toUpperCase()} is ./intaglio bench ${bench}`;
}

/** It protects a file that is named on its command line; the HTTP bench has figures of that. */
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
/** The loads that two services can be compared by: those that need nobody beside the service. */
const COMPARED = TRIALS.filter(({ company }) => company === null).map(({ name }) => name);

/** The names with the spelling that the bench has, where they differ only in upper and lower case. */
export function spelled(
  bench: BenchName,
  names: readonly string[],
  isCompared: boolean,
): readonly string[] {
  const { known } = namesOf(bench, isCompared);
  return names.map((name) => known.find((one) => one.toLowerCase() === name.toLowerCase()) ?? name);
}

/** Why these names cannot be measured, as a message; null when each of them can. */
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
