import t from 'tap';
import run from '../../src/workers/render.ts';
import { shareTemplate, tryRender } from '../../lab/render.ts';
import { auditCase } from './audit.ts';
import { makeCase } from './cases.ts';

/** Numbers in random formats, containers and widths; `run.ts` audits any number of them. */
const CASES = 150;

/** A suffix that ends in a space, before a full stop: the line reached beyond its box. */
const KEPT_SEEDS = [2_535];

t.test('no amount is split, changed, lost or refused without need', async (t) => {
  let printed = 0;
  const seeds = [...KEPT_SEEDS, ...Array.from({ length: CASES }, (_, index) => index + 1)];
  for (const seed of seeds) {
    const { outcome, faults } = await auditCase(makeCase(seed));
    t.same(faults, [], `seed ${seed}`);
    if (outcome === 'printed') printed++;
  }
  t.ok(printed > CASES / 2, `${printed} cases are printed`);
});

const template = (sample: string): string =>
  JSON.stringify({
    templateId: 'wide',
    fields: [{ name: 'n', type: 'number', format: { thousandsSeparator: true, prefix: '฿' } }],
    document: {
      defaultStyle: { font: 'Sarabun', fontSize: 12 },
      content: ['Balance', { columns: [{ width: 50, text: '{{n}}' }] }],
    },
    samples: [
      { name: 'small', data: { n: '5' } },
      { name: 'large', data: { n: sample } },
    ],
  });

async function findingsOf(sample: string) {
  const result = await run({
    kind: 'check',
    template: shareTemplate(template(sample)),
    renderSamples: true,
    atMs: 0,
  });
  if (result === undefined || !('findings' in result)) throw new Error('a check has findings');
  return result.findings.map(({ severity, path, message }) => ({ severity, path, message }));
}

t.test('an amount of a sample that is wider than its line is a finding', async (t) => {
  t.same(await findingsOf('1234'), []);
  const path = 'document.content[1].columns[0]';
  const mend = 'Make the column wider or the text smaller.';
  t.same(await findingsOf('12345678'), [
    {
      severity: 'warning',
      path,
      message: `In sample "large" an amount needs 66 points and its line has 50: it is printed smaller. ${mend}`,
    },
  ]);
  t.same(await findingsOf('1234567890123'), [
    {
      severity: 'error',
      path,
      message: `In sample "large" an amount needs 105 points and its line has 50: it does not fit even in the least size. ${mend}`,
    },
  ]);
});

t.test('a render refuses an amount that fits in no size as invalid_data', async (t) => {
  const result = await tryRender(shareTemplate(template('5')), { n: '1234567890123' });
  t.match(result, {
    ok: false,
    code: 'invalid_data',
    fields: [{ field: 'n', reason: 'amount is wider than its place on the page' }],
  });
});

async function errorsOf(document: object): Promise<readonly object[]> {
  const fields = ['n', 's'].map((name) => ({ name, type: name === 'n' ? 'number' : 'text' }));
  const samples = [{ name: 'long', data: { n: '1250.50', s: 'long name '.repeat(60) } }];
  const source = JSON.stringify({ templateId: 'room', fields, document, samples });
  const job = { kind: 'check', template: shareTemplate(source), renderSamples: true, atMs: 0 };
  const result = await run(job as Parameters<typeof run>[0]);
  if (result === undefined || !('findings' in result)) throw new Error('a check has findings');
  return result.findings
    .filter(({ severity }) => severity === 'error')
    .map(({ path, message }) => ({ path, message: message.split('. ')[0] }));
}

t.test('a value of a sample that has no room is a finding', async (t) => {
  const long = 'In sample "long": text is longer than its place on the page';
  t.same(await errorsOf({ content: [{ maxHeight: 30, text: '{{s}} {{n}}' }] }), [
    { path: 'document.content[0]', message: long },
  ]);
  t.same(await errorsOf({ footer: '{{s}} {{n}}', content: ['a'] }), [
    { path: 'document.footer', message: long },
  ]);
  t.same(await errorsOf({ content: [{ margin: [-80, 0, 0, 0], text: '{{n}} {{s}}' }] }), [
    {
      path: 'document.content[0]',
      message: 'In sample "long": amount would be cut by the edge of the page',
    },
  ]);
  const large = { width: 'auto', text: '{{n}}', fontSize: 90 };
  t.same(
    await errorsOf({ content: [{ columns: [large, large] }] }),
    [
      {
        path: 'document.content[0].columns[1]',
        message: 'In sample "long": amount touches the amount beside it',
      },
    ],
    'printed smaller, but refused for another reason',
  );
});
