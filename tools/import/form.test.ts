import { execFileSync } from 'node:child_process';
import { degrees, PDFDocument, TextAlignment } from '@cantoo/pdf-lib';
import type { PDFForm, PDFPage, PDFTextField } from '@cantoo/pdf-lib';
import t from 'tap';
import { render, shareTemplate, tryRender } from '../../lab/render.ts';
import { createEngine, type FormField } from '#engine';
import { importForm } from './form.ts';
import type { OverflowRule } from './form.ts';

t.setTimeout(1_500_000);

type Draw = (form: PDFForm, page: PDFPage) => void;

async function formOf(draw: Draw, pageTurn = 0): Promise<PDFDocument> {
  const document = await PDFDocument.create();
  const page = document.addPage([400, 300]);
  page.setRotation(degrees(pageTurn));
  draw(document.getForm(), page);
  return document;
}

const engine = createEngine();

interface Imported {
  readonly template: object;
  readonly places: readonly FormField[];
  readonly notes: readonly string[];
}

async function imported(
  document: PDFDocument,
  rule: OverflowRule | null = null,
): Promise<Imported> {
  const cleaning = await engine.cleanPdf(await document.save({ updateFieldAppearances: false }));
  if (!cleaning.ok) throw new Error(cleaning.message);
  const url = `data:application/pdf;base64,${Buffer.from(cleaning.pdf).toString('base64')}`;
  const { template, fields } = importForm('form', cleaning.pages, url, cleaning.fields, rule);
  return { template, places: cleaning.fields, notes: fields.map(({ note }) => note) };
}

