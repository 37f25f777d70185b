import t from 'tap';
import { render, shareTemplate } from '../../test/render.ts';
import type { CheckResult } from './job.ts';
import run from './render.ts';

const SOURCE = JSON.stringify({
  templateId: 'x',
  name: 'x',
  fields: [{ name: 'n', type: 'number', required: true }],
  document: { content: '{{n}}' },
  samples: [
    { name: 'good', data: { n: 1 } },
    { name: 'bad', data: { n: 'x', m: 1 } },
  ],
});

async function check(renderSamples: boolean): Promise<CheckResult> {
  const template = shareTemplate(SOURCE);
  const result = await run({ kind: 'check', template, renderSamples, atMs: 0 });
  if (result === undefined || !('findings' in result)) throw new Error('not checked');
  return result;
}

for (const renderSamples of [false, true]) {
  const when = renderSamples ? 'published' : 'saved';
  t.test(`samples are checked against the contract when a draft is ${when}`, async (t) => {
    const { findings, samples } = await check(renderSamples);
    t.equal(findings.length, 2);
    t.match(findings, [
      { severity: 'error', path: 'samples[1].data.n', message: 'number expected.' },
      { severity: 'warning', path: 'samples[1].data.m', message: 'No field has this name.' },
    ]);
    t.same(samples, renderSamples ? [{ name: 'good', pages: 1 }] : []);
  });
}

async function preview(source: string): Promise<Uint8Array> {
  const { pdf } = await render(shareTemplate(source), { n: 12.5 }, { isPreview: true });
  return pdf;
}

t.test('a draft looks the same whether it was checked before or not', async (t) => {
  await check(false);
  // Another file that says the same.
  const other = await preview(`${SOURCE}\n`);
  for (const time of ['first', 'second', 'third']) t.same(await preview(SOURCE), other, time);
});
