import { cmyk, PDFDocument, rgb, StandardFonts } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import t from 'tap';
import { findingsOf, render, shareTemplate, tryRender } from '../../lab/render.ts';
import { findViolations } from '../../tools/pdfa/rules.ts';
import { SAMPLE_DATA, sampleTemplate } from '../../tools/pdfa/mutations/sample.ts';

/** Content that cannot be archived is refused: at publish if the template alone decides that. */

const ARCHIVE = { archive: 'PDF/A-2u' };

async function cmykImage(): Promise<string> {
  const pixels = { create: { width: 4, height: 4, channels: 3 as const, background: 'red' } };
  const bytes = await sharp(pixels).toColourspace('cmyk').jpeg().toBuffer();
  return `data:image/jpeg;base64,${bytes.toString('base64')}`;
}

t.test('findings name the path of content that cannot be archived', async (t) => {
  const images = { logo: await cmykImage() };
  const document = { images, content: [{ image: 'logo' }], missingGlyph: 'notdef' };
  const paper = { pageSize: { width: 200, height: 2 }, pageMargins: 0 };
  const findings = await findingsOf({ ...document, ...paper }, ARCHIVE);
  t.strictSame(
    findings.filter(({ message }) => message.includes('archive')).map(({ path }) => path),
    ['document.content[0].image', 'document.missingGlyph', 'document.pageSize'],
  );
  const [finding] = await findingsOf({ content: 'x' }, { archive: 'PDF/A-1b' });
  t.match(finding, { severity: 'error', path: 'archive' });
});

t.test('a template without "archive" is not checked against PDF/A', async (t) => {
  const images = { logo: await cmykImage() };
  t.strictSame(await findingsOf({ images, content: [{ image: 'logo' }] }), []);
});

t.test('data that cannot be archived is invalid', async (t) => {
  const source = sampleTemplate(
    {
      ...ARCHIVE,
      fields: [
        { name: 'name', type: 'text' },
        { name: 'photo', type: 'image' },
      ],
    },
    { content: ['{{name}}', { image: '{{photo}}', width: 20 }] },
  );
  const template = shareTemplate(source);
  const result = await tryRender(template, { name: 'A \u{2ffff}', photo: await cmykImage() });
  t.match(result, {
    ok: false,
    code: 'invalid_data',
    fields: [
      { field: 'name', reason: 'text has a character that no font can draw' },
      { field: 'photo', reason: 'image must be grey or RGB in an archive document' },
    ],
  });
});

t.test('a page as high as its content is refused when it grows too high', async (t) => {
  const source = sampleTemplate(ARCHIVE, {
    pageSize: { width: 200, height: 'auto' },
    content: [{ text: '{{name}}', fontSize: 100 }],
  });
  const result = await tryRender(shareTemplate(source), { name: 'word '.repeat(300) });
  t.match(result, { ok: false, code: 'render_failed', message: /14,400/ });
});

t.test('an archive document is never protected', async (t) => {
  const template = shareTemplate(sampleTemplate(ARCHIVE));
  const result = await tryRender(template, SAMPLE_DATA, { isProtected: true });
  t.match(result, { ok: false, code: 'bad_request', message: /options\.protection/ });
});

t.test('only archive documents can be attached to an archive document', async (t) => {
  const archive = shareTemplate(sampleTemplate(ARCHIVE));
  const plain = await render(shareTemplate(sampleTemplate({})), SAMPLE_DATA);
  const refused = await tryRender(archive, SAMPLE_DATA, { attachments: [plain.pdf] });
  t.match(refused, { ok: false, code: 'bad_request', message: /options\.attach\[0\]/ });
  const archived = await render(archive, SAMPLE_DATA);
  for (const level of ['2u', '3u'] as const) {
    const other = shareTemplate(sampleTemplate({ archive: `PDF/A-${level}` }));
    const merged = await render(other, SAMPLE_DATA, {
      attachments: [archived.pdf, archived.pdf],
      watermark: { text: 'สำเนา', opacity: 0.3 },
    });
    t.equal(merged.pages, 3);
    t.strictSame(findViolations(merged.pdf, level), []);
  }
  t.ok(
    (
      await tryRender(shareTemplate(sampleTemplate({})), SAMPLE_DATA, {
        attachments: [archived.pdf],
      })
    ).ok,
  );
});

t.test('deep groups and very long words stay within the limits of the standard', async (t) => {
  const depth = 31;
  const drawing = `<svg width="50" height="50">${'<g transform="rotate(1)" clip-path="url(#c)">'.repeat(depth)}<rect width="9" height="9"/>${'</g>'.repeat(depth)}<clipPath id="c"><rect width="40" height="40"/></clipPath></svg>`;
  for (const word of ['x'.repeat(40_000), 'กำ'.repeat(20_000)]) {
    // Words of the template: a value that the paper cuts is refused.
    const source = sampleTemplate(ARCHIVE, {
      content: [
        { text: word, noWrap: true },
        { text: word, noWrap: true, characterSpacing: 1 },
        { svg: drawing },
      ],
    });
    const { pdf } = await render(shareTemplate(source), { name: 'x' });
    t.strictSame(findViolations(pdf, '2u'), []);
  }
});

/** A foreign PDF as a data URL. */
async function letterhead(change: (document: PDFDocument) => Promise<void>): Promise<string> {
  const document = await PDFDocument.create();
  await change(document);
  const bytes = await document.save();
  return `data:application/pdf;base64,${Buffer.from(bytes).toString('base64')}`;
}

t.test('a letterhead is a finding that names the file and its violations', async (t) => {
  const unembedded = await letterhead(async (document) => {
    const font = await document.embedFont(StandardFonts.TimesRomanBold);
    document.addPage([300, 200]).drawText('Bank', { x: 20, y: 20, size: 20, font });
  });
  const press = await letterhead(async (document) => {
    document.addPage([300, 200]).drawRectangle({ width: 50, height: 9, color: cmyk(1, 0, 0, 0) });
  });
  const plain = await letterhead(async (document) => {
    document.addPage([300, 200]).drawRectangle({ width: 50, height: 9, color: rgb(1, 0, 0) });
  });
  const document = {
    pdfs: { head: unembedded, press, plain, unused: unembedded },
    background: { pdf: 'head' },
    content: ['x', { pdf: 'press' }, { pdf: 'plain' }],
  };
  for (const more of [ARCHIVE, { archive: 'PDF/A-3u' }]) {
    const errors = (await findingsOf(document, more)).filter(
      ({ severity, path }) => severity === 'error' && path.startsWith('document.pdfs'),
    );
    t.match(errors, [
      { path: 'document.pdfs.head', message: /fonts that are not embedded: Times-Bold/ },
      { path: 'document.pdfs.press', message: /CMYK/ },
      { path: 'document.pdfs.plain', message: /cannot be shown/ },
    ]);
    t.equal(errors.length, 3);
  }
  const tagged = await findingsOf({ ...document, tagged: true }, {});
  t.match(
    tagged.find(({ path }) => path === 'document.pdfs.head'),
    { message: /Times-Bold/ },
  );
  const free = await findingsOf(document, {});
  t.notOk(
    free.some(({ severity }) => severity === 'error'),
    'any other document may place it',
  );
});
