import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkFile } from '../../src/store/backup/check.ts';
import type { LivingFile } from '../../src/store/backup/folder.ts';
import { Database } from '../../src/store/database/database.ts';
import { KeyRing } from '../../src/store/encryption/key-ring.ts';
import { DiskFiles } from '../../src/store/files/disk.ts';
import { hex } from '../../src/store/ids.ts';
import { openStore } from '../../src/store/open.ts';
import { DOCUMENT_STATES } from '../../src/store/database/schema.ts';

/** A document whose storage the service has acknowledged. */
export interface Acknowledged {
  readonly documentId: string;
  readonly sha256: string;
}

export interface Place {
  readonly databaseUrl: string;
  readonly folder: string;
  /** In hexadecimal; left out when the files are not encrypted. */
  readonly encryptionKey?: string;
}

export interface Findings {
  /** One line per violation; empty when all invariants hold. */
  readonly violations: readonly string[];
  readonly documents: number;
  readonly orphans: number;
}

/**
 * Checks rows and files through fresh connections:
 * - every acknowledged document has a row, a file with its digest, and exactly one audit record;
 * - no living row is without its file, and every file has the digest of its row;
 * - after a sweep no file is without a row and no temporary file is left.
 */
export async function findViolations(
  place: Place,
  acknowledged: readonly Acknowledged[],
): Promise<Findings> {
  const violations: string[] = [];
  const rows = await readRows(place.databaseUrl);
  const audits = new Map<string, number>();
  for (const id of rows.audits) audits.set(id, (audits.get(id) ?? 0) + 1);
  const digests = new Map(rows.documents.map((row) => [row.document_id, hex(row.sha256)]));
  for (const { documentId, sha256 } of acknowledged) {
    if (digests.get(documentId) !== sha256) violations.push(`${documentId}: acknowledged, no row`);
    const count = audits.get(documentId) ?? 0;
    if (count !== 1) violations.push(`${documentId}: acknowledged, ${count} audit records`);
  }
  const keys = place.encryptionKey === undefined ? [] : [Buffer.from(place.encryptionKey, 'hex')];
  const ring = new KeyRing({ keys: () => keys });
  for (const row of rows.documents) {
    const documentId = row.document_id;
    const problem = await fileProblem(ring, place.folder, {
      id: documentId,
      kind: 'document',
      bytes: row.bytes,
      sha256: hex(row.sha256),
      wrappedKey: row.wrapped_key,
    });
    if ((row.wrapped_key === null) !== (keys.length === 0)) violations.push(`${documentId}: key`);
    if (problem !== null) violations.push(`${documentId}: ${problem}`);
    if (!audits.has(documentId)) violations.push(`${documentId}: row without an audit record`);
  }
  const orphans = await sweep(place);
  for (const left of await unknownFiles(place.folder, new Set(digests.keys()))) {
    violations.push(`${left}: left after the sweep`);
  }
  return { violations, documents: digests.size, orphans };
}

async function readRows(databaseUrl: string) {
  const database = new Database({
    url: databaseUrl,
    connectionsMax: 2,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 30_000,
    allowUnsafeCommits: false,
  });
  try {
    const documents = await database.read((db) =>
      db
        .selectFrom('documents')
        .select(['document_id', 'sha256', 'bytes', 'wrapped_key'])
        .where('state', '=', DOCUMENT_STATES.available)
        .execute(),
    );
    const audits = await database.read((db) =>
      db.selectFrom('audit').select('document_id').execute(),
    );
    return { documents, audits: audits.map((row) => row.document_id) };
  } finally {
    await database.close();
  }
}

async function fileProblem(
  ring: KeyRing,
  folder: string,
  file: LivingFile,
): Promise<string | null> {
  const { id: documentId } = file;
  const path = join(
    folder,
    'files',
    documentId.slice(0, 5),
    documentId.slice(5, 8),
    `${documentId}.pdf`,
  );
  try {
    const bytes = await readFile(path);
    const verdict = await checkFile(ring, file, bytes);
    return verdict === 'whole' ? null : `row whose file is ${verdict}`;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return 'row without its file';
    }
    throw error;
  }
}

async function sweep(place: Place): Promise<number> {
  const store = await openStore({
    databaseUrl: place.databaseUrl,
    filesUrl: `file:${join(place.folder, 'files')}`,
    orphanGraceMs: -60_000,
  });
  try {
    return (await store.documents.sweep(Date.now())).orphans;
  } finally {
    await store.close();
  }
}

async function unknownFiles(folder: string, known: ReadonlySet<string>): Promise<string[]> {
  const files = new DiskFiles({ root: join(folder, 'files'), timeoutMs: 10_000, putsMax: 1 });
  const left: string[] = [];
  for await (const entries of files.list()) {
    for (const entry of entries) {
      if (entry.temporary || !known.has(entry.documentId)) left.push(entry.name);
    }
  }
  return left;
}
