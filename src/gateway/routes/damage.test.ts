import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { post, startFakePool, startTestService } from '../../../lab/service/gateway.ts';
import type { TestService } from '../../../lab/service/gateway.ts';
import type { StoreSettings } from '../../store/open.ts';

const pool = startFakePool(new Int32Array(new SharedArrayBuffer(4)), { threads: 2, queueMax: 64 });
t.teardown(() => pool.close(0));

interface Made {
  readonly documentId: string;
  readonly url: string;
  readonly sha256: string;
  readonly path: string;
}

async function make(
  service: TestService,
  headers: Record<string, string>,
  bytes: number,
): Promise<Made> {
  const body = { templateId: 'receipt', mode: 'async', data: { customer: 'a', bytes } };
  const answer = await post(`${service.url}/v1/generate`, headers, body);
  const made = (await answer.json()) as Omit<Made, 'path'>;
  const shard = join(made.documentId.slice(0, 5), made.documentId.slice(5, 8));
  return { ...made, path: join(service.folder, 'files', shard, `${made.documentId}.pdf`) };
}

/** Flips a bit of the byte that is `back` bytes before the end. */
function flipBit({ path }: Made, back: number): void {
  const bytes = readFileSync(path);
  const at = bytes.byteLength - back;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

/** The number of bytes received, and whether the body was complete. */
async function receive(answer: Response): Promise<{ bytes: number; isWhole: boolean }> {
  let bytes = 0;
  try {
    for await (const piece of answer.body ?? []) bytes += (piece as Uint8Array).byteLength;
    return { bytes, isWhole: true };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { bytes, isWhole: false };
  }
}

t.test('a damaged file is neither delivered nor merged', async (t) => {
  await deliverNothingDamaged(t, {});
});

t.test('a damaged encrypted file is neither delivered nor merged', async (t) => {
  const keys = [randomBytes(32)];
  await deliverNothingDamaged(t, { encryption: { keys: () => keys } });
});

async function deliverNothingDamaged(
  t: Test,
  settings: Pick<StoreSettings, 'encryption'>,
): Promise<void> {
  const service = await startTestService(t, { parts: { pool }, store: settings });
  await service.publish('bank', 'receipt');
  const headers = { 'x-api-key': await service.key('bank', ['generate', 'documents:read']) };
  const attach = (documentId: string): Promise<Response> => {
    const data = { customer: 'a' };
    const body = { templateId: 'receipt', mode: 'sync', data, options: { attach: [documentId] } };
    return post(`${service.url}/v1/generate`, headers, body);
  };
  const download = (documentId: string): Promise<Response> =>
    fetch(`${service.url}/v1/documents/${documentId}?download=1`, { headers });
  const isLogged = (documentId: string): boolean =>
    service.logged.some((line) => line.includes(documentId) && line.includes('"level":50'));

  const long = await make(service, headers, 700_000);
  flipBit(long, 20);
  const { bytes, isWhole } = await receive(await download(long.documentId));
  t.equal(isWhole, false, 'the connection was cut');
  t.ok(bytes <= 700_000 - (700_000 % 65_536), `the last piece was held back: ${bytes} came`);
  t.ok(isLogged(long.documentId));

  const short = await make(service, headers, 7_000);
  const merged = await make(service, headers, 400_000);
  const ranged = await make(service, headers, 400_000);
  for (const made of [short, merged, ranged]) flipBit(made, 6_000);
  const first = [
    await download(short.documentId),
    await attach(merged.documentId),
    await fetch(ranged.url, { headers: { range: 'bytes=100-200' } }),
  ];
  for (const [index, made] of [short, merged, ranged].entries()) {
    t.equal(first[index]?.status, 500);
    t.match(await first[index]?.json(), { code: 'internal_error', error: /damaged or lost/ });
    t.ok(isLogged(made.documentId));
  }
  const audit = await service.audit();
  t.equal(audit.filter(({ outcome }) => outcome === 'failed').length, 1, 'the merge, once');
  // From now on the files are not read, so they can be removed.
  for (const made of [long, short, merged, ranged]) {
    rmSync(made.path);
    for (const again of [
      await download(made.documentId),
      await fetch(`${service.url}/v1/documents/${made.documentId}`, { headers }),
      await fetch(made.url),
      await fetch(made.url, { headers: { range: 'bytes=1-2' } }),
      await attach(made.documentId),
    ]) {
      t.equal(again.status, 500);
      t.match(await again.json(), { code: 'internal_error' });
    }
    const { sha256 } = made;
    const verified = await post(`${service.url}/v1/verify`, headers, { sha256 });
    t.match(await verified.json(), { issued: true, available: false });
  }
  const figures = await (await fetch(`${service.url}/metrics`)).text();
  t.match(figures, /^intaglio_damaged_documents\{kind="damaged"\} 4$/m);
}

t.test('a document whose key is missing gives an error until the key returns', async (t) => {
  const [one, other] = [randomBytes(32), randomBytes(32)];
  let keys = [one];
  const store = { encryption: { keys: () => keys } };
  const service = await startTestService(t, { parts: { pool }, store });
  await service.publish('bank', 'receipt');
  const headers = { 'x-api-key': await service.key('bank', ['generate', 'documents:read']) };
  const made = await make(service, headers, 7_000);
  const download = (): Promise<Response> =>
    fetch(`${service.url}/v1/documents/${made.documentId}?download=1`, { headers });
  keys = [other];
  const options = { attach: [made.documentId] };
  const body = { templateId: 'receipt', mode: 'sync', data: { customer: 'a' }, options };
  for (const answer of [
    await download(),
    await fetch(made.url, { headers: { range: 'bytes=1-2' } }),
    await post(`${service.url}/v1/generate`, headers, body),
  ]) {
    t.equal(answer.status, 500);
    t.match(await answer.json(), { code: 'internal_error', error: /cannot be decrypted now/ });
  }
  const errors = service.logged.filter((line) => line.includes('"level":50'));
  t.equal(errors.length, 3);
  for (const line of errors) t.match(line, new RegExp(`${made.documentId} .* key [0-9a-f]{16},`));
  const ready = await fetch(`${service.url}/readyz`);
  t.equal(ready.status, 200, 'all else works');
  t.match(await ready.json(), {
    warnings: [/^files encrypted under [0-9a-f]{16} cannot be read/],
  });
  t.equal((await make(service, headers, 7_000)).sha256.length, 64);
  keys = [other, one];
  const answer = await download();
  t.equal(answer.status, 200);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  t.equal(createHash('sha256').update(bytes).digest('hex'), made.sha256);
});

t.test('a living document without its file is an error, logged with its id', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  await service.publish('bank', 'receipt');
  const headers = { 'x-api-key': await service.key('bank', ['generate', 'documents:read']) };
  const made = await make(service, headers, 7_000);
  rmSync(made.path);
  const data = { customer: 'a' };
  const options = { attach: [made.documentId] };
  for (const answer of [
    await fetch(`${service.url}/v1/documents/${made.documentId}?download=1`, { headers }),
    await fetch(made.url),
    await fetch(made.url, { headers: { range: 'bytes=1-2' } }),
    await post(`${service.url}/v1/generate`, headers, {
      templateId: 'receipt',
      mode: 'sync',
      data,
      options,
    }),
  ]) {
    t.equal(answer.status, 500);
    t.match(await answer.json(), { code: 'internal_error', error: /damaged or lost/ });
  }
  const errors = service.logged.filter((line) => line.includes('"level":50'));
  t.equal(errors.length, 4);
  for (const line of errors) t.match(line, made.documentId);
});

