import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { post, startTestService } from '../../lab/service/gateway.ts';

/** A different word for each part of a request that can hold a text. */
function canary(place: string): string {
  return `canary-${place}-7f3a9c`;
}
const CANARY = /canary-[a-z-]+-7f3a9c/;

const FIELDS = [
  { name: 'text', type: 'text', required: true },
  { name: 'number', type: 'number', required: false },
  { name: 'date', type: 'date', required: false },
  { name: 'picture', type: 'image', required: false },
  { name: 'drawing', type: 'svg', required: false },
  { name: 'items', type: 'table', required: false },
];
const DOCUMENT = { content: ['{{text}}', { text: canary('template') }] };

const SVG = `<svg xmlns="http://www.w3.org/2000/svg"><text>${canary('svg')}</text></svg>`;
const GOOD = { text: canary('text'), drawing: SVG, items: [[canary('cell')]] };
const BAD = {
  text: 7,
  number: canary('number'),
  date: canary('date'),
  picture: `data:image/png;base64,${Buffer.from(canary('picture')).toString('base64')}`,
  drawing: `<svg>${canary('bad-svg')}`,
  items: canary('items'),
};
const OPTIONS = {
  metadata: { title: canary('title'), subject: canary('subject') },
  watermark: { text: canary('mark') },
  protection: { userPassword: canary('user'), ownerPassword: canary('owner') },
};

function* filesUnder(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* filesUnder(path);
    else yield path;
  }
}

t.test('what callers send stays out of logs, errors, audit, metrics, rows and disk', async (t) => {
  const service = await startTestService(t, {
    pool: {
      module: new URL('../../src/workers/render.ts', import.meta.url),
      settings: { templateCacheMb: 16, fontsDir: null },
      memoryMb: 512,
    },
  });
  await service.publish('bank', 'letter', { fields: FIELDS, document: DOCUMENT });
  const apiKey = await service.key('bank', ['generate']);
  const answers: string[] = [];
  const call = async (body: unknown, extra: Record<string, string> = {}): Promise<number> => {
    const headers = {
      'x-api-key': apiKey,
      'user-agent': canary('agent'),
      referer: `https://${canary('referer')}/`,
      ...extra,
    };
    const answer = await post(`${service.url}/v1/generate?q=${canary('query')}`, headers, body);
    const isPdf = answer.headers.get('content-type') === 'application/pdf';
    const answered = isPdf ? '' : await answer.text();
    answers.push(JSON.stringify([...answer.headers]), answered);
    return answer.status;
  };
  const letter = { templateId: 'letter', mode: 'sync', data: GOOD };
  t.equal(await call(letter), 200);
  t.equal(await call({ ...letter, options: OPTIONS }), 200);
  t.equal(await call({ ...letter, mode: 'async', options: OPTIONS }), 201);
  const idempotent = { 'idempotency-key': canary('idempotency') };
  t.equal(await call({ ...letter, mode: 'async' }, idempotent), 201);
  t.equal(await call({ ...letter, data: BAD }), 400);
  t.equal(await call(`{"templateId":"letter","data":"${canary('malformed')}`), 400);
  t.equal(await call({ ...letter, mode: canary('mode') }), 400);
  t.equal(
    await call({ ...letter, options: { metadata: { title: ['x'], subject: canary('x') } } }),
    400,
  );
  t.equal(await call(letter, { 'x-api-key': `ik_${canary('key')}` }), 401);
  t.equal(await call({ ...letter, options: { attach: [canary('attach')] } }), 404);

  for (const text of answers) t.notMatch(text, CANARY, 'answers');
  for (const line of service.logged) t.notMatch(line, CANARY, 'logs');
  t.notMatch(JSON.stringify(await service.audit()), CANARY, 'audit');
  t.notMatch(await (await fetch(`${service.url}/metrics`)).text(), CANARY, 'metrics');
  t.notMatch(process.title, CANARY);
  let files = 0;
  for (const path of filesUnder(service.folder)) {
    files += 1;
    // Its own row holds the words of the template; no file may hold any other word of a request.
    const rest = readFileSync(path, 'latin1').replaceAll(canary('template'), '');
    const stored = path.includes(join(service.folder, 'files'));
    const allowed = stored ? /canary-(?:title|subject)-7f3a9c/g : /(?!)/g;
    t.notMatch(rest.replaceAll(allowed, ''), CANARY, `a file on disk: ${path.slice(-12)}`);
  }
  t.ok(files >= 3, 'rows, and two stored documents');
});
