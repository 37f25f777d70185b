import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../src/runtime/error-code.ts';
import { checkFile, type StoredRow } from '../../src/store/backup/check.ts';
import { Database } from '../../src/store/database/database.ts';
import { EncryptedFile } from '../../src/store/encryption/encrypted-file.ts';
import { KeyRing } from '../../src/store/encryption/key-ring.ts';
import { DiskFiles } from '../../src/store/files/disk.ts';
import { digest, hex } from '../../src/store/ids.ts';
import { openStore } from '../../src/store/open.ts';
import { DOCUMENT_STATES } from '../../src/store/database/schema.ts';

/** A document whose storage the service has acknowledged. */
export interface Acknowledged {
  readonly documentId: string;
  readonly sha256: string;
}

/** A database and the folder of its files. */
export interface Place {
  readonly databaseUrl: string;
  readonly folder: string;
  /** In hexadecimal; left out when the files are not encrypted. */
  readonly encryptionKey?: string;
}

export interface Findings {
  /** One line per violation; empty when all invariants hold. */
  readonly violations: readonly string[];
  /** Number of documents that have a row. */
  readonly documents: number;
  /** Number of files without a row, which the sweep removed. */
  readonly orphans: number;
}

/**
 * Checks rows and files through fresh connections:
 * - every acknowledged document has a row with its digest and exactly one audit record;
 * - every row of an available document has an audit record and a file with the row's digest, separate
 *   or in a pack, which is encrypted if the place has a key;
 * - after a sweep, every file has a row, and no temporary file is left.
 * The sweep removes files from the place.
 */
export async function findViolations(
  place: Place,
  acknowledged: readonly Acknowledged[],
): Promise<Findings> {
  const rows = await readRows(place.databaseUrl);
  const violations = [
    ...acknowledgedViolations(acknowledged, rows),
    ...(await rowViolations(place, rows)),
  ];
  const orphans = await sweep(place);
  const known = new Set(rows.documents.map(fileIdOf));
  for (const left of await unknownFiles(place.folder, known)) {
    violations.push(`${left}: left after the sweep`);
  }
  return { violations, documents: rows.documents.length, orphans };
}

/** The id of the document's separate file, or of its pack. */
function fileIdOf(row: Pick<StoredRows['documents'][number], 'document_id' | 'pack_id'>): string {
  return row.pack_id ?? row.document_id;
}

type StoredRows = Awaited<ReturnType<typeof readRows>>;

function acknowledgedViolations(
  acknowledged: readonly Acknowledged[],
  { documents, auditCounts }: StoredRows,
): string[] {
  const violations: string[] = [];
  const digests = new Map(documents.map((row) => [row.document_id, hex(row.sha256)]));
  for (const { documentId, sha256 } of acknowledged) {
    if (digests.get(documentId) !== sha256) violations.push(`${documentId}: acknowledged, no row`);
    const count = auditCounts.get(documentId) ?? 0;
    if (count !== 1) violations.push(`${documentId}: acknowledged, ${count} audit records`);
  }
  return violations;
}

async function rowViolations(
  { folder, encryptionKey }: Place,
  { documents, auditCounts }: StoredRows,
): Promise<string[]> {
  const violations: string[] = [];
  const keys = encryptionKey === undefined ? [] : [Buffer.from(encryptionKey, 'hex')];
  const ring = new KeyRing({ keys: () => keys });
  for (const row of documents) {
    const documentId = row.document_id;
    const problem = await fileProblem(ring, folder, row);
    if (problem !== null) violations.push(`${documentId}: ${problem}`);
    const isEncrypted = (row.pack_id === null ? row.wrapped_key : row.pack_key) !== null;
    if (isEncrypted !== keys.length > 0) {
      violations.push(`${documentId}: ${isEncrypted ? 'encrypted' : 'not encrypted'}`);
    }
    if (!auditCounts.has(documentId)) violations.push(`${documentId}: row without an audit record`);
  }
  return violations;
}

