import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { callerOf, refused, rows } from '../../../../test/fixtures/runs/caller.ts';
import { addPrint, PRINT_BYTES } from '../../../../test/fixtures/runs/print-file.ts';

const HOUR_MS = 3_600_000;
const RETENTION = { retentionSeconds: 3_600 };
const DOWNLOADS = ['zip', 'prints/1', 'prints/1/index', 'manifest', 'manifest?format=csv'] as const;

/** Lists the files of a ZIP archive with the text of the last one; a faulty archive throws. */
const LIST_ZIP = `import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
names = archive.namelist()
print(json.dumps([names, archive.read(names[-1]).decode('utf-8', 'replace')]))`;

/** A caller of a service whose clocks the test sets; nothing is swept unless the test does it. */
async function sceneOf(t: Test) {
  const ahead = { wallMs: 0, monotonicMs: 0 };
  const clock = {
    wallMs: () => Date.now() + ahead.wallMs,
    monotonicMs: () => performance.now() + ahead.monotonicMs,
  };
  const caller = await callerOf(t, { store: { clock } });
  const { service, put, act, reach, get } = caller;
  const pass = (ms: number): void => {
    ahead.wallMs += ms;
    ahead.monotonicMs += ms;
  };
  const add = async (url: string, part: number, lines: string): Promise<void> => {
    await put(url, part, lines);
    await act(url, 'start', { onInvalid: 'skip' });
    await reach(url, 'done');
  };
  const statuses = async (url: string): Promise<object> => {
    const all: Record<string, number> = {};
    for (const path of DOWNLOADS) {
      const answer = await get(`${url}/${path}`);
      await answer.arrayBuffer();
      all[path] = answer.status;
    }
    return all;
  };
  const listZip = async (url: string): Promise<[string[], string]> => {
    const file = join(t.testdir(), 'documents.zip');
    writeFileSync(file, Buffer.from(await (await get(`${url}/zip`)).arrayBuffer()));
    return JSON.parse(execFileSync('python3', ['-c', LIST_ZIP, file]).toString()) as never;
  };
  const sweep = () => service.store.documents.sweep(clock.wallMs());
  return { ...caller, ahead, pass, add, statuses, listZip, sweep };
}

const allOf = (status: number): object =>
  Object.fromEntries(DOWNLOADS.map((path) => [path, status]));

t.test('all files of a run answer 410 from the moment at which its documents expire', async (t) => {
  const { service, ahead, pass, make, add, statuses, get, sweep } = await sceneOf(t);
  const url = await make(RETENTION);
  await add(url, 1, rows(3));
  await addPrint(service, url.slice(-36), 3);
  t.strictSame(await statuses(url), allOf(200));
  ahead.wallMs += 2 * HOUR_MS;
  t.strictSame(await statuses(url), allOf(200), 'a wall clock that was set ends nothing');
  ahead.wallMs -= 2 * HOUR_MS;

  pass(HOUR_MS);
  const before = await service.store.audit.list({ action: 'runs.download', countMax: 100 });
  t.strictSame(await statuses(url), allOf(410), 'no document was asked for, and nothing swept');
  const gone = 'gone: The documents of this run have expired.';
  t.equal(await refused(get(`${url}/zip`)), gone);
  t.equal(await refused(get(`${url}/prints/1`)), gone);
  t.equal(await refused(get(`${url}/prints/1/index`)), gone);
  t.equal(await refused(get(`${url}/manifest`)), 'gone: The rows of this run have expired.');
  t.strictSame(await (await get(`${url}/prints`)).json(), { prints: [], next: null });
  const after = await service.store.audit.list({ action: 'runs.download', countMax: 100 });
  t.equal(after.length, before.length, 'no record says that something was taken');
  const errors = service.logged.filter((line) => line.includes('"level":50'));
  t.strictSame(errors, [], 'expiry is no error of the service');
  await sweep();
  t.strictSame(await statuses(url), allOf(410), 'swept');
});

t.test('of a run of two days the ZIP has what has not expired, and lists the rest', async (t) => {
  const { service, pass, make, add, run, statuses, listZip, get, sweep } = await sceneOf(t);
  const url = await make(RETENTION);
  await add(url, 1, rows(300));
  pass(HOUR_MS / 2);
  await add(url, 2, rows(3, 300));
  await addPrint(service, url.slice(-36), 303);
  const documents: { row: string; documentId: string }[] = [];
  for (const line of (await (await get(`${url}/manifest`)).text()).trim().split('\n')) {
    documents.push(JSON.parse(line) as (typeof documents)[number]);
  }
  const expected = documents.slice(0, 300).map((row) => `${row.row}\t${row.documentId}\texpired`);
  t.strictSame(await statuses(url), allOf(200));

  pass(HOUR_MS / 2);
  t.match(await run(url), { documentsExpired: false, damagedDocuments: 0 });
  for (const when of ['before the sweep', 'after it']) {
    const [names, list] = await listZip(url);
    const kept = ['C300.pdf', 'C301.pdf', 'C302.pdf', 'missing-documents.txt'];
    t.strictSame(names, kept, when);
    t.strictSame(list.trim().split('\r\n').slice(1), expected, when);
    // A print file holds pages of all its documents, so it goes with the first of them.
    const few = { ...allOf(200), 'prints/1': 410 };
    t.strictSame(await statuses(url), few, when);
    t.equal(
      await refused(get(`${url}/prints/1`)),
      'gone: The print file has expired with the first of its documents.',
    );
    await sweep();
  }
  t.match(await run(url), { damagedDocuments: 0 }, 'an expired document is not damaged');
  const errors = service.logged.filter((line) => line.includes('"level":50'));
  t.strictSame(errors, [], 'and no error');
  pass(HOUR_MS);
  t.strictSame(await statuses(url), allOf(410));
});

t.test('the manifest stays while faulty rows can be corrected', async (t) => {
  const { pass, make, add, statuses, get, sweep } = await sceneOf(t);
  const url = await make({ ...RETENTION, invalidShareMax: 0.5 });
  await add(url, 1, `${rows(1)}{"customer":"","total":"1.05"}\n`);
  pass(HOUR_MS);
  for (const when of ['before the sweep', 'after it']) {
    t.match(await statuses(url), { zip: 410, manifest: 200 }, when);
    t.match(await (await get(`${url}/manifest?outcome=invalid`)).text(), '"outcome":"invalid"');
    await sweep();
  }
});

t.test('a print file that is being sent when it expires may end', async (t) => {
  const { service, pass, make, add, get } = await sceneOf(t);
  const url = await make(RETENTION);
  await add(url, 1, rows(1));
  await addPrint(service, url.slice(-36), 1);
  const answer = await get(`${url}/prints/1`);
  pass(HOUR_MS);
  t.equal(await answer.text(), PRINT_BYTES);
});
