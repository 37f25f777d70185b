import { closeSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { errorCode } from '../../../runtime/error-code.ts';
import { callerOf, rows, type RunCaller } from '../../../../test/fixtures/runs/caller.ts';

/** A print file that is read in several pieces. */
const PRINT_BYTES = 700_000;

/** A run of three documents with one print file. */
async function runOf(t: Test, auditAccess: '0' | '1') {
  const caller = await callerOf(t, { options: { auditAccess } });
  const { service, make, put, act, reach } = caller;
  const url = await make();
  await put(url, 1, rows(3));
  await act(url, 'start');
  await reach(url, 'done');
  await addPrint(service, url.slice(-36));
  return { ...caller, url };
}

/** The pool of the tests merges nothing, so the print file comes from here. */
async function addPrint({ store }: RunCaller['service'], runId: string): Promise<void> {
  const run = await store.runs.find('bank', runId);
  if (!run.found) throw new Error(run.why);
  const segment = await store.runPrints.putSegment(runId, [Buffer.alloc(PRINT_BYTES, '%PDF')]);
  await store.runPrints.prepare(run.value);
  const plan = await store.runPrints.lease(run.value, 'test');
  const file = {
    segments: [segment],
    sha256: segment.sha256 ?? '',
    documents: [],
    packIds: [],
    pages: 1,
  };
  await store.runPrints.finish(run.value, plan?.number ?? 0, 'test', file);
}

const PATHS = ['manifest', 'manifest?format=csv', 'zip', 'prints/1', 'prints/1/index'] as const;

function downloadsOf({ store }: RunCaller['service']) {
  return store.audit.list({ action: 'runs.download', countMax: 100 });
}

t.test('each download of a run leaves a record that says what was taken', async (t) => {
  const { service, url, get } = await runOf(t, '1');
  for (const path of PATHS) {
    const reply = await get(`${url}/${path}`);
    await reply.arrayBuffer();
    t.equal(reply.status, 200, path);
  }
  const records = await downloadsOf(service);
  const details = records.map(({ detail }) => detail);
  t.strictSame(details, ['manifest', 'manifest', 'zip', 'print 1', 'index of print 1']);
  const about = { teamId: 'bank', templateId: 'receipt', version: 1, documentId: url.slice(-36) };
  for (const record of records) {
    t.match(record, { ...about, principal: /^key:/, outcome: 'succeeded', code: '' });
  }
});

t.test('a download that is refused or only listed leaves no record', async (t) => {
  const { service, url, get } = await runOf(t, '1');
  const other = { 'x-api-key': await service.key('rival', ['runs']) };
  for (const path of PATHS) {
    t.equal((await fetch(`${url}/${path}`, { headers: other })).status, 404, path);
  }
  t.equal((await get(`${url}/manifest?format=xml`)).status, 400);
  t.equal((await get(`${url}/prints/2`)).status, 404);
  t.equal((await get(`${url}/prints`)).status, 200);
  t.strictSame(
    (await downloadsOf(service)).filter(({ outcome }) => outcome === 'succeeded'),
    [],
  );
});

/** Open files of a folder; the service of these tests runs in this process. */
function openFilesOf(folder: string): readonly string[] {
  return readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).includes(`${folder}/files/`);
    } catch (error) {
      // A descriptor that was closed since the folder was read, such as that of the folder.
      if (errorCode(error) !== 'ENOENT') throw error;
      return false;
    }
  });
}

const noProc = process.platform === 'linux' ? false : 'needs /proc';

t.test(
  'HEAD answers as GET does, records nothing and closes files',
  { skip: noProc },
  async (t) => {
    const { service, url } = await runOf(t, '1');
    const headers = { 'x-api-key': await service.key('bank', ['runs']) };
    const ask = (path: string): Promise<Response> =>
      fetch(`${url}/${path}`, { method: 'HEAD', headers });
    for (const path of PATHS) {
      const { status, headers: told } = await ask(path);
      t.equal(status, 200, path);
      t.match(told.get('content-disposition'), /^attachment/, path);
    }
    t.equal((await ask('prints/2')).status, 404);
    t.strictSame(await downloadsOf(service), []);
    t.strictSame(openFilesOf(service.folder), []);
    const descriptor = openSync(join(service.folder, 'files', 'probe'), 'w');
    t.strictSame(openFilesOf(service.folder), [String(descriptor)], 'an open file is seen');
    closeSync(descriptor);
  },
);

t.test('downloads of runs leave no record where the operator turned that off', async (t) => {
  const { service, url, get } = await runOf(t, '0');
  for (const path of PATHS) t.equal((await get(`${url}/${path}`)).status, 200, path);
  t.strictSame(await downloadsOf(service), []);
});

t.test('files of a run are named by run, template and day, and a CSV has titles', async (t) => {
  const { url, get } = await runOf(t, '0');
  const fileOf = async (path: string): Promise<string> => {
    const reply = await get(`${url}/${path}`);
    await reply.arrayBuffer();
    return /filename="(.*?)"/.exec(reply.headers.get('content-disposition') ?? '')?.[1] ?? '';
  };
  const day = /^.*receipt-\d{4}-\d\d-\d\d-/;
  const files = await Promise.all([...PATHS, 'exceptions?format=csv'].map(fileOf));
  for (const file of files) t.match(file, day);
  t.strictSame(
    files.map((file) => file.replace(day, '')),
    [
      'rows.ndjson',
      'rows.csv',
      'documents.zip',
      'print-1.pdf',
      'print-1-index.ndjson',
      'invalid.csv',
    ],
  );
  const titled = await (await get(`${url}/manifest?format=csv&titles=th`)).text();
  t.match(titled, /^แถว,ผล,รหัสเอกสาร,.*,บรรทัดในไฟล์,[^\n]+\nR?\w+,stored,/);
  const english = await (await get(`${url}/manifest?format=csv&titles=en`)).arrayBuffer();
  t.equal(Buffer.from(english).toString('utf8').slice(0, 12), '\uFEFFRow,Outcome');
  const plain = await (await get(`${url}/manifest?format=csv`)).text();
  t.match(plain, /^row,outcome,documentId,/);
  const [header = '', first = ''] = titled.split('\n');
  t.equal(header.split(',').length, first.split(',').length);
  t.equal(plain.split('\n')[0]?.split(',').length, header.split(',').length);
  t.equal((await get(`${url}/manifest?format=csv&titles=de`)).status, 400);
});
