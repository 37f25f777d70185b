import t from 'tap';
import { shareTemplate, tryRender } from '../../../test/render.ts';

function template(missingGlyph: string) {
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
      samples: [],
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
