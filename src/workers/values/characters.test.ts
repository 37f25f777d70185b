import t from 'tap';
import { render, shareTemplate, tryRender } from '../../../test/render.ts';
import run from '../render.ts';

function template(missingGlyph: string, samples: readonly object[] = []) {
  return shareTemplate(
    JSON.stringify({
      templateId: 'glyphs',
      name: 'glyphs',
      language: 'th',
      missingGlyph,
      fields: [
        { name: 'name', type: 'text', required: true },
        { name: 'rows', type: 'table', required: true },
      ],
      document: {
        content: ['{{name}}', { table: { body: [{ each: 'rows', cells: ['{{0}}'] }] } }],
      },
      samples,
    }),
  );
}

t.test('a template may refuse undrawable characters, in texts and in tables', async (t) => {
  const strict = template('reject');
  const reason = 'text has a character that no font can draw';
  t.match(await tryRender(strict, { name: 'ก A é', rows: [['1']] }), { ok: true });
  t.match(await tryRender(strict, { name: 'ก \u{1F642}', rows: [['1'], ['\u4e2d']] }), {
    ok: false,
    code: 'invalid_data',
    fields: [
      { field: 'name', reason },
      { field: 'rows', reason },
    ],
  });
  t.match(await tryRender(template('fallback'), { name: '\u4e2d', rows: [['1']] }), { ok: true });
});

t.test('characters that no font has are counted where they stand', async (t) => {
  const data = {
    name: '\u4e2d a \u4e2d',
    rows: [
      ['1', 'x'],
      ['\u{1F642}', 'ก'],
    ],
  };
  t.equal((await render(template('fallback'), data)).missingCharacters, 3);
  t.equal((await render(template('notdef'), data)).missingCharacters, 0, 'boxes are wanted');
  t.equal((await render(template('fallback'), { name: 'a', rows: [] })).missingCharacters, 0);
  const checked = await tryRender(template('fallback'), data, { checkOnly: true });
  t.match(checked, { ok: true, value: { missingCharacters: 3 } });
});

t.test('only what a text draws needs a font', async (t) => {
  const fields = [
    { name: 'drawn', type: 'qrcode', required: false },
    { name: 'coded', type: 'text', required: false },
    { name: 'title', type: 'text', required: false },
  ];
  const content = ['{{drawn}}', { barcode: 'datamatrix', data: '{{coded}}' }];
  const document = { info: { title: '{{title}}' }, content };
  const file = { templateId: 'x', name: 'x', missingGlyph: 'reject', fields, document };
  const strict = shareTemplate(JSON.stringify(file));
  t.match(await tryRender(strict, { coded: '\u4e2d', title: '\u4e2d' }), { ok: true });
  t.match(await tryRender(strict, { drawn: '\u4e2d' }), {
    ok: false,
    fields: [{ field: 'drawn' }],
  });
});

t.test('a sample with a character that no font has is a finding', async (t) => {
  const samples = [{ name: 'a', data: { name: '\u738b A', rows: [['\u4e2d']] } }];
  const found = async (policy: string) => {
    const result = await run({
      kind: 'check',
      template: template(policy, samples),
      renderSamples: true,
      atMs: 0,
    });
    if (result === undefined || !('findings' in result)) throw new Error('nothing was checked');
    return result.findings.map(({ severity, path, message }) => ({ severity, path, message }));
  };
  const warnings = [
    { severity: 'warning', path: 'samples[0].data.name', message: /U\+738B/ },
    { severity: 'warning', path: 'samples[0].data.rows', message: /U\+4E2D/ },
  ];
  t.match(await found('fallback'), warnings);
  const errors = (await found('reject')).filter(({ message }) => message.startsWith('No font'));
  t.match(
    errors,
    warnings.map((warning) => ({ ...warning, severity: 'error' })),
  );
  t.same(await found('notdef'), []);
});

t.test('the answer about a text does not depend on the texts before it', async (t) => {
  const strict = template('reject');
  // Answers are kept below U+2100: some characters below and above it, drawn and not drawn.
  const drawn = ['ก', 'é', '–', '\u2122', 'A\u00ad', '\n'];
  const missing = ['\u0780', '\u4e2d', '\u{1F642}', '\u0e5c'];
  for (const _ of [1, 2]) {
    for (const text of [...drawn, ...missing]) {
      const row = await tryRender(strict, { name: 'A', rows: [['1', `ก${text}ข`]] });
      t.equal(row.ok, drawn.includes(text), JSON.stringify(text));
      const name = await tryRender(strict, { name: `x${text}`, rows: [['1']] });
      t.equal(name.ok, drawn.includes(text), JSON.stringify(text));
    }
  }
});
