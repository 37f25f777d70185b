import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { faultsOf, pageTexts, render, shareTemplate, tryRender } from '../../../lab/render.ts';
import { SourceError } from '../pdf/copy/pdf-source.ts';

const scratch = mkdtempSync(join(tmpdir(), 'intaglio-merge-'));
const file = join(scratch, 'merged.pdf');
t.teardown(() => rmSync(scratch, { recursive: true }));

interface Kind {
  readonly footer: string;
  readonly language?: string;
  readonly document?: Record<string, unknown>;
  readonly extra?: Record<string, unknown>;
}

function template({ footer, language = 'en', document = {}, extra = {} }: Kind) {
  return shareTemplate(
    JSON.stringify({
      templateId: 'merge',
      name: 'merge',
      language,
      fields: [{ name: 'name', type: 'text', required: true }],
      document: {
        footer: { text: footer, alignment: 'center' },
        content: [
          { text: 'front of {{name}}', id: 'front', link: 'https://example.test/a(b)' },
          { text: 'back of {{name}}', pageBreak: 'before', linkToDestination: 'front' },
        ],
        ...document,
      },
      ...extra,
      samples: [],
    }),
  );
}

const english = template({ footer: 'page {{page}} of {{pages}}' });
const thai = template({ footer: 'หน้า {{page}} จาก {{pages}}', language: 'th' });

t.test('2 + 2 pages: page 3 says 3 of 4, and the old number is gone', async (t) => {
  for (const [kind, third, old] of [
    [english, 'page 3 of 4', 'page 1 of 2'],
    [thai, 'หน้า 3 จาก 4', 'หน้า 1 จาก 2'],
  ] as const) {
    const scan = await render(kind, { name: 'scan' });
    const merged = await render(kind, { name: 'letter' }, { attachments: [scan.pdf] });
    t.equal(merged.pages, 4);
    t.equal(faultsOf(file, merged.pdf), '');
    const pages = pageTexts(file, merged.pdf);
    t.equal(pages.length, 4);
    t.match(pages[2], third);
    t.match(pages[2], 'front of scan');
    t.notMatch(pages.join(''), old);
  }
});

t.test('three attachments, one of them merged before, one twice', async (t) => {
  const one = await render(english, { name: 'one' });
  const nested = await render(thai, { name: 'two' }, { attachments: [one.pdf] });
  const attachments = [nested.pdf, one.pdf, one.pdf];
  const merged = await render(english, { name: 'three' }, { attachments });
  t.equal(merged.pages, 10);
  t.equal(faultsOf(file, merged.pdf), '');
  const pages = pageTexts(file, merged.pdf);
  pages.forEach((text, index) => {
    t.match(text, `page ${index + 1} of 10`);
    t.equal(text.match(/page \d+ of/g)?.length, 1, 'numbered once');
    t.notMatch(text, 'หน้า');
  });
});

t.test('attached pages keep size and body; a header that numbers pages is removed', async (t) => {
  const landscape = template({
    footer: 'old {{page}}',
    document: {
      pageSize: 'A5',
      pageOrientation: 'landscape',
      header: { text: 'numbered {{page}}/{{pages}}' },
    },
  });
  const plain = template({ footer: 'old {{page}}', document: { header: { text: 'letterhead' } } });
  const scans = [await render(landscape, { name: 'x' }), await render(plain, { name: 'y' })];
  const attachments = scans.map(({ pdf }) => pdf);
  const merged = await render(english, { name: 'z' }, { attachments });
  t.equal(faultsOf(file, merged.pdf), '');
  const pages = pageTexts(file, merged.pdf);
  t.notMatch(pages[2], 'numbered 1/2');
  t.match(pages[4], 'letterhead');
  t.match(pages[2], 'page 3 of 6');
  const sizes = execFileSync('pdfinfo', ['-f', '3', '-l', '3', file]).toString();
  t.match(sizes, /Page\s+3 size:\s+595\.28 x 419\.53/);
});

