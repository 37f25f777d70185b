import { storedStatesSql } from './guarded/states.ts';
import { entryAt } from '../../errors.ts';
import { digestBytes, uuidv7 } from '../ids.ts';
import { AUDIT_COLUMNS, FILE_COLUMNS, insertsOf, PACKED_COLUMNS } from '../database/inserts.ts';
import { NAME_COLUMNS } from '../database/tables/naming.ts';
import type { NamedDocument } from '../naming/names.ts';
import { encode, encodeRows } from './codec.ts';
import { sumsOf } from './adding.ts';
import { CHUNK_STATES, EXCEPTION_STATES, ROW_STATES } from '../database/tables/runs.ts';
import type { PackedDocument, RenderedChunk } from './rendered.ts';
import type { ChunkRow, RunChunk, RunRecord } from './types.ts';
import { DOCUMENT_STATES, type Schema } from '../database/schema.ts';
import type { ScriptStatement } from '../database/script.ts';

/** States of a run whose chunks still count. */
const COUNTING = ['running', 'paused', 'stopped'] as const;

/** A rendered chunk that is to be stored. */
interface FinishedChunk {
  readonly run: RunRecord;
  readonly chunk: RunChunk;
  readonly owner: string;
  readonly rendered: RenderedChunk;
  /** The row of the chunk's pack. Null if no row of the chunk could be rendered. */
  readonly pack: Schema['run_files'] | null;
  readonly nowMs: number;
  /** Time at which the chunk's documents expire. */
  readonly expiresAtMs: number;
  readonly auditRowOf: (documentId: string, document: PackedDocument) => Schema['audit'];
  /** Null: none of its documents has names. */
  readonly namesRowOf: ((document: NamedDocument) => Schema['document_names']) | null;
}

/** A document with its id. */
interface NewDocument {
  readonly documentId: string;
  readonly document: PackedDocument;
}

/** The transaction that ends a chunk: its pack, its documents and their audit records. */
export async function finishChunkScript(
  finished: FinishedChunk,
): Promise<readonly ScriptStatement[]> {
  const { run, chunk, rendered, pack, nowMs, auditRowOf } = finished;
  const documents = rendered.documents.map((document) => ({
    document,
    documentId: uuidv7(nowMs),
  }));
  const auditRows = documents.map(({ documentId, document }) => auditRowOf(documentId, document));
  const failedPositions = [...rendered.failures.keys()];
  return [
    await endChunk(finished, documents),
    ...insertsOf('run_files', FILE_COLUMNS, pack === null ? [] : [pack]),
    ...insertsOf('documents', PACKED_COLUMNS, documentRows(finished, documents)),
    ...insertsOf('document_names', NAME_COLUMNS, nameRows(finished, documents)),
    ...insertsOf('audit', AUDIT_COLUMNS, auditRows),
    ...failedPositions.flatMap((position) => allowReplacement(run, chunk, position)),
    // Last, because all chunks of the run wait for each other from here until COMMIT.
    countResults(finished),
  ];
}

/** Marks the chunk as done, with the results of its rows. */
async function endChunk(
  { run, chunk, owner, rendered, pack }: FinishedChunk,
  documents: readonly NewDocument[],
): Promise<ScriptStatement> {
  const byPosition = new Map(documents.map((entry) => [entry.document.position, entry]));
  const rows = chunk.rows.map((row, position): ChunkRow => {
    const stored = byPosition.get(position);
    const failure = rendered.failures.get(position);
    const { outcome: _outcome, amounts: _amounts, ...rest } = row;
    if (stored !== undefined) {
      const { sha256, pages, bytes, crc32, missingCharacters, signedBy } = stored.document;
      const { documentId } = stored;
      const made = { documentId, sha256, pages, bytes, crc32 };
      const lacking = missingCharacters === 0 ? {} : { missingCharacters };
      const signed = signedBy === null ? {} : { certificateSerial: signedBy.serialNumber };
      return { ...rest, outcome: 'stored', ...made, ...lacking, ...signed };
    }
    return failure === undefined ? row : { ...rest, outcome: 'failed', ...failure };
  });
  const storedRows = chunk.rows.filter((_, position) => byPosition.has(position));
  return {
    sql:
      'update run_chunks set state = ?, owner = null, sums = ?, stored = ?, results = ?,' +
      ' pack_id = ? where chunk_id = ? and state = ? and owner = ?',
    parameters: [
      CHUNK_STATES.done,
      encode(sumsOf(run, storedRows)),
      documents.length,
      await encodeRows(rows),
      pack?.file_id ?? null,
      chunk.chunkId,
      CHUNK_STATES.leased,
      owner,
    ],
    changes: 1,
  };
}

