import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { callerOf, rows } from '../../../../test/fixtures/runs/caller.ts';
import type { ManifestRow } from '../../../store/runs/types.ts';

const ROWS = 1_000;
/** Rows whose documents get damaged, in different packs. */
const DAMAGED = [77, 801];
/** The middle of such a document is in an encrypted segment of its own. */
const LONG_BYTES = 140_000;
/** Encrypted files consist of segments of 64 KB, each with a tag. */
const SEGMENT_BYTES = 65_536;
const TAG_BYTES = 16;

/** Lists the files of a ZIP archive and reads one; a faulty archive throws. */
const LIST_ZIP = `import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
names = archive.namelist()
print(json.dumps([names, archive.read(names[-1]).decode()]))`;

function flip(folder: string, { packId, offset }: ManifestRow, isEncrypted: boolean): void {
  const name = readdirSync(folder, { recursive: true })
    .map(String)
    .find((path) => path.includes(`${packId}.`));
  const path = join(folder, name ?? 'none');
  const bytes = readFileSync(path);
  const plain = offset + LONG_BYTES / 2;
  const at = plain + (isEncrypted ? Math.floor(plain / SEGMENT_BYTES) * TAG_BYTES : 0);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

for (const isEncrypted of [false, true]) {
  const store = isEncrypted ? 'an encrypted' : 'a plain';
  t.test(`the ZIP of ${ROWS} rows goes on without 2 documents of ${store} store`, async (t) => {
    const key = randomBytes(32);
    const caller = await callerOf(t, {
      store: isEncrypted ? { encryption: { keys: () => [key] } } : {},
    });
    const { service, make, put, act, reach, get, run } = caller;
    const url = await make();
    const lines = rows(ROWS).split('\n');
    for (const row of DAMAGED) lines[row] = `{"customer":"C${row}","bytes":${LONG_BYTES}}`;
    await put(url, 1, lines.join('\n'));
    await act(url, 'start');
    await reach(url, 'done');
    t.match(await run(url), { damagedDocuments: 0 }, 'before the download');
    const stored: ManifestRow[] = [];
    for await (const some of service.store.runs.manifest(url.slice(-36))) stored.push(...some);
    const damaged = DAMAGED.map((row) => stored[row]!);
    for (const row of damaged) flip(join(service.folder, 'files'), row, isEncrypted);

    const response = await get(`${url}/zip`);
    t.equal(response.status, 200);
    const file = join(t.testdir(), 'documents.zip');
    writeFileSync(file, Buffer.from(await response.arrayBuffer()));
    const listed = execFileSync('python3', ['-c', LIST_ZIP, file], { maxBuffer: 1 << 26 });
    const [names, missing] = JSON.parse(listed.toString()) as [string[], string];
    t.equal(names.length, ROWS - 2 + 1);
    t.equal(names.at(-1), 'missing-documents.txt', 'the last file lists them');
    const expected = damaged.map(({ rowId, documentId }) => `${rowId}\t${documentId}\tdamaged`);
    t.strictSame(missing.trim().split('\r\n').slice(1), expected);
    t.notOk(damaged.some(({ rowId }) => names.includes(`${rowId}.pdf`)));
    for (const { documentId = '' } of damaged) {
      const told = service.logged.filter((line) => line.includes(documentId));
      t.match(told.join(''), /a document for the archive of a run is damaged/);
    }
    t.match(await run(url), { damagedDocuments: 2 }, 'from then on the run tells it');
    const other = await make();
    await put(other, 1, rows(1));
    t.match(await run(other), { damagedDocuments: 0 }, 'and no other run');
  });
}