t.test('the template decides what is drawn on attached pages', async (t) => {
  const scan = await render(english, { name: 'scan' });
  const strict = template({
    footer: 'foot {{page}}/{{pages}}',
    document: { header: { text: 'head {{page}}' } },
    extra: { attachedPages: { header: true, footer: false } },
  });
  const merged = await render(strict, { name: 'letter' }, { attachments: [scan.pdf] });
  const pages = pageTexts(file, merged.pdf);
  t.match(pages[2], 'head 3');
  t.notMatch(pages[2], 'foot');
  t.notMatch(pages[2], 'page 1 of 2');
});

t.test('equal fonts are stored once', async (t) => {
  const scan = await render(thai, { name: 'น้ำ' });
  const letter = await render(thai, { name: 'ก' });
  const merged = await render(thai, { name: 'ก' }, { attachments: [scan.pdf, scan.pdf] });
  const fontBytes = 12_000;
  t.ok(merged.pdf.length < letter.pdf.length + 2 * (scan.pdf.length - fontBytes));
  writeFileSync(file, merged.pdf);
  const objects = execFileSync('qpdf', ['--show-object=1', '--raw-stream-data', file]);
  const count = Buffer.from(merged.pdf).toString('latin1').split(objects.toString('latin1')).length;
  t.equal(count - 1, 1, 'the merged file holds the font file once');
});

t.test('links of attached pages lead to places in the same document', async (t) => {
  const scan = await render(english, { name: 'scan' });
  const merged = await render(english, { name: 'letter' }, { attachments: [scan.pdf] });
  writeFileSync(file, merged.pdf);
  const json = JSON.parse(execFileSync('qpdf', ['--json', file]).toString()) as {
    pages: { object: string }[];
    qpdf: [unknown, Record<string, { value?: Record<string, unknown> }>];
  };
  const object = (name: string) => json.qpdf[1][`obj:${name}`]?.value ?? {};
  const page = object(json.pages[3]?.object ?? '');
  const [link] = page['/Annots'] as Record<string, unknown[]>[];
  t.equal(link?.['/Dest']?.[0], json.pages[2]?.object, 'to the first attached page');
});

t.test('the watermark option is on every page, the metadata in both places', async (t) => {
  const scan = await render(english, { name: 'scan' });
  const options = {
    attachments: [scan.pdf],
    watermark: { text: 'COPY', opacity: 0.3 },
    metadata: { title: 'สัญญา (ก)', subject: 'Ref 1 & <2>' },
  };
  const merged = await render(english, { name: 'letter' }, options);
  t.equal(faultsOf(file, merged.pdf), '');
  const info = execFileSync('pdfinfo', [file]).toString();
  t.match(info, /Title:\s+สัญญา \(ก\)/);
  t.match(info, /Subject:\s+Ref 1 & <2>/);
  const xmp = execFileSync('pdfinfo', ['-meta', file]).toString();
  t.match(xmp, 'สัญญา (ก)');
  t.match(xmp, 'Ref 1 &amp; &lt;2&gt;');
  for (let page = 1; page <= 4; page++) {
    const raw = ['-raw', '-f', String(page), '-l', String(page), file, '-'];
    const letters = execFileSync('pdftotext', raw).toString().replaceAll(/\s/g, '');
    t.match(letters, 'COPY', `page ${page}`);
  }
});

t.test('opacity 0 draws nothing, opacity 1 covers', async (t) => {
  const plain = await render(english, { name: 'a' });
  const invisible = await render(
    english,
    { name: 'a' },
    { watermark: { text: 'COPY', opacity: 0 } },
  );
  t.notMatch(pageTexts(file, invisible.pdf).join(''), /C\s*O\s*P\s*Y/);
  t.ok(invisible.pdf.length < plain.pdf.length + 400);
  const covering = await render(english, { name: 'a' }, { watermark: { text: 'X', opacity: 1 } });
  t.notMatch(Buffer.from(covering.pdf).toString('latin1'), '/ca');
});

