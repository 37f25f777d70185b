import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import type { ManifestRow, RunRecord, RunSpec } from '../../../src/store/runs/types.ts';
import type { Store } from '../../../src/store/store.ts';
import { RUN_SPEC } from '../../fixtures/runs/spec.ts';

/** Runs of the template `note` whose documents have a password each, or a signature. */

/** The key that encrypts their rows. */
export const KEY = Buffer.alloc(32, 'a key of the test');
export const ENCRYPTION = { keys: () => [KEY] };
const PART_ROWS = 500;

export const passwordOf = (row: number): string => `pass-R${row}-word`;

/** Each document opens by the password of its row. */
export const BY_ROW: RunSpec['protection'] = {
  user: { text: 'pass-{{refNo}}-word', format: {} },
  owner: null,
  permissions: {},
};

/** Adds a run with so many rows, and starts it unless it is to wait. */
export async function addRun(
  store: Store,
  rows: number,
  spec: Partial<RunSpec>,
  isStarted = true,
): Promise<RunRecord> {
  const run = await store.runs.create('bank', 'key:crash', {
    ...RUN_SPEC,
    templateId: 'note',
    version: 1,
    idField: 'refNo',
    onInvalid: 'stop',
    ...spec,
  });
  for (let first = 0, part = 1; first < rows; first += PART_ROWS, part += 1) {
    const lines = Array.from({ length: Math.min(PART_ROWS, rows - first) }, (_, index) => {
      const row = first + index;
      return `${JSON.stringify({ refNo: `R${row}`, total: String(row) })}\n`;
    });
    const bytes = new Uint8Array(Buffer.from(lines.join('')));
    const sha256 = hash('sha256', bytes, 'hex');
    const added = { part, sha256, format: 'ndjson', headerBytes: 0, firstLine: 1 } as const;
    await store.runs.addPart(run, added, bytes);
  }
  if (isStarted) {
    await store.runs.move(run.runId, { from: ['receiving'], to: 'checking', isDryRun: false });
  }
  return run;
}

/** The document of a row as it is stored. */
export async function documentOf(store: Store, { packId, offset, bytes = 0 }: ManifestRow) {
  const pack = await store.runs.openPack(packId ?? '');
  try {
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < bytes;) {
      const piece = await pack.read(offset + at, bytes - at);
      pieces.push(piece);
      at += piece.byteLength;
    }
    return Buffer.concat(pieces);
  } finally {
    await pack.close();
  }
}

/** Whether qpdf opens the file by the password. */
export function opens(path: string, password: string): boolean {
  try {
    execFileSync('qpdf', [`--password=${password}`, '--check', path], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Whether some part of the run can still be read. */
export async function hasRows(store: Store, { runId }: RunRecord): Promise<boolean> {
  const parts = await store.runs.parts(runId, 100, 0);
  const read = parts.map((part) =>
    store.runWork.openPart({ ...part, checkedTo: 0 }).then(
      (file) => file.close().then(() => true),
      () => false,
    ),
  );
  return (await Promise.all(read)).includes(true);
}
