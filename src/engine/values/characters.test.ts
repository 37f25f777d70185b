import t from 'tap';
import { render, shareTemplate, tryRender } from '../../../lab/render.ts';
import run from '../../workers/render.ts';

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

const FIELDS = [
  { name: 'name', type: 'text' },
  { name: 'vip', type: 'text' },
  { name: 'picture', type: 'svg' },
  { name: 'rows', type: 'table' },
];

function documentOf(missingGlyph: string, document: object, more: object = {}) {
  const file = { templateId: 'x', name: 'x', missingGlyph, fields: FIELDS, document, ...more };
  return shareTemplate(JSON.stringify(file));
}

t.test('only what a document prints needs a font', async (t) => {
  const hidden = [
    { text: '{{name}}', if: 'vip' },
    { stack: ['{{name}}'], unless: 'rows' },
    { table: { body: [['x'], { each: 'rows', if: 'vip', cells: ['{{0}}'] }] } },
    { table: { body: [{ each: 'rows', cells: ['{{1}}'] }] } },
    { ul: [{ each: 'rows', text: [{ text: '{{2}}', if: 'vip' }, '{{1}}'] }] },
    { svg: '{{picture}}', if: 'vip' },
  ];
  const picture = '<svg viewBox="0 0 9 9"><text y="9">\u738b</text></svg>';
  const data = {
    name: '\u738b',
    picture,
    rows: [
      ['\u738b', 'x', '\u4e2d'],
      ['a', 'b', 'c', '\u738b'],
    ],
  };
  const strict = documentOf('reject', { content: hidden });
  t.match(await tryRender(strict, data), { ok: true }, 'conditions and columns hide all of them');
  t.match(await tryRender(strict, { ...data, vip: 'yes' }), {
    ok: false,
    code: 'invalid_data',
    fields: [{ field: 'name' }, { field: 'picture' }, { field: 'rows' }],
  });
  const lenient = documentOf('fallback', { content: hidden });
  t.equal((await render(lenient, { ...data, vip: '\u738b' })).missingCharacters, 4);
  const places: Record<string, object> = {
    header: { header: '{{name}}', content: 'x' },
    'a footer of last pages': {
      footer: { last: '{{name}}' },
      content: ['x', { text: 'y', pageBreak: 'before' }],
    },
    background: { background: '{{name}}', content: 'x' },
    watermark: { watermark: '{{name}}', content: 'x' },
    'rows of sums': {
      content: {
        each: 'rows',
        table: {
          statement: { each: 'rows', credit: 5, pageTotal: ['{{0}}'] },
          body: [{ each: 'rows', cells: ['y'] }],
        },
      },
    },
  };
  for (const [about, document] of Object.entries(places)) {
    t.match(await tryRender(documentOf('reject', document), data), { ok: false }, about);
  }
});

const svg = (inner: string): object => ({ picture: `<svg viewBox="0 0 9 9">${inner}</svg>` });

t.test('the rule holds for the text of an SVG, but not for its title', async (t) => {
  const document = { content: [{ svg: '{{picture}}', width: 50 }, '{{name}}'] };
  const wrong = svg('<text y="9">a<tspan>\u738b</tspan></text>');
  t.match(await tryRender(documentOf('reject', document), wrong), {
    code: 'invalid_data',
    fields: [{ field: 'picture', reason: 'text has a character that no font can draw' }],
  });
  t.equal((await render(documentOf('fallback', document), wrong)).missingCharacters, 1);
  t.equal((await render(documentOf('notdef', document), wrong)).missingCharacters, 0);
  const titled = svg('<title>\u738b</title><text y="9">a</text>');
  t.match(await tryRender(documentOf('reject', document), titled), { ok: true });
});

t.test('the rule holds for a watermark of the request', async (t) => {
  const document = { content: 'x' };
  const options = { watermark: { text: '\u738b COPY \u738b', opacity: 0.2 } };
  for (const checkOnly of [false, true]) {
    const of = async (policy: string) =>
      tryRender(documentOf(policy, document), {}, { ...options, checkOnly });
    t.match(await of('reject'), { code: 'bad_request', message: /^options\.watermark\.text: / });
    t.match(await of('fallback'), { value: { missingCharacters: 2 } });
    t.match(await of('notdef'), { value: { missingCharacters: 0 } });
  }
  const plain = { watermark: { text: 'COPY สำเนา', opacity: 0.2 } };
  t.match(await tryRender(documentOf('reject', document), {}, plain), { ok: true });
});

t.test('the rows of a run with such a watermark are invalid before any is made', async (t) => {
  const row = Buffer.from('{"name":"a"}');
  const result = await run({
    kind: 'check_rows',
    template: documentOf('reject', { content: '{{name}}' }),
    rows: row,
    ends: [row.length],
    header: null,
    idField: 'name',
    sumFields: [],
    watermark: { text: '\u738b', opacity: 0.2 },
  });
  t.match(result, { rows: [{ failure: { code: 'bad_request', message: /watermark/ } }] });
});

t.test('the rule holds for the name of the signer in a visible signature', async (t) => {
  const content = { text: 'Signed by {{signature.signer}}' };
  const field = { page: 1, x: 20, y: 20, width: 200, height: 60, content };
  const signed = (policy: string, more: object = {}) =>
    documentOf(policy, { content: 'x' }, { signatureField: { ...field, ...more } });
  const signature = { isAsked: true, bytesMax: 4_000, signer: '\u738b Bank' };
  const of = async (policy: string, more: object = {}) =>
    tryRender(signed(policy, more), {}, { signature });
  t.match(await of('reject'), { code: 'render_failed', message: /signatureField: the name/ });
  t.match(await of('fallback'), { ok: true, value: { missingCharacters: 1 } });
  t.match(await of('notdef'), { ok: true, value: { missingCharacters: 0 } });
  t.match(await of('reject', { content: 'Signed' }), { ok: true });
  t.match(await tryRender(signed('reject'), {}), { ok: true }, 'a document that is not signed');
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
      const row = await tryRender(strict, { name: 'A', rows: [[`ก${text}ข`]] });
      t.equal(row.ok, drawn.includes(text), JSON.stringify(text));
      const name = await tryRender(strict, { name: `x${text}`, rows: [['1']] });
      t.equal(name.ok, drawn.includes(text), JSON.stringify(text));
    }
  }
});
