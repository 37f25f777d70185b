import t from 'tap';
import { findingsOf, render, shareTemplate, tryRender } from '../../lab/render.ts';
import { findViolations } from '../../tools/pdfa/rules.ts';
import { readModel } from '../../tools/pdfa/model.ts';
import { isDictionary } from '../../tools/pdfa/cos.ts';

/** Every glyph of a tagged document has a text, with or without an archive level. */

const THAI = 'ผู้กู้ น้ำ กำ ปี่ ป้า ฟื้น ญาติ ฐานะ กตัญญู';

function source(content: unknown, document: object = {}): string {
  return JSON.stringify({
    templateId: 'glyphs',
    language: 'th',
    fields: [{ name: 'name', type: 'text' }],
    document: { tagged: true, info: { title: 'T' }, content, ...document },
  });
}

t.test('glyphs that only shaping reaches have a text in tagged documents', async (t) => {
  const cases: [string, unknown, object, string][] = [
    ['marks', THAI, {}, 'x'],
    ['large marks', [{ text: 'ก้ำ้', fontSize: 60 }, '{{name}}'], {}, 'ก้ำ้ Ĝoĉjo'],
    ['a watermark of the template', 'x', { watermark: 'COPY สำเนา' }, 'x'],
  ];
  for (const [what, content, document, name] of cases) {
    const { pdf } = await render(shareTemplate(source(content, document)), { name });
    t.strictSame(findViolations(pdf, 'ua'), [], what);
  }
  const { pdf } = await render(
    shareTemplate(source('x')),
    { name: 'x' },
    { watermark: { text: 'COPY สำเนา', opacity: 0.3 } },
  );
  t.strictSame(findViolations(pdf, 'ua'), [], 'a watermark of the request');
  const boxes = { watermark: { text: 'COPY 😀', opacity: 0.3 } };
  const refused = await tryRender(shareTemplate(source('x')), { name: 'x' }, boxes);
  t.match(refused, { ok: false, code: 'bad_request' }, 'a watermark that no font draws');
});

async function severities(document: object): Promise<string[]> {
  return (await findingsOf(document)).map(({ severity, path }) => `${severity} ${path}`);
}

t.test('a character that no font has is an error of a tagged document', async (t) => {
  const emoji = { info: { title: 'T' }, content: 'emoji 😀' };
  t.strictSame(await severities({ tagged: true, ...emoji }), ['error document.content']);
  t.strictSame(await severities(emoji), ['warning document.content'], 'untagged: as before');
  t.strictSame(await severities({ tagged: true, missingGlyph: 'notdef', ...emoji, content: 'x' }), [
    'error document.missingGlyph',
  ]);
  const refused = await tryRender(shareTemplate(source('{{name}}')), { name: '😀' });
  t.match(refused, { ok: false, code: 'invalid_data' });
});

t.test('the title is the same in the information dictionary and in the metadata', async (t) => {
  const { pdf } = await render(shareTemplate(source('x', { info: { title: 'A\ufffeB' } })), {});
  const { document, metadata } = readModel(pdf);
  const info = document.resolve(document.trailer.get('Info'));
  t.ok(isDictionary(info));
  t.equal(document.textAt(info, 'Title'), 'AB');
  t.match([...metadata.entries()].flat().join('\n'), /AB/);
});