interface Word {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function wordsOf(pdf: Uint8Array): readonly Word[] {
  const html = execFileSync('pdftotext', ['-bbox', '-', '-'], { input: pdf }).toString();
  const word = /xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">([^<]*)</g;
  return Array.from(html.matchAll(word), ([, x0, y0, x1, y1, text = '']) => ({
    text,
    x: (Number(x0) + Number(x1)) / 2,
    y: (Number(y0) + Number(y1)) / 2,
    width: Number(x1) - Number(x0),
    height: Number(y1) - Number(y0),
  }));
}

const share = ({ template }: Imported) => shareTemplate(JSON.stringify(template));

t.test('a turned field prints where the filled form prints it', async (t) => {
  for (const pageTurn of [0, 90, 180, 270]) {
    for (const turn of [0, 90, 180, 270]) {
      const name = `page ${pageTurn}, field ${turn}`;
      const draw: Draw = (form, page) => {
        const size = { x: 180, y: 140, width: 120, height: 20, borderWidth: 0 };
        const field = form.createTextField('name');
        field.addToPage(page, { ...size, rotate: degrees(turn) });
        field.setFontSize(11);
      };
      const ours = await imported(await formOf(draw, pageTurn));
      const { pdf } = await render(share(ours), { name: 'Napatsorn' });
      const filled = await formOf(draw, pageTurn);
      filled.getForm().getTextField('name').setText('Napatsorn');
      filled.getForm().flatten();
      const [expected] = wordsOf(await filled.save());
      const [found] = wordsOf(pdf);
      t.equal(found?.text, expected?.text, name);
      if (found === undefined || expected === undefined) continue;
      t.equal(found.width > found.height, expected.width > expected.height, `${name}: direction`);
      // Helvetica is a little narrower or wider than our font.
      const distance = Math.max(Math.abs(found.x - expected.x), Math.abs(found.y - expected.y));
      t.ok(distance < 5, `${name}: ${distance.toFixed(1)} pt`);
    }
  }
});

const LONG = 'A value that is too long for a field of this width';

/** Sets an automatic size as Acrobat writes it; pdf-lib would write the size that it found. */
const openSize = (field: PDFTextField): void =>
  field.acroField.setDefaultAppearance('0 g /Helv 0 Tf');

const twoFields: Draw = (form, page) => {
  const place = { width: 120, height: 20, borderWidth: 0 };
  const open = form.createTextField('open');
  open.addToPage(page, { ...place, x: 40, y: 240 });
  openSize(open);
  const fixed = form.createTextField('fixed');
  fixed.addToPage(page, { ...place, x: 40, y: 200 });
  fixed.setFontSize(10);
};

t.test('a field of open size shrinks its value, one of a fixed size refuses it', async (t) => {
  const form = await imported(await formOf(twoFields));
  const { pdf } = await render(share(form), { open: LONG });
  const [place] = form.places;
  const words = wordsOf(pdf);
  t.ok(words.length > 10, 'all words are there');
  for (const { text, x, width } of words) {
    const right = (place?.x ?? 0) + (place?.widthPt ?? 0);
    t.ok(x + width / 2 <= right + 0.1, `${text} stands in its field`);
  }
  const refused = await tryRender(share(form), { fixed: LONG });
  t.match(refused, { code: 'invalid_data', fields: [{ field: 'fixed' }] });
  t.match(form.notes, [/long values shrink/, /are refused/]);
  const short = await render(share(form), { open: 'Ada' });
  const [word] = wordsOf(short.pdf);
  t.ok((word?.height ?? 0) > 10, 'a short value has its full size');
});

t.test('an overflow rule can be set for all fields', async (t) => {
  const shrunk = await imported(await formOf(twoFields), 'shrink');
  t.ok(await render(share(shrunk), { open: LONG, fixed: LONG }));
  const strict = await imported(await formOf(twoFields), 'reject');
  const refused = await tryRender(share(strict), { open: LONG, fixed: LONG });
  t.match(refused, { code: 'invalid_data', fields: [{ field: 'open' }, { field: 'fixed' }] });
});

const remark: Draw = (form, page) => {
  const field = form.createTextField('remark');
  field.enableMultiline();
  field.addToPage(page, { x: 40, y: 200, width: 150, height: 40, borderWidth: 0 });
  openSize(field);
};

t.test('the lines of a multi-line field fit into it or are refused', async (t) => {
  const form = await imported(await formOf(remark));
  const [place] = form.places;
  const lines = 'one\ntwo\nthree\nfour\nfive';
  const { pdf } = await render(share(form), { remark: lines });
  const words = wordsOf(pdf);
  t.equal(words.length, 5);
  for (const { text, y, height } of words) {
    const bottom = (place?.y ?? 0) + (place?.heightPt ?? 0);
    t.ok(y + height / 2 <= bottom + 1, `${text} stands in its field`);
  }
  const refused = await tryRender(share(form), { remark: 'x\n'.repeat(60) });
  t.match(refused, { code: 'invalid_data' });
});

t.test('comb fields keep their cells, from either side', async (t) => {
  for (const alignment of [TextAlignment.Left, TextAlignment.Right]) {
    const draw: Draw = (form, page) => {
      const field = form.createTextField('code');
      field.setMaxLength(8);
      field.enableCombing();
      field.setAlignment(alignment);
      field.addToPage(page, { x: 40, y: 200, width: 160, height: 20, borderWidth: 0 });
      field.setFontSize(12);
    };
    const form = await imported(await formOf(draw));
    const { pdf } = await render(share(form), { code: '12345' });
    const first = alignment === TextAlignment.Left ? 0 : 3;
    const digits = wordsOf(pdf);
    t.equal(digits.map(({ text }) => text).join(''), '12345');
    const [start] = digits;
    const left = (start?.x ?? 0) - (start?.width ?? 0) / 2;
    t.ok(Math.abs(left - (40 + first * 20 + 6.6)) < 1.5, `${alignment}: begins at ${left}`);
  }
});

t.test('a read-only field with a value is fixed text, and no field of the contract', async (t) => {
  const place = { width: 120, height: 20, borderWidth: 0 };
  const draw: Draw = (form, page) => {
    const number = form.createTextField('formNumber');
    number.setText('F-{{7}}');
    number.addToPage(page, { ...place, x: 40, y: 240 });
    number.enableReadOnly();
    const kind = form.createDropdown('kind');
    kind.setOptions(['Savings', 'Loan']);
    kind.select('Loan');
    kind.addToPage(page, { ...place, x: 40, y: 200 });
    kind.enableReadOnly();
    for (const [index, name] of ['agreed', 'declined'].entries()) {
      const box = form.createCheckBox(name);
      box.addToPage(page, { x: 40 + 40 * index, y: 160, width: 12, height: 12 });
      if (name === 'agreed') box.check();
      box.enableReadOnly();
    }
    const empty = form.createTextField('branch');
    empty.addToPage(page, { ...place, x: 40, y: 120 });
    empty.enableReadOnly();
    const open = form.createTextField('name');
    open.setText('Ada');
    open.addToPage(page, { ...place, x: 40, y: 80 });
  };
  const form = await imported(await formOf(draw));
  const { fields } = form.template as { fields: readonly { name: string }[] };
  t.same(
    fields.map(({ name }) => name),
    ['branch', 'name'],
  );
  t.same(form.notes.slice(0, 4), [
    'read-only: its value is printed as it stands in the form',
    'read-only: its value is printed as it stands in the form',
    'read-only: always ticked, as in the form',
    'read-only: never ticked, as in the form',
  ]);
  const { pdf } = await render(share(form), { branch: 'Silom', name: 'Grace' });
  const words = wordsOf(pdf).map(({ text }) => text);
  t.same(words, ['F-{{7}}', 'Loan', 'Silom', 'Grace']);
});
