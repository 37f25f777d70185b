import t from 'tap';
import { render, shareTemplate } from '../../lab/render.ts';
import type { CheckResult } from './job.ts';
import run, { drafts } from '../workers/render.ts';

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

async function checkWithPreview(source: string, previewOf: number): Promise<CheckResult> {
  const template = shareTemplate(source);
  const job = { kind: 'check', template, renderSamples: false, previewOf, atMs: AT_MS } as const;
  const result = await run(job);
  if (result === undefined || !('findings' in result)) throw new Error('not checked');
  return result;
}

const AT_MS = Date.UTC(2026, 10, 21);

t.test('samples keep the digits of their numbers', async (t) => {
  const long = SOURCE.replace(
    '"n":1}',
    '"n":12345678901234567890.12, "n" : 9007199254740993.10 , "o\\"":"}]" }',
  );
  const { preview: bytes, findings } = await checkWithPreview(long, 0);
  t.equal(findings.length, 4);
  const twice = findings.filter(({ message }) => message.includes('written twice'));
  t.match(twice, [{ severity: 'warning', path: 'samples[0].data.n' }]);
  const data = { n: '9007199254740993.10' };
  const { pdf } = await render(shareTemplate(long), data, { isPreview: true, atMs: AT_MS });
  t.same(bytes?.pdf, pdf);
  const tooLong = SOURCE.replace('"n":1}', `"n":${'9'.repeat(41)}}`);
  t.match((await checkWithPreview(tooLong, 0)).findings[0], { path: 'samples[0].data.n' });
});

t.test('samples keep the digits of the numbers in their lists', async (t) => {
  const fields = [{ name: 'n', type: 'number', required: true }];
  const source = JSON.stringify({
    templateId: 'x',
    name: 'x',
    fields: [{ name: 'l', type: 'list', required: true, fields }],
    document: { content: [{ stack: [{ each: 'l', as: 'e', text: '{{e.n}}' }] }] },
    samples: [{ name: 'one', data: { l: [{ n: 0 }] } }],
  }).replace('{"n":0}', '{"n":10.50}');
  const { preview, findings } = await checkWithPreview(source, 0);
  t.strictSame(findings, []);
  const data = { l: [{ n: '10.50' }] };
  const { pdf } = await render(shareTemplate(source), data, { isPreview: true, atMs: AT_MS });
  t.same(preview?.pdf, pdf);
});

t.test('a check renders the preview that a separate job would render', async (t) => {
  const { preview, findings } = await checkWithPreview(SOURCE, 0);
  t.equal(findings.length, 2, 'with the same findings');
  const apart = await render(shareTemplate(SOURCE), { n: 1 }, { isPreview: true, atMs: AT_MS });
  t.same(preview?.pdf, apart.pdf);
  t.equal(preview?.sha256, apart.sha256);
  t.equal(preview?.pages, 1);
});

t.test('the preview of a template that signs is the draft without a signature', async (t) => {
  const signed = SOURCE.replace('"name":"x"', '"name":"x","signature":true');
  const { preview } = await checkWithPreview(signed, 0);
  const apart = await render(shareTemplate(signed), { n: 1 }, { isPreview: true, atMs: AT_MS });
  t.same(preview?.pdf, apart.pdf);
  t.equal(preview?.signature, undefined);
});

t.test('a check without a preview says nothing else', async (t) => {
  const broken = SOURCE.replace('{{n}}', '{{m}}');
  for (const [why, source, index] of [
    ['the sample is not valid', SOURCE, 1],
    ['there is no such sample', SOURCE, 2],
    ['the template has an error', broken, 0],
  ] as const) {
    const { preview, ...rest } = await checkWithPreview(source, index);
    t.equal(preview, undefined, why);
    const { preview: none, ...plain } = await checkWithPreview(source, 9);
    t.equal(none, undefined);
    t.same(rest, plain, why);
  }
});

t.test('a thread tells which drafts it keeps compiled', async (t) => {
  const template = shareTemplate(SOURCE.replace('"name":"x"', '"name":"kept"'));
  const show = (): Promise<unknown> => render(template, { n: 1 }, { isPreview: true });
  const isKept = (): boolean => drafts(16).includes(template.hash);
  await run({ kind: 'check', template, renderSamples: false, atMs: 0 });
  t.ok(isKept(), 'for the preview that follows a save');
  await show();
  t.notOk(isKept(), 'most drafts are shown once');
  await show();
  t.ok(isKept());
  t.strictSame(drafts(1), [template.hash], 'the last used first, as many as asked for');
});