/** The rows of the available documents, and how many audit records each document has. */
async function readRows(databaseUrl: string) {
  const database = new Database({
    url: databaseUrl,
    connectionsMax: 2,
    connectTimeoutMs: 60_000,
    statementTimeoutMs: 60_000,
    allowUnsafeCommits: false,
  });
  try {
    const documents = await database.read((db) =>
      db
        .selectFrom('documents')
        .leftJoin('run_files', 'run_files.file_id', 'documents.pack_id')
        .select(['document_id', 'sha256', 'documents.bytes', 'documents.wrapped_key'])
        .select(['pack_id', 'pack_offset', 'run_files.bytes as pack_bytes'])
        .select(['run_files.wrapped_key as pack_key', 'run_files.state as pack_state'])
        .where('documents.state', 'in', [DOCUMENT_STATES.available, DOCUMENT_STATES.packed])
        .execute(),
    );
    const audits = await database.read((db) =>
      db.selectFrom('audit').select('document_id').execute(),
    );
    const auditCounts = new Map<string, number>();
    for (const { document_id: id } of audits) auditCounts.set(id, (auditCounts.get(id) ?? 0) + 1);
    return { documents, auditCounts };
  } finally {
    await database.close();
  }
}

/** Reads a document's file, on disk and not through the store; null: it is whole. */
async function fileProblem(
  ring: KeyRing,
  folder: string,
  row: StoredRows['documents'][number],
): Promise<string | null> {
  const id = fileIdOf(row);
  const isPacked = row.pack_id !== null;
  if (isPacked && row.pack_state !== DOCUMENT_STATES.available)
    return 'row without that of its pack';
  const name = `${id}.${isPacked ? 'run' : 'pdf'}`;
  const stored: StoredRow = {
    id,
    bytes: (isPacked ? row.pack_bytes : row.bytes) ?? 0,
    sha256: isPacked ? null : hex(row.sha256),
    wrappedKey: isPacked ? row.pack_key : row.wrapped_key,
  };
  try {
    const bytes = await readFile(join(folder, 'files', id.slice(0, 5), id.slice(5, 8), name));
    const verdict = await checkFile(ring, stored, bytes);
    if (verdict !== 'whole') return `row whose file is ${verdict}`;
    return isPacked ? await sectionProblem(ring, row, stored, bytes) : null;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'row without its file';
    throw error;
  }
}

/** Compares the part of a pack that is a document's file with the document's digest. */
async function sectionProblem(
  ring: KeyRing,
  row: StoredRows['documents'][number],
  { id, wrappedKey }: StoredRow,
  pack: Buffer,
): Promise<string | null> {
  const key = wrappedKey === null ? null : await ring.unwrap(wrappedKey);
  const stored = {
    bytes: pack.byteLength,
    read: (at: number, length: number) => Promise.resolve(pack.subarray(at, at + length)),
    close: () => Promise.resolve(),
  };
  const file = key === null ? stored : new EncryptedFile(stored, { key, fileId: id });
  const section = await file.read(row.pack_offset ?? 0, row.bytes);
  const isWhole = hex(digest(section)) === hex(row.sha256);
  return isWhole ? null : 'row whose part of a pack is damaged';
}

/** Sweeps the place; returns the number of files without a row. */
async function sweep(place: Place): Promise<number> {
  const store = await openStore({
    databaseUrl: place.databaseUrl,
    filesUrl: `file:${join(place.folder, 'files')}`,
    // Less than 0: also a file of this moment counts as old.
    orphanGraceMs: -60_000,
  });
  try {
    return (await store.documents.sweep(Date.now())).orphans;
  } finally {
    await store.close();
  }
}

/** Names of temporary files and of files without a row. */
async function unknownFiles(folder: string, known: ReadonlySet<string>): Promise<string[]> {
  const files = new DiskFiles({ root: join(folder, 'files'), timeoutMs: 60_000, putsMax: 1 });
  const left: string[] = [];
  for await (const entries of files.list()) {
    for (const entry of entries) {
      if (entry.temporary || !known.has(entry.documentId)) left.push(entry.name);
    }
  }
  return left;
}
