import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { importForm } from '../../tools/import/form.ts';
import { createEngine } from '#engine';
import { render, shareTemplate } from '../../lab/render.ts';
import { comparePages, placeEachPage } from './pages.ts';
import type { Area } from './pages.ts';

/**
 * Letterheads and forms that other tools wrote (test/fixtures/letterhead/make.sh): in our documents
 * their pages look as poppler shows the originals, and none of their actions is left.
 */

t.setTimeout(1_500_000);

const folder = new URL('../fixtures/letterhead/', import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith('.pdf'));
const SHARE_MAX = 0.01;
const ACTIVE =
  /"\/(?:AA|JS|JavaScript|OpenAction|Launch|AcroForm|EmbeddedFiles?|RichMedia|SubmitForm|Widget)"/;

const read = (file: string): Uint8Array => new Uint8Array(readFileSync(new URL(file, folder)));

/** Every object of a file as qpdf's JSON. */
function objectsOf(path: string, pdf: Uint8Array): string {
  writeFileSync(path, pdf);
  return execFileSync('qpdf', ['--json=2', path], { maxBuffer: 1 << 28 }).toString();
}

const engine = createEngine();

t.test('there are 20 letterheads and 12 forms', async (t) => {
  const forms = files.filter((file) => file.startsWith('form-'));
  t.equal(forms.length, 12);
  t.equal(files.length - forms.length, 20);
});

for (const file of files) {
  t.test(file, async (t) => {
    const original = read(file);
    const cleaning = await engine.cleanPdf(original);
    t.ok(cleaning.ok, JSON.stringify(cleaning.ok ? '' : cleaning.fault));
    if (!cleaning.ok) return;
    const drawn = await placeEachPage(cleaning.pdf);
    const ignored: readonly Area[] = cleaning.fields;
    const shares = await comparePages(t.testdir(), original, drawn, ignored);
    for (const [index, share] of shares.entries()) {
      t.ok(share < SHARE_MAX, `page ${index + 1}: ${(share * 100).toFixed(3)} %`);
    }
    t.notMatch(objectsOf(`${t.testdirName}/x.pdf`, drawn), ACTIVE, 'nothing active');
  });
}

/** A value that fits each field: letters and digits that are easy to find. */
function dataOf(fields: readonly Readonly<Record<string, unknown>>[]): Record<string, string> {
  return Object.fromEntries(
    fields.map(({ name, type, validation }) => {
      const rules = (validation ?? {}) as { pattern?: string; maxLength?: number };
      const pattern = rules.pattern ?? '';
      const choice = /^\^\(\?:([^|)]*)/.exec(pattern)?.[1];
      const text = pattern === '^x$' ? 'x' : (choice ?? '12345'.slice(0, rules.maxLength ?? 5));
      return [String(name), type === 'date' ? '2026-11-22' : type === 'number' ? '1250.5' : text];
    }),
  );
}

for (const file of files.filter((name) => name.startsWith('form-'))) {
  t.test(`${file} becomes a template that fills it`, async (t) => {
    const cleaning = await engine.cleanPdf(read(file));
    if (!cleaning.ok) throw new Error(cleaning.fault);
    const url = `data:application/pdf;base64,${Buffer.from(cleaning.pdf).toString('base64')}`;
    const { template, fields } = importForm('form', cleaning.pages, url, cleaning.fields);
    t.equal(fields.length, cleaning.fields.length, 'each field is accounted for');
    // The result of the importer: a template with fields.
    const { fields: contract } = template as { fields: readonly Record<string, unknown>[] };
    const data = dataOf(contract);
    const { pdf } = await render(shareTemplate(JSON.stringify(template)), data);
    t.notMatch(objectsOf(`${t.testdir()}/x.pdf`, pdf), ACTIVE, 'the filled form is flat');
    const words = wordsOf(pdf);
    for (const field of cleaning.fields) {
      if (!['text', 'multiline', 'comb', 'choice'].includes(field.kind)) continue;
      const inside = words.filter((word) => word.page === field.page && isInside(word, field));
      t.ok(inside.length > 0, `${field.name}: its value is in its place`);
    }
  });
}

interface Word {
  readonly page: number;
  readonly x: number;
  readonly y: number;
}

/** The centre of each word, by pdftotext. */
function wordsOf(pdf: Uint8Array): readonly Word[] {
  const html = execFileSync('pdftotext', ['-bbox', '-', '-'], { input: pdf }).toString();
  return html.split('<page ').flatMap((page, number) =>
    Array.from(
      page.matchAll(/xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">/g),
      ([, x0, y0, x1, y1]) => ({
        page: number,
        x: (Number(x0) + Number(x1)) / 2,
        y: (Number(y0) + Number(y1)) / 2,
      }),
    ),
  );
}

function isInside({ x, y }: Word, field: Area): boolean {
  return (
    x > field.x &&
    x < field.x + field.widthPt &&
    y > field.y - 1 &&
    y < field.y + field.heightPt + 1
  );
}
