import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { callerOf } from '../../../test/fixtures/runs/caller.ts';
import { post } from '../../../lab/service/gateway.ts';
import { REAL_POOL } from '../../../test/hostile/real-pool.ts';

const NAMES = { reference: '{{customer}}', fileName: 'ใบเสร็จ {{customer}}.pdf' };
const DOCUMENT = { document: { content: '{{customer}} {{total}}' } };
const ENCODED = `filename*=UTF-8''%E0%B9%83%E0%B8%9A%E0%B9%80%E0%B8%AA%E0%B8%A3%E0%B9%87%E0%B8%88%20RC-5.pdf`;

type Body = Record<string, unknown>;

/** One service for all tests: starting renderers takes longer than they do. */
async function openScene() {
  const caller = await callerOf(t, { pool: REAL_POOL });
  const { service } = caller;
  await service.publish('bank', 'receipt', { ...DOCUMENT, ...NAMES });
  await service.publish('bank', 'plain', {
    ...DOCUMENT,
    reference: { value: '{{customer}}', keep: 'plain' },
  });
  await service.publish('bank', 'note', DOCUMENT);
  const key = { 'x-api-key': await service.key('bank', ['generate', 'documents:read']) };
  const cookie = { cookie: await service.session('bank', 'Viewer') };
  const rival = { cookie: await service.session('rival', 'Viewer') };
  const generate = (mode: string, templateId: string, customer: string): Promise<Response> =>
    post(`${service.url}/v1/generate`, key, { templateId, mode, data: { customer } });
  const made = async (templateId: string, customer: string): Promise<Body> => {
    const response = await generate('async', templateId, customer);
    t.equal(response.status, 201);
    return (await response.json()) as Body;
  };
  const list = async (query: string, headers: Record<string, string> = cookie) => {
    const response = await fetch(`${service.url}/v1/documents?${query}`, { headers });
    return {
      status: response.status,
      ...((await response.json()) as { documents: Body[]; next?: string | null; error?: string }),
    };
  };
  return { ...caller, key, rival, generate, made, list };
}

const scene = await openScene();

t.test('a document is found by its reference and downloaded under its name', async (t) => {
  const { service, key, rival, generate, made, list } = scene;
  const sync = await generate('sync', 'receipt', 'RC-5');
  t.match(sync.headers.get('content-disposition'), ENCODED);
  await sync.arrayBuffer();
  const bare = await generate('sync', 'note', 'RC-5');
  t.equal(bare.headers.get('content-disposition'), null);
  await bare.arrayBuffer();

  const { documentId, url } = await made('receipt', 'RC-5');
  await made('note', 'RC-5');
  const found = await list('reference=RC-5');
  t.strictSame(
    found.documents.map((one) => [one['documentId'], one['fileName'], one['reference']]),
    [[documentId, 'ใบเสร็จ RC-5.pdf', undefined]],
  );
  t.strictSame((await list('reference=RC-5', rival)).documents, []);
  t.strictSame((await list('reference=RC-5&templateId=note')).documents, []);
  t.equal((await list(`reference=RC-5&sha256=${'0'.repeat(64)}`)).status, 400);

  const address = `${service.url}/v1/documents/${String(documentId)}`;
  const record = (await (await fetch(address, { headers: key })).json()) as Body;
  t.match(record, { documentId, fileName: 'ใบเสร็จ RC-5.pdf' });
  t.notOk('reference' in record, 'no more than its hash is kept');
  for (const place of [`${address}?download=1`, String(url)]) {
    const file = await fetch(place, { headers: key });
    t.equal(
      file.headers.get('content-disposition'),
      `attachment; filename="${String(documentId)}.pdf"; ${ENCODED}`,
    );
    await file.arrayBuffer();
  }
});

t.test('a filter without a value is refused instead of listing everything', async (t) => {
  const { made, list } = scene;
  await made('note', 'RC-6');
  for (const name of ['reference', 'templateId', 'sha256']) {
    const { status, error, documents } = await list(`${name}=`);
    t.match({ status, error }, { status: 400, error: `${name} is empty` });
    t.equal(documents, undefined);
  }
});

t.test('documents with the reference of another one are found without its text', async (t) => {
  const { rival, made, list } = scene;
  const { documentId: first } = await made('receipt', 'SR-8');
  const alone = await list(`sameReferenceAs=${String(first)}`);
  t.match(alone.documents, [{ documentId: first, reference: undefined }]);
  t.equal(alone.documents.length, 1);
  const { documentId: second } = await made('receipt', 'SR-8');
  await made('receipt', 'SR-9');
  const ids = async (query: string, headers?: Record<string, string>): Promise<unknown[]> => {
    const page = await list(`sameReferenceAs=${String(second)}${query}`, headers);
    return [...page.documents.map((one) => one['documentId']), page.next];
  };
  t.strictSame(await ids(''), [second, first, null]);
  t.strictSame(await ids('&limit=1'), [second, second]);
  t.strictSame(await ids(`&limit=1&after=${String(second)}`), [first, first]);
  t.strictSame(await ids('&limit=1', rival), [null], 'another team learns nothing');
  const { documentId: unnamed } = await made('note', 'SR-8');
  t.strictSame((await list(`sameReferenceAs=${String(unnamed)}`)).documents, []);
  t.equal((await list('sameReferenceAs=SR-8')).status, 400);
  t.equal((await list(`sameReferenceAs=${String(second)}&reference=SR-8`)).status, 400);
});

