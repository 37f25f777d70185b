import { entryAt } from '../../errors.ts';
import { digestBytes, uuidv7 } from '../ids.ts';
import { AUDIT_COLUMNS, insertsOf, PACKED_COLUMNS } from '../database/inserts.ts';
import { encode, encodeRows } from './codec.ts';
import { sumsOf } from './adding.ts';
import { CHUNK_STATES, ROW_STATES } from './run-schema.ts';
import type { ChunkRow, PackedDocument, RenderedChunk, RunChunk, RunRecord } from './types.ts';
import { DOCUMENT_STATES, type Schema } from '../database/schema.ts';
import type { ScriptStatement } from '../database/script.ts';

interface Finishing {
  readonly run: RunRecord;
  readonly chunk: RunChunk;
  readonly owner: string;
  readonly rendered: RenderedChunk;
  /** null: none of its rows could be rendered. */
  readonly packId: string | null;
  readonly wrappedKey: Uint8Array | null;
  readonly nowMs: number;
  readonly audits: (documentId: string, document: PackedDocument) => Schema['audit'];
}

/** The transaction that ends a chunk: its pack, its documents and their audit records. */
export async function finishing(finish: Finishing): Promise<readonly ScriptStatement[]> {
  const { run, chunk, owner, rendered, packId, nowMs, audits } = finish;
  const expiresAtMs = nowMs + run.spec.retentionSeconds * 1000;
  const documents = rendered.documents.map((document) => ({
    document,
    documentId: uuidv7(nowMs),
  }));
  const byPosition = new Map(documents.map((entry) => [entry.document.position, entry]));
  const rows = chunk.rows.map((row, position): ChunkRow => {
    const stored = byPosition.get(position);
    const failure = rendered.failures.get(position);
    const { rowId, length } = row;
    if (stored !== undefined) {
      const { sha256, pages, bytes, crc32 } = stored.document;
      const { documentId } = stored;
      return { rowId, length, outcome: 'stored', documentId, sha256, pages, bytes, crc32 };
    }
    return failure === undefined ? row : { rowId, length, outcome: 'failed', ...failure };
  });
  const storedRows = chunk.rows.filter((_, position) => byPosition.has(position));
  const places = placesOf(finish, documents, expiresAtMs);
  return [
    {
      sql:
        'update run_chunks set state = ?, owner = null, sums = ?, stored = ?, results = ?,' +
        ' pack_id = ? where chunk_id = ? and state = ? and owner = ?',
      parameters: [
        CHUNK_STATES.done,
        encode(sumsOf(run, storedRows)),
        documents.length,
        await encodeRows(rows),
        packId,
        chunk.chunkId,
        CHUNK_STATES.leased,
        owner,
      ],
      changes: 1,
    },
    ...packed(finish, expiresAtMs),
    ...insertsOf('documents', PACKED_COLUMNS, places),
    ...insertsOf(
      'audit',
      AUDIT_COLUMNS,
      documents.map(({ documentId, document }) => audits(documentId, document)),
    ),
    ...[...rendered.failures.keys()].map((position) => opening(run, chunk, position)),
    // Last, because all chunks of the run wait for each other from here until COMMIT.
    counting(finish),
  ];
}

function counting({ run, rendered }: Finishing): ScriptStatement {
  const { documents, failures } = rendered;
  const pages = documents.reduce((sum, document) => sum + document.pages, 0);
  const bytes = documents.reduce((sum, document) => sum + document.bytes, 0);
  return {
    sql:
      'update runs set stored = stored + ?, failed = failed + ?, pages = pages + ?,' +
      " bytes = bytes + ? where run_id = ? and state in ('running', 'paused', 'stopped')",
    parameters: [documents.length, failures.size, pages, bytes, run.runId],
    changes: 1,
  };
}

/** The row of the pack itself. */
function packed(
  { run, rendered, packId, wrappedKey }: Finishing,
  expiresAtMs: number,
): ScriptStatement[] {
  if (packId === null) return [];
  const bytes = rendered.documents.reduce((sum, document) => sum + document.bytes, 0);
  return [
    {
      sql:
        'insert into run_files (file_id, run_id, kind, bytes, expires_at_ms, state, wrapped_key)' +
        ' values (?, ?, ?, ?, ?, ?, ?)',
      parameters: [
        packId,
        run.runId,
        'pack',
        bytes,
        expiresAtMs,
        DOCUMENT_STATES.available,
        wrappedKey,
      ],
      changes: 1,
    },
  ];
}

function placesOf(
  { run, packId, nowMs }: Finishing,
  documents: readonly { readonly documentId: string; readonly document: PackedDocument }[],
  expiresAtMs: number,
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
      protected: 0,
      created_at_ms: nowMs,
      expires_at_ms: expiresAtMs,
      state: DOCUMENT_STATES.packed,
      pack_id: packId,
      pack_offset: offset,
      wrapped_key: null,
    };
    offset += document.bytes;
    return row;
  });
}

/** A row that failed may be replaced by another with its id. */
function opening(run: RunRecord, chunk: RunChunk, position: number): ScriptStatement {
  return {
    sql:
      'update run_rows set open = ? where run_id = ? and row_id = ? and part = ?' +
      ' and from_byte = ? and position = ?',
    parameters: [
      ROW_STATES.failed,
      run.runId,
      entryAt(chunk.rows, position).rowId,
      chunk.part,
      chunk.fromByte,
      position,
    ],
    changes: null,
  };
}
