import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { decodeRows } from './codec.ts';
import { EXCEPTION_STATES, type RunSchema } from '../database/tables/runs.ts';
import type { ChunkPlace, ManifestRow } from './types.ts';

/** Chunks read at a time. */
const PAGE = 4;

type Chunk = Pick<RunSchema['run_chunks'], 'part' | 'from_byte' | 'results' | 'pack_id'>;

/**
 * Yields the rows of a run in the order of parts and rows, chunk by chunk, without those that a later
 * row has replaced. What was replaced or withdrawn is looked up for the chunks at hand: a run may have
 * a million such rows.
 */
export async function* readManifest(
  database: Database,
  runId: string,
  from: ChunkPlace = { part: -1, fromByte: 0 },
): AsyncGenerator<readonly ManifestRow[]> {
  const hasHidden = await hasHiddenRows(database, runId);
  // The first chunk alone: a small print file needs no other.
  let countMax = 1;
  for (let [part, fromByte] = [from.part, from.fromByte - 1]; ; countMax = PAGE) {
    const chunks = await readChunks(database, runId, { part, fromByte }, countMax);
    const hidden = hasHidden ? await hiddenRows(database, runId, chunks) : NOTHING;
    for (const chunk of chunks) {
      [part, fromByte] = [chunk.part, chunk.from_byte];
      const rows: ManifestRow[] = [];
      for (const [position, row] of (await manifestRows(chunk)).entries()) {
        const place = placeOf(part, fromByte, position);
        if (row.outcome === 'empty' || hidden.superseded.has(place)) continue;
        rows.push(hidden.withdrawn.has(place) ? { ...row, outcome: 'withdrawn' } : row);
      }
      yield rows;
    }
    if (chunks.length < countMax) return;
  }
}

function readChunks(
  database: Database,
  runId: string,
  after: ChunkPlace,
  countMax: number,
): Promise<readonly Chunk[]> {
  return database.read((db) =>
    db
      .selectFrom('run_chunks')
      .select(['part', 'from_byte', 'results', 'pack_id'])
      .where('run_id', '=', runId)
      // The beginning of the range for the index, which an OR alone does not give.
      .where('part', '>=', after.part)
      .where((where) =>
        where.or([
          where('part', '>', after.part),
          where.and([where('part', '=', after.part), where('from_byte', '>', after.fromByte)]),
        ]),
      )
      .orderBy('part')
      .orderBy('from_byte')
      .limit(sql.lit(countMax))
      .execute(),
  );
}

/** Places of rows that are left out of the manifest, and of rows that it shows as withdrawn. */
interface HiddenRows {
  readonly superseded: ReadonlySet<string>;
  readonly withdrawn: ReadonlySet<string>;
}

const NOTHING: HiddenRows = { superseded: new Set(), withdrawn: new Set() };

/** Whether rows of the run were replaced or withdrawn; of most runs none was. */
async function hasHiddenRows(database: Database, runId: string): Promise<boolean> {
  const superseded = await database.read((db) =>
    db
      .selectFrom('run_superseded')
      .select('part')
      .where('run_id', '=', runId)
      .limit(sql.lit(1))
      .executeTakeFirst(),
  );
  if (superseded !== undefined) return true;
  const withdrawn = await database.read((db) =>
    db
      .selectFrom('run_exceptions')
      .select('part')
      .where('run_id', '=', runId)
      .where('state', '=', EXCEPTION_STATES.withdrawn)
      .limit(sql.lit(1))
      .executeTakeFirst(),
  );
  return withdrawn !== undefined;
}

/** The rows of these chunks that were replaced or withdrawn. */
async function hiddenRows(
  database: Database,
  runId: string,
  chunks: readonly Chunk[],
): Promise<HiddenRows> {
  const superseded = new Set<string>();
  const withdrawn = new Set<string>();
  for (const { part, from_byte: fromByte } of chunks) {
    const replaced = await database.read((db) =>
      db
        .selectFrom('run_superseded')
        .select('position')
        .where('run_id', '=', runId)
        .where('part', '=', part)
        .where('from_byte', '=', fromByte)
        .execute(),
    );
    for (const { position } of replaced) superseded.add(placeOf(part, fromByte, position));
    const taken = await database.read((db) =>
      db
        .selectFrom('run_exceptions')
        .select('position')
        .where('run_id', '=', runId)
        .where('held_part', '=', part)
        .where('from_byte', '=', fromByte)
        .where('state', '=', EXCEPTION_STATES.withdrawn)
        .execute(),
    );
    for (const { position } of taken) withdrawn.add(placeOf(part, fromByte, position));
  }
  // SQLite answers without leaving the turn.
  await setImmediate();
  return { superseded, withdrawn };
}

/** Identifies a row by its part, the begin of its chunk, and its position there. */
function placeOf(part: number, fromByte: number, position: number): string {
  return `${part}/${fromByte}/${position}`;
}

async function manifestRows(chunk: Chunk): Promise<readonly ManifestRow[]> {
  let offset = 0;
  return (await decodeRows(chunk.results)).map(({ correctedPart, ...row }) => {
    const isStored = row.outcome === 'stored';
    const packId = isStored ? chunk.pack_id : null;
    const manifestRow = { ...row, part: correctedPart ?? chunk.part, packId, offset };
    if (isStored) offset += row.bytes ?? 0;
    return manifestRow;
  });
}
