import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Pool } from '../../../src/workers/pool/pool.ts';
import { isInLog, withLog } from './log.ts';
import { locate } from './locate.ts';
import { excerpt, isRefused, readAll, type Readings } from './read.ts';
import {
  copyKilled,
  fill,
  openPlace,
  type Place,
  serve,
  type Service,
  type Stored,
} from './scene.ts';

/*
 * Flips one random bit of a file of a service, uses every reader, then looks once for what names it:
 * the log, /readyz, a scrub, the verification of the seals.
 *
 * - named: something named the damage; readers got what was acknowledged, or a refusal.
 * - refused: a reader was refused, and nothing else named it.
 * - changed: a reader got other bytes with 200, and the damage was named within the pass.
 * - SILENT: a reader got other bytes with 200, and nothing named it.
 * - UNNAMED: no reader saw it, and nothing named it although the byte carries information.
 * - empty: the byte carries none: all rows, indexes and the schema are the same without it.
 * - overwritten: the service wrote other bytes in its place, from memory or as a new value.
 */
export const OUTCOMES = [
  'named',
  'refused',
  'changed',
  'SILENT',
  'UNNAMED',
  'empty',
  'overwritten',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface Flip {
  /** 'database', or the kind of file. */
  readonly target: string;
  readonly file: string;
  readonly at: number;
  readonly bit: number;
  /** Before the service starts, or while it runs. */
  readonly when: 'down' | 'up';
  readonly outcome: Outcome;
  /** The readers that got something else, and what named the damage. */
  readonly detail: string;
}

export interface FlipPlan {
  readonly folder: string;
  readonly count: number;
  readonly seed: number;
  readonly key: Uint8Array | null;
  readonly pool: Pool;
}

const DATABASE = 'rows.db';
/** Share of the flips that hit the database; the rest go to the other targets in turn. */
const DATABASE_SHARE = 0.55;

/** Fills a folder, then makes the flips, each on a copy of it. */
export async function* flip(plan: FlipPlan): AsyncGenerator<Flip> {
  const base = { folder: join(plan.folder, 'base'), key: plan.key };
  const killed = { folder: join(plan.folder, 'killed'), key: plan.key };
  await mkdir(base.folder, { recursive: true });
  const stored = await fill(base, plan.pool, killed.folder);
  const untilMs = Date.now() + 1;
  const shared = { plan, base, stored, untilMs };
  const reference = await soundly(shared);
  await soundly({ ...shared, base: killed }, reference);
  const targets = await targetsOf(base);
  targets.set('log', [`${DATABASE}-wal`]);
  const next = random(plan.seed);
  for (let index = 0; index < plan.count; index += 1) {
    const others = [...targets.keys()].filter((target) => target !== 'database');
    const target =
      next() < DATABASE_SHARE ? 'database' : (others[index % others.length] ?? 'database');
    const files = targets.get(target) ?? [];
    const file = files[Math.floor(next() * files.length)] ?? DATABASE;
    const from = target === 'log' ? killed : base;
    const size = (await readFile(join(from.folder, file))).byteLength;
    const spot = {
      target,
      file,
      at: Math.floor(next() * size),
      bit: 1 << Math.floor(next() * 8),
      when: next() < 0.5 ? ('down' as const) : ('up' as const),
    };
    const one = { ...shared, base: from, reference };
    const { outcome, detail } = await flipOnce(one, spot);
    const isBad = outcome === 'SILENT' || outcome === 'UNNAMED';
    const why = isBad ? `; ${await explain(one, spot)}` : '';
    yield { ...spot, outcome, detail: detail + why };
  }
}

/** What readers get without a flip. Throws when something is refused or named. */
async function soundly(
  one: Omit<Case, 'place' | 'reference'>,
  reference: Readings | null = null,
): Promise<Readings> {
  const { readings, names } = await withCopy(one.plan, one.base, (place) =>
    pass({ ...one, place }, null),
  );
  const bad = [...(readings ?? [])].filter(
    ([path, reading]) =>
      isRefused(reading) || (reference !== null && reference.get(path) !== reading),
  );
  if (readings !== null && bad.length + names.length === 0) return readings;
  throw new Error(`a fault without a flip: ${JSON.stringify([bad, names])}`);
}

type Spot = Omit<Flip, 'outcome' | 'detail'>;

interface Case {
  readonly plan: FlipPlan;
  /** What is copied: `place` is the copy. */
  readonly base: Place;
  readonly place: Place;
  readonly stored: Stored;
  readonly reference: Readings;
  readonly untilMs: number;
}

type Judged = Pick<Flip, 'outcome' | 'detail'>;

async function flipOnce(one: Omit<Case, 'place'>, spot: Spot): Promise<Judged> {
  // A flip that changes no row, index or definition cannot reach a reader.
  if (spot.target === 'database' && (await changesOf(one, spot)).length === 0) {
    return { outcome: 'empty', detail: '' };
  }
  return withCopy(one.plan, one.base, (place) => judge({ ...one, place }, spot));
}

async function judge(one: Case, spot: Spot): Promise<Judged> {
  const { reference } = one;
  const { readings, names } = await pass(one, spot);
  if (readings === null) return { outcome: 'named', detail: names.join(', ') };
  const different = differing(reference, readings);
  const changed = different.filter((path) => !isRefused(readings.get(path) ?? 'refused'));
  const detail =
    different
      .map((path) => `${path} ${excerpt(reference.get(path) ?? '', readings.get(path) ?? '')}`)
      .join(', ') + `; ${[...new Set(names)].join(', ')}`;
  if (changed.length > 0) return { outcome: names.length > 0 ? 'changed' : 'SILENT', detail };
  if (names.length > 0) return { outcome: 'named', detail };
  if (different.length > 0) return { outcome: 'refused', detail };
  return unseen(one, spot);
}

/** What the readers got, null when the service did not start; and what named a damage. */
interface Passed {
  readonly readings: Readings | null;
  readonly names: readonly string[];
}

/** Serves, reads, ends, scrubs. Null: nothing is flipped. */
async function pass(one: Omit<Case, 'reference'>, spot: Spot | null): Promise<Passed> {
  const { plan, place, stored, untilMs } = one;
  // Only rows and uploaded parts decide how a run continues.
  const continues = spot === null || ['database', 'log', 'part'].includes(spot.target);
  if (spot?.when === 'down') await flipByte(place, spot);
  const names: string[] = [];
  let service: Service;
  try {
    service = await serve(place, plan.pool);
  } catch (error) {
    return { readings: null, names: [`start: ${nameOf(error)}`] };
  }
  if (spot?.when === 'up') {
    await readAll(service, stored, { untilMs, continues: false });
    await flipByte(place, spot);
    if (spot.target === 'log') names.push(...(await afterKill(one)));
  }
  const readings = await readAll(service, stored, { untilMs, continues });
  names.push(...(await readiness(service)));
  await service.close();
  // The log of a sound service may hold warnings of a busy machine; damage is told by errors.
  names.push(...service.logged.filter(isTelling).map(() => 'log'));
  names.push(...(await scrub(place)));
  return { readings, names };
}

/** What names the damage when the service is killed now. */
async function afterKill({ plan, place }: Omit<Case, 'reference'>): Promise<readonly string[]> {
  const killed = { folder: join(plan.folder, 'killed-again'), key: place.key };
  await copyKilled(place.folder, killed.folder);
  try {
    return (await scrub(killed)).map((name) => `after a kill: ${name}`);
  } finally {
    await rm(killed.folder, { recursive: true });
  }
}

function differing(reference: Readings, readings: Readings): readonly string[] {
  return [...reference.keys()].filter(
    (path) => readings.has(path) && readings.get(path) !== reference.get(path),
  );
}

/** Where the flip is, and what the same steps give without it: only the flip may be to blame. */
async function explain(one: Omit<Case, 'place'>, spot: Spot): Promise<string> {
  const control = await withCopy(one.plan, one.base, (place) => pass({ ...one, place }, null));
  const different = control.readings === null ? [] : differing(one.reference, control.readings);
  const path = join(one.base.folder, DATABASE);
  const where =
    spot.target === 'database' ? locate(path, await readFile(path), spot.at) : spot.file;
  return `${where}; without the flip: ${[...different, ...control.names].join(', ') || 'the same'}`;
}

/** What became of a flip that neither a reader nor a scrub saw. */
async function unseen(one: Case, spot: Spot): Promise<Judged> {
  if (spot.target !== 'database' && spot.target !== 'log')
    return { outcome: 'UNNAMED', detail: '' };
  const detail = (await changesOf(one, spot)).join(', ');
  if (detail === '') return { outcome: 'empty', detail };
  const before = await imageOf(one, spot);
  const after = await readFile(join(one.place.folder, DATABASE));
  const isThere = after[before.at] === ((before.image[before.at] ?? 0) ^ spot.bit);
  return { outcome: isThere ? 'UNNAMED' : 'overwritten', detail };
}

/** The database before the flip, with its log copied into it, and where the flip lies in it. */
async function imageOf(
  { base }: Pick<Case, 'base'>,
  { target, at }: Spot,
): Promise<{ readonly image: Buffer; readonly at: number }> {
  const path = join(base.folder, DATABASE);
  return target === 'log' ? withLog(path, at) : { image: await readFile(path), at };
}

/** What the flip changes in the database: tables, definitions, the result of an examination. */
async function changesOf(one: Pick<Case, 'plan' | 'base'>, spot: Spot): Promise<readonly string[]> {
  // A start after a kill ignores the log behind a damaged frame.
  const database = join(one.base.folder, DATABASE);
  if (spot.target === 'log' && spot.when === 'down') {
    return (await isInLog(database, spot.at)) ? ['log'] : [];
  }
  const { image, at } = await imageOf(one, spot);
  if (at === -1) return [];
  const only = join(one.plan.folder, 'only.db');
  await writeFile(only, image);
  const sound = contentOf(only);
  await writeFile(only, flipped(image, { ...spot, at }));
  const damaged = contentOf(only);
  return [...sound].flatMap(([name, content]) => (damaged.get(name) === content ? [] : [name]));
}

/** The rows of each table, all definitions, and the result of the examination. */
function contentOf(path: string): ReadonlyMap<string, string> {
  const database = new DatabaseSync(path, { timeout: 60_000 });
  try {
    const examined = database.prepare('pragma integrity_check').all();
    const schema = database.prepare('select type, name, tbl_name, sql from sqlite_master').all();
    const tables = schema.filter(({ type }) => type === 'table').map(({ name }) => String(name));
    const content = new Map([
      ['examination', textOf(examined)],
      ['definitions', textOf(schema)],
    ]);
    for (const table of tables) {
      const statement = database.prepare(`select * from "${table}"`);
      statement.setReadBigInts(true);
      content.set(table, textOf(statement.all()));
    }
    return content;
  } catch (error) {
    if (!(error instanceof Error && ('errcode' in error || error instanceof RangeError)))
      throw error;
    return new Map([['unreadable', error.message]]);
  } finally {
    database.close();
  }
}

function textOf(rows: readonly unknown[]): string {
  return JSON.stringify(rows, (_name, value: unknown) => {
    if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
    return typeof value === 'bigint' ? `${value}n` : value;
  });
}

async function readiness({ url }: Service): Promise<readonly string[]> {
  const response = await fetch(`${url}/readyz`);
  const { warnings = [] } = (await response.json()) as { readonly warnings?: readonly string[] };
  return [...(response.ok ? [] : ['readyz 503']), ...warnings.map(() => 'readyz warns')];
}

function isTelling(line: string): boolean {
  return (JSON.parse(line) as { readonly level: number }).level >= 50;
}

/** What the next start, and the commands `scrub` and `audit verify`, find. */
async function scrub(place: Place): Promise<readonly string[]> {
  try {
    const names: string[] = [];
    const store = await openPlace(place, () => names.push('warning'));
    try {
      await store.migrate();
      // A service reads the notes beside the files when it starts.
      names.push(...store.figures().fileWarnings.map(() => 'the next start warns'));
      const bytesPerSecond = 1e12;
      const onFinding = (): void => void names.push('scrub');
      await store.documents.scrub({ bytesPerSecond, onFinding });
      await store.runs.scrub({ bytesPerSecond, onFinding });
      const rows = (): void => void names.push('scrub of rows');
      await store.scrubDatabase({ onFinding: rows, isAccepting: false });
      for await (const { finding } of store.seals.verify(null, Date.now())) {
        if (finding !== 'whole') names.push('verify');
      }
      return names;
    } finally {
      await store.close();
    }
  } catch (error) {
    return [`scrub ends: ${nameOf(error)}`];
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

async function flipByte({ folder }: Place, spot: Spot): Promise<void> {
  const path = join(folder, spot.file);
  const file = await readFile(path);
  // In place: the service has the file open.
  await writeFile(path, flipped(file, spot), { flag: 'r+' });
}

function flipped(file: Buffer, { at, bit }: Spot): Buffer {
  const copy = Buffer.from(file);
  copy[at] = (copy[at] ?? 0) ^ bit;
  return copy;
}

/** The files of each kind, below the folder. */
async function targetsOf({ folder }: Place): Promise<Map<string, readonly string[]>> {
  const database = new DatabaseSync(join(folder, DATABASE), { timeout: 60_000 });
  const kinds = new Map(
    database
      .prepare('select file_id, kind from run_files')
      .all()
      .map(({ file_id: id, kind }) => [String(id), String(kind)]),
  );
  database.close();
  const targets = new Map<string, readonly string[]>([['database', [DATABASE]]]);
  for (const entry of await readdir(join(folder, 'files'), {
    recursive: true,
    withFileTypes: true,
  })) {
    if (!entry.isFile()) continue;
    const id = entry.name.split('.')[0] ?? '';
    const note = entry.name.startsWith('.') ? 'note' : null;
    const kind = note ?? kinds.get(id) ?? 'document';
    const path = join(entry.parentPath, entry.name).slice(folder.length + 1);
    targets.set(kind, [...(targets.get(kind) ?? []), path]);
  }
  return targets;
}

async function withCopy<T>(
  { folder }: FlipPlan,
  { folder: from, key }: Place,
  use: (place: Place) => Promise<T>,
): Promise<T> {
  const copy = join(folder, 'copy');
  await cp(from, copy, { recursive: true });
  try {
    return await use({ folder: copy, key });
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** Numbers in [0, 1) that depend on the seed alone (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