t.test('a document that a scrub found missing is unavailable until its file is back', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  await service.publish('bank', 'receipt');
  const headers = { 'x-api-key': await service.key('bank', ['generate', 'documents:read']) };
  const { documentId, sha256, path } = await make(service, headers, 7_000);
  const verified = async (): Promise<unknown> =>
    (await post(`${service.url}/v1/verify`, headers, { sha256 })).json();
  const record = (): Promise<Response> =>
    fetch(`${service.url}/v1/documents/${documentId}`, { headers });
  renameSync(path, `${path}.away`);
  await service.store.documents.scrub({ bytesPerSecond: 1e9, onFinding: () => undefined });
  t.match(await verified(), {
    issued: true,
    available: false,
    documents: [{ documentId, available: false }],
  });
  const answer = await record();
  t.equal(answer.status, 500);
  t.match(await answer.json(), { code: 'internal_error', error: /damaged or lost/ });
  renameSync(`${path}.away`, path);
  t.equal((await record()).status, 200);
  t.match(await verified(), { available: true });
});

t.test('ranges of an intact file are served, and the file is checked once', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  await service.publish('bank', 'receipt');
  const headers = { 'x-api-key': await service.key('bank', ['generate']) };
  const made = await make(service, headers, 400_000);
  const file = readFileSync(made.path);
  for (const [from, to] of [
    [100, 199],
    [399_000, 399_999],
  ] as const) {
    const answer = await fetch(made.url, { headers: { range: `bytes=${from}-${to}` } });
    t.equal(answer.status, 206);
    t.ok(file.subarray(from, to + 1).equals(Buffer.from(await answer.arrayBuffer())));
  }
});
