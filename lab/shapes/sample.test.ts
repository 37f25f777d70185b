import { readFileSync } from 'node:fs';
import t from 'tap';
import render from '../../src/workers/render.ts';
import { renderJob, shareTemplate } from './job.ts';
import { HOME } from '../home.ts';
import { sampleFile, sampleReceipt } from './sample.ts';
import { SHAPES } from './index.ts';

t.test('the sample receipt is drawn from data that differ with the seed', async (t) => {
  const { templateId, data } = sampleReceipt();
  t.strictSame(data(1), data(1), 'the same seed gives the same data');
  t.not(data(1)['receiptNo'], data(2)['receiptNo']);
  t.not(data(1)['total'], data(2)['total']);
  const template = JSON.parse(readFileSync(sampleFile(HOME), 'utf8')) as Record<string, unknown>;
  t.equal(template['templateId'], templateId);
  const shape = { ...SHAPES.A, template };
  for (const seed of [1, 2, 255]) {
    const document = { ...SHAPES.A.document(seed, { cold: false }), data: data(seed) };
    const result = await render(renderJob(shape, document, shareTemplate(shape, 1), false));
    t.match(result, { ok: true }, `seed ${seed}`);
  }
});
