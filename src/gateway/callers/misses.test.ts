import { randomUUID } from 'node:crypto';
import t from 'tap';
import { addDocument } from '../../../test/store/samples.ts';
import { noPool, startTestService } from '../../../lab/service/gateway.ts';
import { Misses } from './misses.ts';

t.test('misses are counted per caller, in windows of a minute', async (t) => {
  const misses = new Misses();
  for (let n = 0; n < 120; n += 1) t.match(misses.count('a', n), { kind: 'told' });
  t.match(misses.count('a', 30_000), { kind: 'refused', isFirst: true, retryAfterMs: 30_000 });
  t.match(misses.count('a', 40_000), { kind: 'refused', isFirst: false, retryAfterMs: 20_000 });
  t.match(misses.count('b', 40_000), { kind: 'told' });
  t.match(misses.count('a', 60_000), { kind: 'told' });
});

t.test("requests for another team's documents add a bounded number of records", async (t) => {
  const service = await startTestService(t, { parts: { pool: noPool } });
  const { documentId } = await addDocument(service.store, Buffer.from('%PDF-1.7'));
  const headers = { 'x-api-key': await service.key('rival', ['documents:read']) };
  const ask = (id: string): Promise<Response> =>
    fetch(`${service.url}/v1/documents/${id}`, { headers });
  const statuses = new Map<number, number>();
  for (let call = 0; call < 200; call += 1) {
    const answer = await ask(documentId);
    await answer.arrayBuffer();
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  }
  t.strictSame(
    [...statuses],
    [
      [404, 120],
      [429, 80],
    ],
  );
  const absent = await ask(randomUUID());
  t.equal(absent.status, 429, 'the refusal is the same for foreign and absent');
  t.match(absent.headers.get('retry-after'), /^(?:[1-5]?\d|60)$/);
  t.match(await absent.json(), { code: 'rate_limited', error: /do not exist/ });
  const denied = (await service.audit()).filter(({ outcome }) => outcome === 'denied');
  t.equal(denied.length, 121);
  t.equal(denied.filter(({ code }) => code === 'rate_limited').length, 1);
  const other = { 'x-api-key': await service.key('rival', ['documents:read']) };
  const answer = await fetch(`${service.url}/v1/documents/${documentId}`, { headers: other });
  t.equal(answer.status, 404, 'other callers are not affected');
});
