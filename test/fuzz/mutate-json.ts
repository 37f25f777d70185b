import type { Random } from '../../lab/fuzz-random.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const VALUES: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  2 ** 70,
  '',
  'x',
  'ก',
  '\ud800',
  '{{text}}',
  '2026-02-30',
  '-0.005',
  'auto',
  '*',
  [],
  {},
  [[]],
  [null],
  { text: 'x' },
];

/**
 * Replaces, copies, moves or removes one to four values of JSON; null when the input is not JSON.
 */
export function mutateJson(known: Buffer, random: Random): Buffer | null {
  let value: Json;
  try {
    // What JSON.parse gives is Json.
    value = JSON.parse(known.toString('utf8')) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  const count = 1 + random.below(4);
  for (let i = 0; i < count; i++) {
    const places = containersOf(value);
    const place = random.pick(places, []);
    const other = random.pick(places, []);
    change(place, other, random);
  }
  return Buffer.from(JSON.stringify(value));
}

type Container = Json[] | { [key: string]: Json };

function containersOf(value: Json): Container[] {
  const found: Container[] = [];
  const open: Json[] = [value];
  for (let next = open.pop(); next !== undefined && found.length < 5000; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    found.push(next);
    open.push(...Object.values(next));
  }
  return found;
}

function change(place: Container, other: Container, random: Random): void {
  const keys = Object.keys(place);
  const key = random.pick(keys, '0');
  const members = Object.values(other);
  const value = clone(random.chance(2) ? random.pick(VALUES, null) : random.pick(members, null));
  if (Array.isArray(place)) {
    if (random.chance(3)) place.splice(random.below(place.length), 1);
    else if (random.chance(2)) place.splice(random.below(place.length + 1), 0, value);
    else if (place.length > 0) place[Number(key)] = value;
    return;
  }
  if (random.chance(4)) delete place[key];
  else if (random.chance(3)) place[random.pick(Object.keys(other), 'text')] = value;
  else if (keys.length > 0) place[key] = value;
}

/** Copies a value, because one that stands in two places could be put into itself. */
function clone(value: Json): Json {
  // What JSON.parse gives is Json.
  return JSON.parse(JSON.stringify(value)) as Json;
}
