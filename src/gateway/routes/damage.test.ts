import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { post, startFakePool, startTestService } from '../../../test/fixtures/gateway.ts';
import type { TestService } from '../../../test/fixtures/gateway.ts';

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

function flipBit({ path }: Made): void {
  const bytes = readFileSync(path);
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

/** How many bytes of the body came, and whether it ended as it should. */
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

t.test('a damaged file is not delivered, and merged into nothing', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
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
  flipBit(long);
  const { bytes, isWhole } = await receive(await download(long.documentId));
  t.equal(isWhole, false, 'the connection was cut');
  t.ok(bytes <= 700_000 - (700_000 % 65_536), `the last piece was held back: ${bytes} came`);
  t.ok(isLogged(long.documentId));

  const short = await make(service, headers, 7_000);
  const merged = await make(service, headers, 400_000);
  const ranged = await make(service, headers, 400_000);
  for (const made of [short, merged, ranged]) flipBit(made);
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
  // From now on nobody reads the files: they may as well be gone.
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
});

t.test('a living document without its file is an error that names it', async (t) => {
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

t.test('a range of a whole file is served, and again without reading all of it', async (t) => {
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