t.test('a reference that is kept as text is told', async (t) => {
  const { service, key, made, list } = scene;
  const { documentId } = await made('plain', 'PL-7');
  t.match((await list('reference=PL-7')).documents, [{ documentId, reference: 'PL-7' }]);
  t.match((await list('templateId=plain')).documents, [{ documentId, reference: 'PL-7' }]);
  const download = await fetch(`${service.url}/v1/documents/${String(documentId)}?download=1`, {
    headers: key,
  });
  t.equal(
    download.headers.get('content-disposition'),
    `attachment; filename="${String(documentId)}.pdf"`,
  );
  await download.arrayBuffer();
});

t.test('verify tells the documents with a reference', async (t) => {
  const { service, key, made } = scene;
  const { documentId, sha256 } = await made('receipt', 'VF-5');
  const verify = async (body: object): Promise<Body> => {
    const response = await post(`${service.url}/v1/verify`, key, body);
    return { status: response.status, ...((await response.json()) as Body) };
  };
  t.match(await verify({ reference: ' VF-5' }), {
    status: 200,
    issued: true,
    documentId,
    sha256,
    madeHere: [],
    documents: [{ documentId, templateId: 'receipt', fileName: 'ใบเสร็จ VF-5.pdf' }],
  });
  const plain = await made('plain', 'VF-6');
  const kept = [{ documentId: plain['documentId'], reference: 'VF-6' }];
  t.match(await verify({ sha256: plain['sha256'] }), { documents: kept }, 'by the digest, too');
  const inSmall = { issued: true, documentId, reference: 'VF-5' };
  t.match(await verify({ reference: 'vf-5' }), inSmall, 'small letters are tried as capitals');
  t.match((await scene.list('reference=vf-5')).documents, [{ documentId }]);
  const refused = {
    status: 403,
    error: /^This call is for signed-in users: .* POST \/v1\/verify /,
  };
  t.match(await scene.list('reference=VF-5', key), refused, 'a key is told of this way');
  const none = { issued: false, reference: 'rc-0' };
  t.match(await verify({ reference: 'rc-0' }), none, 'not found: as it was asked for');
  t.match(await verify({ reference: 'RC-6' }), { status: 200, issued: false, documents: [] });
  t.match(await verify({ sha256 }), { status: 200, issued: true, documentId });
  for (const body of [{}, { reference: '' }, { reference: 'VF-5', sha256 }]) {
    t.equal((await verify(body))['status'], 400, JSON.stringify(body));
  }
});

t.test(
  'documents of runs have references and names; a name of an archive occurs once',
  async (t) => {
    const { service, make, put, act, reach, get, list } = scene;
    await service.publish('bank', 'total', {
      ...DOCUMENT,
      reference: '{{customer}}',
      fileName: 'receipt {{total}}.pdf',
    });
    const url = await make({ templateId: 'total' });
    const lines = ['1.05', '2.00', '1.05'].map(
      (total, index) => `{"customer":"RC-${index}","total":"${total}"}\n`,
    );
    await put(url, 1, lines.join(''));
    await act(url, 'start');
    t.match(await reach(url, 'done'), { counts: { stored: 3 } });
    const { documents } = await list('reference=RC-2');
    t.match(documents, [{ templateId: 'total', fileName: 'receipt 1.05.pdf' }]);
    const archive = await get(`${url}/zip`);
    const path = join(service.folder, 'run.zip');
    await writeFile(path, Buffer.from(await archive.arrayBuffer()));
    const names = execFileSync('python3', ['-c', LIST, path], { encoding: 'utf8' })
      .trim()
      .split('\n');
    t.strictSame(names.toSorted(), [
      `receipt 1.05-${String(documents[0]?.['documentId']).slice(-12)}.pdf`,
      'receipt 1.05.pdf',
      'receipt 2.00.pdf',
    ]);
  },
);

const LIST = `
import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
print('\\n'.join(archive.namelist()))`;

t.test('a reference that is too long is invalid data, also in a run', async (t) => {
  const { generate, make, put, act, reach } = scene;
  const refused = await generate('async', 'receipt', 'x'.repeat(201));
  t.equal(refused.status, 400);
  t.match(await refused.json(), {
    code: 'invalid_data',
    fields: [{ field: 'customer', reason: /^reference of the document is longer/ }],
  });
  const url = await make({ idField: 'id' });
  await put(url, 1, `{"id":"1","customer":"${'x'.repeat(201)}"}\n`);
  await act(url, 'start');
  t.match(await reach(url, 'stopped'), { counts: { invalid: 1 } });
});
