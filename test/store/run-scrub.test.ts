import { hash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunFinding } from '../../src/store/runs/types.ts';
import type { Store } from '../../src/store/store.ts';
import { overDialects } from './dialects.ts';
import { RUN_SPEC } from '../fixtures/runs/spec.ts';

const ROWS = 'refNo\nA\n';

await overDialects('scrub of runs', async (t, newPlace) => {
  await t.test('a part that differs from what was stored is named', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    const runId = await addRun(store);
    t.strictSame(await findingsOf(store), []);
    const path = fileWith(join(place.folder, 'files'), ROWS);
    writeFileSync(path, ROWS.replace('A', 'B'));
    t.strictSame(await findingsOf(store), [{ runId, file: 'part', number: 1, finding: 'damaged' }]);
    t.match(await store.documents.scrub({ bytesPerSecond: 1e9, onFinding: () => undefined }), {
      damaged: 0,
    });
    t.match(await store.scrubDatabase({ onFinding: () => undefined, isAccepting: false }), {
      damaged: 0,
    });
  });
});

/** A run with a part. */
async function addRun(store: Store): Promise<string> {
  const run = await store.runs.create('bank', 'key:k1', { ...RUN_SPEC, documentsPerPrint: 10 });
  const { runId } = run;
  const part = { part: 1, format: 'csv', headerBytes: 0, firstLine: 1 } as const;
  const rows = new Uint8Array(Buffer.from(ROWS));
  await store.runs.addPart(run, { ...part, sha256: hash('sha256', rows, 'hex') }, rows);
  return runId;
}

async function findingsOf(store: Store): Promise<readonly RunFinding[]> {
  const found: RunFinding[] = [];
  await store.runs.scrub({ bytesPerSecond: 1e9, onFinding: (finding) => found.push(finding) });
  return found;
}

/** The path of the stored file that holds this text. */
function fileWith(folder: string, text: string): string {
  const path = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .find((file) => readFileSync(file, 'utf8') === text);
  if (path === undefined) throw new Error('no such file');
  return path;
}
