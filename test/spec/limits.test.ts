import { crc32, deflateSync } from 'node:zlib';
import t from 'tap';
import { post, startTestService } from '../../lab/service/gateway.ts';
import type { TestService } from '../../lab/service/gateway.ts';
import { readTable } from './tables.ts';

/** Sends a request with `count` of the limited thing; returns the code of the refusal, or 'ok'. */
type Attempt = (count: number) => Promise<string>;

const CONTENT = {
  fields: [
    { name: 'picture', type: 'image', required: false },
    { name: 'items', type: 'table', required: false },
  ],
  document: { content: ['x'] },
};

/** A one-bit PNG of `pixels` pixels, in rows of 1,000. */
function png(pixels: number): string {
  const width = 1_000;
  const height = Math.ceil(pixels / width);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc(height * (1 + width / 8));
  const parts = [
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return `data:image/png;base64,${Buffer.concat(parts).toString('base64')}`;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

function cells(rows: number, columns: number): string[][] {
  return Array.from({ length: rows }, () => Array.from({ length: columns }, () => 'a'));
}

function attempts(
  service: TestService,
  apiKey: string,
  ids: readonly string[],
): Record<string, Attempt> {
  const send = async (body: unknown, key = apiKey): Promise<string> => {
    const answer = await post(`${service.url}/v1/generate`, { 'x-api-key': key }, body);
    if (answer.ok) return 'ok';
    return ((await answer.json()) as { code: string }).code;
  };
  const good = { templateId: 'limits', mode: 'sync', data: {} };
  const data = (value: object): Promise<string> => send({ ...good, data: value });
  const options = (value: object): Promise<string> => send({ ...good, options: value });
  return {
    'body bytes': (count) => send(JSON.stringify(good).padEnd(count)),
    'generate calls per minute and key': async (count) => {
      const key = await service.key('bank', ['generate']);
      let last = '';
      for (let call = 0; call < count; call += 1) last = await send({}, key);
      return last === 'bad_request' ? 'ok' : last;
    },
    'metadata.title characters': (count) => options({ metadata: { title: '😀'.repeat(count) } }),
    'metadata.subject characters': (count) => options({ metadata: { subject: 'ก'.repeat(count) } }),
    'watermark.text characters': (count) => options({ watermark: { text: '😀'.repeat(count) } }),
    'watermark.opacity': (opacity) => options({ watermark: { text: 'x', opacity } }),
    'attach documents': (count) => options({ attach: ids.slice(0, count) }),
    'image pixels': (count) => data({ picture: png(count) }),
    'table rows': (count) => data({ items: cells(count, 1) }),
    // The last row holds the cells beyond 19,990.
    'table cells': (count) => data({ items: [...cells(1_999, 10), cells(1, count - 19_990)[0]] }),
    'password bytes': (count) => options({ protection: { userPassword: 'a'.repeat(count) } }),
  };
}

t.test('every limit holds at its value, and one more is refused', async (t) => {
  const service = await startTestService(t, {
    options: { rateLimitPerMinute: 120 },
    pool: {
      module: new URL('../../src/workers/render.ts', import.meta.url),
      settings: { templateCacheMb: 16, fontsDir: null },
      memoryMb: 512,
      renderTimeoutMs: 20_000,
    },
  });
  await service.publish('bank', 'limits', CONTENT);
  const apiKey = await service.key('bank', ['generate'], 10_000);
  const ids = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const body = { templateId: 'limits', mode: 'async', data: {} };
      const answer = await post(`${service.url}/v1/generate`, { 'x-api-key': apiKey }, body);
      return ((await answer.json()) as { documentId: string }).documentId;
    }),
  );
  const provoke = attempts(service, apiKey, ids);
  const rows = readTable('Limits');
  t.same(new Set(Object.keys(provoke)), new Set(rows.map((row) => row['what'])));
  for (const { what = '', largest = '', 'one more': code = '' } of rows) {
    const attempt = provoke[what];
    if (attempt === undefined) continue;
    const limit = Number(largest);
    const step = what === 'watermark.opacity' ? 0.01 : what === 'image pixels' ? 1_000 : 1;
    t.equal(await attempt(limit), 'ok', `${what}: ${limit}`);
    t.equal(await attempt(limit + step), code, `${what}: ${limit + step}`);
  }
});