t.test('forms with opacity, whose objects refer to themselves, can be attached', async (t) => {
  const watermark = { text: 'DRAFT', opacity: 0.3 };
  const scan = await render(english, { name: 'scan' }, { watermark });
  const once = await render(thai, { name: 'once' }, { attachments: [scan.pdf], watermark });
  const attachments = [once.pdf, scan.pdf, scan.pdf];
  const merged = await render(english, { name: 'twice' }, { attachments });
  t.equal(merged.pages, 10);
  t.equal(faultsOf(file, merged.pdf), '');
  writeFileSync(file, merged.pdf);
  const words = execFileSync('pdftotext', ['-raw', file, '-']).toString().split('\f');
  const drafts = words.map((text) => text.replaceAll(/\s/g, '').split('DRAFT').length - 1);
  t.strictSame(drafts.slice(0, 10), [0, 0, 1, 1, 2, 2, 1, 1, 1, 1]);
});

t.test('titles that look like PDF syntax are copied unchanged', async (t) => {
  const outlined = template({
    footer: '{{page}}',
    document: {
      content: [
        { text: 'x {{name}}', outline: true, outlineText: '{{name}}' },
        { text: 'second', outline: true, pageBreak: 'before' },
      ],
    },
  });
  const names = ['/Next 1 0 R', '(/Dest[', ')/First 3 0 R/Count 9', '/Dest[9 0 R] /Names[', '\\'];
  for (const name of names) {
    const scan = await render(outlined, { name });
    const merged = await render(outlined, { name: 'letter' }, { attachments: [scan.pdf] });
    t.equal(faultsOf(file, merged.pdf), '', name);
    const outlines = JSON.parse(
      execFileSync('qpdf', ['--json', '--json-key=outlines', file]).toString(),
    ) as { outlines: { title: string; destpageposfrom1: number; kids: unknown[] }[] };
    t.strictSame(
      outlines.outlines.map(({ title, destpageposfrom1: page, kids }) => [title, page, kids]),
      [
        ['letter', 1, []],
        ['second', 2, []],
        [name, 3, []],
        ['second', 4, []],
      ],
    );
  }
});

function formCount(pdf: Uint8Array): number {
  return Buffer.from(pdf).toString('latin1').split('/Subtype/Form/').length - 1;
}

t.test('footers of an earlier merge are left out', async (t) => {
  const scan = await render(english, { name: 'scan' });
  const once = await render(english, { name: 'once' }, { attachments: [scan.pdf] });
  const twice = await render(english, { name: 'twice' }, { attachments: [once.pdf] });
  t.equal(formCount(once.pdf), 2, 'a footer for each attached page');
  t.equal(formCount(twice.pdf), 4);
});

t.test('a merged file is at most as large as its parts with the shared font once', async (t) => {
  for (const kind of [english, thai]) {
    const scan = await render(kind, { name: 'scan' });
    const letter = await render(kind, { name: 'letter' });
    const merged = await render(kind, { name: 'letter' }, { attachments: [scan.pdf, scan.pdf] });
    writeFileSync(file, letter.pdf);
    const font = execFileSync('qpdf', ['--show-object=1', '--raw-stream-data', file]);
    const parts = letter.pdf.length + 2 * scan.pdf.length;
    t.ok(font.length > 5_000);
    t.ok(
      merged.pdf.length <= parts - 2 * font.length,
      `${merged.pdf.length} bytes; parts ${parts}, font ${font.length}`,
    );
  }
});

t.test('a protected or damaged file cannot be attached', async (t) => {
  const scan = await render(english, { name: 'scan' });
  writeFileSync(file, scan.pdf);
  const secret = execFileSync('qpdf', ['--encrypt', 'u', 'o', '256', '--', file, '-']);
  const refused = await tryRender(english, { name: 'a' }, { attachments: [secret] });
  t.match(refused, {
    ok: false,
    code: 'bad_request',
    message: /options\.attach\[0\] is a protected/,
  });
  const cut = scan.pdf.slice(0, scan.pdf.length - 10);
  await t.rejects(tryRender(english, { name: 'a' }, { attachments: [cut] }), SourceError);
});
