import type { Database } from '../database/database.ts';
import type { FileKind } from '../files/files.ts';
import { DOCUMENT_STATES, type Schema } from '../database/schema.ts';
import { readSound } from '../removal/sound-rows.ts';

/** How long a `swept` row stays, so that a late commit fails on its id. */
const DAY_MS = 86_400_000;

/** State and size of a file, as its row says. */
export interface FileRow {
  readonly state: number;
  readonly bytes: number;
}

/** The rows of files, one table for each kind of file; their states are those of documents. */
export interface FileRows {
  /** Maps ids to rows; ids without one are absent, a damaged row counts as a living one. */
  find(ids: readonly string[]): Promise<ReadonlyMap<string, FileRow>>;
  /** Inserts `swept` rows for all ids, or throws a `duplicate` fault when one has a row. */
  condemn(ids: readonly string[], nowMs: number): Promise<void>;
}

/** The rows of each kind of file in this database. */
export function fileRows(database: Database): Readonly<Record<FileKind, FileRows>> {
  return { document: documentRows(database), run: runFileRows(database) };
}

function documentRows(database: Database): FileRows {
  return {
    async find(ids) {
      const { rows, damaged } = await readSound(database, ids, (db, some) =>
        db
          .selectFrom('documents')
          // The caller checks the state: a condition on it could make SQLite scan an index over it.
          .select(['document_id', 'state', 'bytes'])
          .where('document_id', 'in', some)
          .execute(),
      );
      return byId(
        rows.map((row) => [row.document_id, row]),
        damaged,
      );
    },
    async condemn(ids, nowMs) {
      const rows = ids.map((id) => sweptDocument(id, nowMs));
      await database.write((db) => db.insertInto('documents').values(rows).execute());
    },
  };
}

function runFileRows(database: Database): FileRows {
  return {
    async find(ids) {
      const { rows, damaged } = await readSound(database, ids, (db, some) =>
        db
          .selectFrom('run_files')
          .select(['file_id', 'state', 'bytes'])
          .where('file_id', 'in', some)
          .execute(),
      );
      return byId(
        rows.map((row) => [row.file_id, row]),
        damaged,
      );
    },
    async condemn(ids, nowMs) {
      const rows = ids.map((id) => ({
        file_id: id,
        run_id: '',
        kind: '',
        bytes: 0,
        expires_at_ms: nowMs + DAY_MS,
        state: DOCUMENT_STATES.swept,
        wrapped_key: null,
      }));
      await database.write((db) => db.insertInto('run_files').values(rows).execute());
    },
  };
}

/** The file of a damaged row is no orphan. */
function byId(
  known: readonly (readonly [string, FileRow])[],
  damaged: readonly string[],
): ReadonlyMap<string, FileRow> {
  return new Map([...known, ...damaged.map((id) => [id, LIVING] as const)]);
}

const LIVING: FileRow = { state: DOCUMENT_STATES.available, bytes: 0 };

function sweptDocument(documentId: string, nowMs: number): Schema['documents'] {
  return {
    document_id: documentId,
    team_id: '',
    template_id: '',
    version: 0,
    sha256: Buffer.alloc(32),
    bytes: 0,
    pages: 0,
    protected: 0,
    created_at_ms: nowMs,
    expires_at_ms: nowMs + DAY_MS,
    state: DOCUMENT_STATES.swept,
    pack_id: null,
    pack_offset: null,
    wrapped_key: null,
  };
}
