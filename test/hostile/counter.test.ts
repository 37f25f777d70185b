import t from 'tap';
import { post, startTestService } from '../../lab/service/gateway.ts';
import type { TestService } from '../../lab/service/gateway.ts';
import { CASES, FIELDS } from './fields.ts';
import { REAL_POOL } from './real-pool.ts';

/** Every field is drawn, so that a value that is accepted is also laid out. */
const TEMPLATE = {
  fields: FIELDS,
  document: {
    content: [
      ...['must', 'text', 'number', 'date'].map((name) => `{{${name}}}`),
      { image: '{{image}}', width: 20 },
      { qr: '{{qrcode}}', fit: 40 },
      { svg: '{{svg}}', width: 20 },
      { table: { widths: ['*'], body: [[{ text: 'n' }]] } },
    ],
  },
};

async function laidOut(service: TestService): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^intaglio_laid_out_total (\d+)$/m.exec(text)?.[1]);
}

t.test('values that the field tables refuse are refused before anything is rendered', async (t) => {
  const service = await startTestService(t, { checksReplies: false, pool: REAL_POOL });
  await service.publish('bank', 'fields', TEMPLATE);
  const apiKey = await service.key('bank', ['generate']);
  const send = (data: object): Promise<Response> =>
    post(
      `${service.url}/v1/generate`,
      { 'x-api-key': apiKey },
      { templateId: 'fields', mode: 'sync', data },
    );
  let rendered = 0;
  t.equal(await laidOut(service), 0);
  for (const { field, rule, good, bad, reason } of CASES) {
    const accepted = await send({ must: 'x', [field]: good });
    t.equal(accepted.status, 200, `${field}, ${rule}: ${JSON.stringify(await problem(accepted))}`);
    rendered += 1;
    t.equal(await laidOut(service), rendered);
    const refused = await send({ must: 'x', [field]: bad });
    t.equal(refused.status, 400, `${field}, ${rule}`);
    t.match(await refused.json(), { code: 'invalid_data', fields: [{ field, reason }] });
    t.equal(await laidOut(service), rendered, 'nothing was rendered');
  }
});

t.test('several defects are reported at once, each field once', async (t) => {
  const service = await startTestService(t, { checksReplies: false, pool: REAL_POOL });
  await service.publish('bank', 'fields', TEMPLATE);
  const apiKey = await service.key('bank', ['generate']);
  const data = Object.fromEntries(CASES.map(({ field, bad }) => [field, bad]));
  const body = { templateId: 'fields', mode: 'sync', data };
  const answer = await post(`${service.url}/v1/generate`, { 'x-api-key': apiKey }, body);
  const { fields } = (await answer.json()) as { fields: { field: string }[] };
  t.same(
    fields.map(({ field }) => field),
    FIELDS.map(({ name }) => name),
  );
  t.equal(await laidOut(service), 0);
});

/** The body of a refusal; '' for a PDF. */
async function problem(answer: Response): Promise<unknown> {
  return answer.ok ? '' : answer.json();
}
