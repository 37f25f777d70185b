import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { HOME } from '../../lab/home.ts';
import { shareTemplate, tryRender } from '../../lab/render.ts';
import { misspellingFix } from '../../studio/src/editor/checks/misspelling.ts';
import { thaiFault, thaiFinding, unreadCell } from '../../studio/src/editor/finding-words.ts';
import { defectsTh } from '../../studio/src/i18n/defects-th.ts';
import { fill } from '../../studio/src/i18n/fill.ts';
import { FINDINGS_TH, KINDS_TH } from '../../studio/src/i18n/findings-th.ts';
import { formEn } from '../../studio/src/i18n/form-en.ts';
import { formTh } from '../../studio/src/i18n/form-th.ts';
import { createEngine } from '#engine';

const TH: Readonly<Record<string, string>> = { ...formTh, ...defectsTh };

const say: Parameters<typeof thaiFault>[1] = (key, parameters) => fill(TH[key] ?? key, parameters);

function thai(path: string, message: string): string | null {
  return thaiFinding({ path, message }, say);
}

/** The sources of the engine; strings that are joined over lines stand in one piece. */
const SOURCES = readdirSync(join(HOME, 'src/engine'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(HOME, 'src/engine', name), 'utf8'))
  .join('\n')
  .replaceAll(/['`] \+\s*['`]/g, '');

t.test('each sentence that is translated is one that the engine says', async (t) => {
  for (const [english] of FINDINGS_TH) {
    for (const piece of english.split(/\{+\w+\}+|(?<=, and others)/)) {
      if (piece.length > 3) t.ok(SOURCES.includes(piece), piece);
    }
  }
  for (const kind of Object.keys(KINDS_TH)) t.ok(SOURCES.includes(`'${kind}'`), kind);
});

function partsOf(text: string): readonly string[] {
  return (text.match(/\{\w+\}/g) ?? []).toSorted();
}

t.test('a translation has every part of its sentence', async (t) => {
  for (const [english, words] of FINDINGS_TH) {
    const dropped = english.includes('{toc}') ? ['{toc}'] : [];
    t.strictSame([...partsOf(words), ...dropped].toSorted(), partsOf(english), english);
    t.match(words, /[\u0e01-\u0e5b]/, english);
  }
});

/** Mistakes that the check finds, and what it says in Thai. */
const TEMPLATE = {
  templateId: 'notice',
  name: 'Notice',
  language: 'th',
  reference: '{{note}}',
  fields: [
    { name: 'customer', type: 'text', required: true },
    { name: 'unused', type: 'text' },
    { name: 'note', type: 'text' },
    { name: 'page', type: 'text' },
    { name: 'sum', type: 'number' },
  ],
  document: {
    images: {},
    content: [
      { text: 'เรียน {{custmer}} {{customer}} {{note}} {{page}}', style: 'titel', fontSise: 3 },
      { text: '{{sum}}', fontSize: 'large', alignment: 'middle', bold: 1 },
      { text: 'x', format: { decimals: 2 } },
      { image: 'logo' },
      { columns: [{ text: '一', keepWithNext: true }] },
    ],
    header: { rest: '{{page}}' },
  },
  samples: [
    { name: 'a', data: { sum: 'x', more: 1 } },
    { name: 'a', data: { customer: 'b' } },
  ],
};

t.test('mistakes of a template are told in Thai, with their names', async (t) => {
  const engine = createEngine();
  const { findings } = await engine.check({
    kind: 'check',
    template: shareTemplate(JSON.stringify(TEMPLATE)),
    renderSamples: false,
    atMs: 0,
  });
  t.equal(findings.length, 17);
  for (const { path, message } of findings) {
    const said = thai(path, message) ?? '';
    t.match(said, /[\u0e01-\u0e5b]/, message);
    t.notMatch(said, /did you mean|undefined/);
    for (const [name] of message.matchAll(/"[^"]+"/g))
      t.ok(said.includes(name), `${said}: ${name}`);
  }
  t.equal(thai('', 'dash must be an array of lengths, not 3.'), null, 'the rest stays English');
});

t.test('a page that a fault prevents says which in Thai', async (t) => {
  const document = { content: ['เรียน {{sub'] };
  const template = { templateId: 'notice', name: 'Notice', language: 'th', fields: [], document };
  const refused = await tryRender(shareTemplate(JSON.stringify(template)), {});
  const message = refused.ok ? '' : refused.message;
  t.equal(
    thaiFault(message, say),
    String.raw`เทมเพลตมีข้อผิดพลาดที่ document.content[0]: "{{" ไม่มี "}}" ปิด ถ้าต้องการพิมพ์ปีกกาสองตัว ให้เขียน "\\{{" ในไฟล์`,
  );
  t.equal(
    thaiFault('The template has a fault: There is no field "a"', say),
    'เทมเพลตมีข้อผิดพลาด: ไม่มีฟิลด์ "a"',
  );
  t.equal(thaiFault('The template has a fault at a: dash must be odd.', say), null);
  t.equal(thaiFault('There is no field "a"', say), null);
  t.equal(
    thai('', '"{{}}" names no field; write "{{name}}".'),
    '"{{}}" ไม่ได้ระบุฟิลด์ ให้เขียน "{{name}}"',
  );
});

t.test('a cell that a sum cannot read is told with the sum, its row counted from 1', async (t) => {
  const template = {
    templateId: 'notice',
    name: 'Notice',
    language: 'th',
    fields: [{ name: 'items', type: 'table', required: true }],
    document: { content: [{ each: 'items', text: '{{0}}' }, 'รวม {{sum items.1}}'] },
    samples: [
      {
        name: 'a',
        data: {
          items: [
            ['1', 'กาแฟ'],
            ['2', 'ชา 2 ถ้วย'],
          ],
        },
      },
    ],
  };
  const engine = createEngine();
  const { findings } = await engine.check({
    kind: 'check',
    template: shareTemplate(JSON.stringify(template)),
    renderSamples: false,
    atMs: 0,
  });
  const found = findings.filter(({ path }) => path === 'samples[0].data.items');
  t.strictSame(
    found.map(({ message }) => message),
    ['plain amount expected in row 1, column 1 (from 0): document.content[1] adds up the column.'],
  );
  const [finding = { message: '' }] = found;
  t.equal(
    unreadCell(finding, say),
    'แถว 2 คอลัมน์ 1 (คอลัมน์นับจาก 0): ต้องเป็นจำนวนเงิน เช่น 1,234.50 หรือเว้นว่าง ' +
      'เพราะ document.content[1] รวมยอดคอลัมน์นี้',
  );
  const english: Readonly<Record<string, string>> = formEn;
  t.match(
    unreadCell(finding, (key, parameters) => fill(english[key] ?? key, parameters)),
    /^Row 2, column 1 \(columns from 0\): .* because document\.content\[1\] adds up the column\.$/,
  );
  t.equal(unreadCell({ message: 'text expected.' }, say), null);
});

/** What the fix of the only finding with a suggestion makes of this text. */
async function corrected(text: string): Promise<string | null> {
  const template = shareTemplate(text);
  const job = { kind: 'check', template, renderSamples: false, atMs: 0 } as const;
  const { findings } = await createEngine().check(job);
  const [finding, ...others] = findings.filter(({ message }) => message.includes('did you mean'));
  if (finding === undefined || others.length > 0) throw new Error('one finding has a suggestion');
  const fix = misspellingFix(text, finding);
  return fix === null ? null : text.slice(0, fix.from) + fix.insert + text.slice(fix.to);
}

/** A template that is right but for this node. */
function withNode(node: string): string {
  return `{
  "templateId": "notice", "name": "Notice", "language": "th",
  "fields": [{ "name": "customer", "type": "text" }, { "name": "sum", "type": "number" }],
  "document": {
    "styles": { "title": { "bold": true } },
    "content": ["{{sum}}", ${node}]
  }
}`;
}

t.test('a misspelled name is put right where it stands, and only there', async (t) => {
  for (const [wrong, mended] of [
    ['{ "text": "{{customer}}", "fontSise": 9 }', '{ "text": "{{customer}}", "fontSize": 9 }'],
    [
      '{ "text": "{{customer}}", "style": "titel" }',
      '{ "text": "{{customer}}", "style": "title" }',
    ],
    ['{ "text": "เรียน {{custmer}} {{customer}}" }', '{ "text": "เรียน {{customer}} {{customer}}" }'],
    ['"ถึง {{custmer}}"', '"ถึง {{customer}}"'],
    ['{ "if": "custmer", "text": "{{customer}}" }', '{ "if": "customer", "text": "{{customer}}" }'],
    ['"{{= upper(custmer) }}"', '"{{= upper(customer) }}"'],
  ] as const) {
    t.equal(await corrected(withNode(wrong)), withNode(mended), wrong);
  }
  t.equal(
    await corrected(withNode('"custmer {{custmer}}"')),
    null,
    'which of the two is not known',
  );
  const message = 'There is no field "a"; did you mean "b"?';
  const at = { severity: 'error', path: '', line: 1, column: 2 } as const;
  t.equal(misspellingFix('["x {{aa}}"]', { ...at, message }), null, 'the text has changed');
  t.equal(misspellingFix('["x {{a}}"]', { ...at, message: 'There is no field "a".' }), null);
});