function countResults({ run, rendered }: FinishedChunk): ScriptStatement {
  const { documents, failures } = rendered;
  const pages = documents.reduce((sum, document) => sum + document.pages, 0);
  const bytes = documents.reduce((sum, document) => sum + document.bytes, 0);
  return {
    sql:
      'update runs set stored = stored + ?, failed = failed + ?, pages = pages + ?,' +
      ` bytes = bytes + ? where run_id = ? and state in ${storedStatesSql(COUNTING)}`,
    parameters: [documents.length, failures.size, pages, bytes, run.runId],
    changes: 1,
  };
}

/** The rows of the documents, whose files follow each other in the pack. */
function documentRows(
  { run, pack, nowMs, expiresAtMs }: FinishedChunk,
  documents: readonly NewDocument[],
): readonly Schema['documents'][] {
  let offset = 0;
  return documents.map(({ documentId, document }) => {
    const row = {
      document_id: documentId,
      team_id: run.teamId,
      template_id: run.spec.templateId,
      version: run.spec.version,
      sha256: digestBytes(document.sha256),
      bytes: document.bytes,
      pages: document.pages,
      protected: run.spec.protection === null ? 0 : 1,
      created_at_ms: nowMs,
      expires_at_ms: expiresAtMs,
      state: DOCUMENT_STATES.packed,
      pack_id: pack?.file_id ?? null,
      pack_offset: offset,
      wrapped_key: null,
    };
    offset += document.bytes;
    return row;
  });
}

/** The rows of references and file names. */
function nameRows(
  { run, namesRowOf, expiresAtMs }: FinishedChunk,
  documents: readonly NewDocument[],
): readonly Schema['document_names'][] {
  if (namesRowOf === null) return [];
  const { teamId } = run;
  return documents.flatMap(({ documentId, document: { naming } }) =>
    naming === null ? [] : [namesRowOf({ documentId, teamId, expiresAtMs, naming })],
  );
}

/** Allows a correction, or another row with its id, to take the place of a failed row. */
function allowReplacement(run: RunRecord, chunk: RunChunk, position: number): ScriptStatement[] {
  const { rowId, line, correctedPart = chunk.part, amounts = [] } = entryAt(chunk.rows, position);
  const place = [chunk.part, chunk.fromByte, position];
  const reopening: ScriptStatement = {
    sql:
      'update run_rows set open = ? where run_id = ? and row_id = ? and part = ?' +
      ' and from_byte = ? and position = ?',
    parameters: [ROW_STATES.failed, run.runId, rowId, ...place],
    changes: null,
  };
  // An earlier version has checked the row.
  if (line === undefined) return [reopening];
  const address = [run.runId, correctedPart, line];
  return [
    reopening,
    // A failed correction is an exception already.
    {
      sql: 'delete from run_exceptions where run_id = ? and part = ? and line = ?',
      parameters: address,
      changes: null,
    },
    {
      sql:
        'insert into run_exceptions (run_id, part, line, state, row_id, held_part, from_byte,' +
        ' position, amounts) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      parameters: [...address, EXCEPTION_STATES.failed, rowId, ...place, encode(amounts)],
      changes: 1,
    },
  ];
}
