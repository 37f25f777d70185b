import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { degrees, PDFDocument, PDFName, PDFString, rgb, StandardFonts } from '@cantoo/pdf-lib';
import type { PDFContext, PDFPage, PDFRef } from '@cantoo/pdf-lib';
import t from 'tap';
import { cleanPatiently } from '../../../test/letterhead/clean.ts';
import { comparePages, placeEachPage } from '../../../test/letterhead/pages.ts';
import { render, shareTemplate, tryRender } from '../../../lab/render.ts';
import { isCleaned, openLetterhead } from './letterhead.ts';

t.setTimeout(1_500_000);

type Draw = (page: PDFPage, document: PDFDocument) => void | Promise<void>;

/** Pages with marks that distinguish their corners, each changed in its own way. */
async function pdfOf(...changes: readonly Draw[]): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const change of changes.length === 0 ? [() => undefined] : changes) {
    const page = document.addPage([300, 200]);
    page.drawText('Letterhead', { x: 20, y: 160, size: 24, font });
    page.drawRectangle({ x: 20, y: 20, width: 60, height: 30, color: rgb(0.1, 0.2, 0.4) });
    page.drawCircle({ x: 250, y: 60, size: 25, color: rgb(0.8, 0.6, 0.2) });
    await change(page, document);
  }
  return document.save();
}

async function cleaned(pdf: Uint8Array): Promise<Uint8Array> {
  const { cleaning } = await cleanPatiently(pdf);
  if (!cleaning.ok) throw new Error(cleaning.fault);
  return cleaning.pdf;
}

const asUrl = (pdf: Uint8Array): string =>
  `data:application/pdf;base64,${Buffer.from(pdf).toString('base64')}`;

const turn =
  (angle: number): Draw =>
  (page) =>
    page.setRotation(degrees(angle));
const link =
  (uri: string, rect: readonly number[]): Draw =>
  (page, { context }) => {
    const action = { Type: 'Action', S: 'URI', URI: PDFString.of(uri) };
    const annotation = { Type: 'Annot', Subtype: 'Link', Rect: [...rect], A: action };
    page.node.addAnnot(context.register(context.obj(annotation)));
  };
const documentOf = (pdf: string): string =>
  JSON.stringify({
    templateId: 'p',
    document: { pdfs: { p: pdf }, content: { pdf: 'p' } },
  });

t.test('a cleaned page looks like the original, even turned and cropped', async (t) => {
  const changes: Readonly<Record<string, Draw>> = {
    plain: () => undefined,
    'turned by 90': turn(90),
    'turned by 180': turn(180),
    'turned by 270': turn(270),
    'turned by -90': turn(-90),
    cropped: (page) => page.setCropBox(10, 15, 270, 170),
    'cropped, turned, with another origin': (page) => {
      page.setMediaBox(-20, -30, 330, 240);
      page.setCropBox(-10, 0, 290, 190);
      page.setRotation(degrees(90));
    },
    'corners the other way round': (page, { context }) =>
      page.node.set(PDFName.of('MediaBox'), context.obj([300, 200, 0, 0])),
    'a crop box beyond the page': (page) => page.setCropBox(-50, -50, 900, 900),
  };
  const pdf = await pdfOf(...Object.values(changes));
  const drawn = await placeEachPage(await cleaned(pdf));
  const differences = await comparePages(t.testdir(), pdf, drawn);
  for (const [index, name] of Object.keys(changes).entries()) {
    const share = differences[index] ?? 1;
    t.ok(share < 0.01, `${name}: ${(share * 100).toFixed(2)} % of the pixels differ`);
  }
});

t.test('UserUnit scales the upright page', async (t) => {
  const pdf = await pdfOf((page, { context }) =>
    page.node.set(PDFName.of('UserUnit'), context.obj(2)),
  );
  const [page] = openLetterhead(await cleaned(pdf)) ?? [];
  t.match(page, { widthPx: 600, heightPx: 400 });
});

t.test('cleaning gives the same file each time, also when it cleans its own result', async (t) => {
  const pdf = await pdfOf();
  const once = await cleaned(pdf);
  t.ok(isCleaned(once));
  t.notOk(isCleaned(pdf));
  t.same(await cleaned(pdf), once);
  t.same(await cleaned(once), once);
  t.equal(openLetterhead(once)?.length, 1);
  t.equal(openLetterhead(once.subarray(0, -40)), null, 'a damaged file');
});

t.test('scripts, fields, files and notes are left out, and reported', async (t) => {
  const pdf = await pdfOf(async (page, document) => {
    document.addJavaScript('main', 'app.alert(1)');
    await document.attach(Buffer.from('x'), 'x.txt', { mimeType: 'text/plain' });
    const field = document.getForm().createTextField('name');
    field.addToPage(page, { x: 100, y: 100, width: 80, height: 20 });
    const { context } = document;
    page.node.set(PDFName.of('AA'), context.obj({ O: { S: 'JavaScript', JS: PDFString.of('x') } }));
    const note = context.obj({ Type: 'Annot', Subtype: 'Text', Rect: [0, 0, 9, 9] });
    page.node.addAnnot(context.register(note));
  });
  const { cleaning } = await cleanPatiently(pdf);
  t.ok(cleaning.ok);
  if (!cleaning.ok) return;
  t.same([...cleaning.dropped].toSorted(), ['annotations', 'fields', 'files', 'scripts']);
  const text = Buffer.from(cleaning.pdf).toString('latin1');
  t.notMatch(text, /JavaScript|\/JS|\/AA|AcroForm|Widget|EmbeddedFile|\/Annots/);
});

t.test('links to addresses are kept, where the page is placed', async (t) => {
  const pdf = await pdfOf(async (page, document) => {
    await link('https://bank.example/', [20, 150, 140, 190])(page, document);
    await link('javascript:alert(1)', [0, 0, 9, 9])(page, document);
  });
  const [page] = openLetterhead(await cleaned(pdf)) ?? [];
  t.strictSame(page?.links, [
    { x: 20, y: 10, widthPt: 120, heightPt: 40, uri: 'https://bank.example/' },
  ]);
  const content = [{ pdf: 'p', width: 150, absolutePosition: { x: 0, y: 0 } }];
  const document = { pageSize: { width: 300, height: 200 }, pdfs: { p: asUrl(pdf) }, content };
  const made = await render(shareTemplate(JSON.stringify({ templateId: 'p', document })), {});
  t.match(
    Buffer.from(made.pdf).toString('latin1'),
    '/Rect[10 175 70 195]/Border[0 0 0]/F 4/A<</S/URI/URI(https://bank.example/)>>',
  );
});

t.test('a PDF that cannot be used is a finding that says how to mend it', async (t) => {
  const faults: readonly (readonly [string, RegExp])[] = [
    [asUrl(Buffer.from('no PDF')), /damaged, or none/],
    ['letterhead.pdf', /No such PDF is beside the template \(the name of the file ends in \.pdf\)/],
    ['data:image/png;base64,', /begins with data:application/],
  ];
  for (const [source, message] of faults) {
    const result = await tryRender(shareTemplate(documentOf(source)), {});
    t.match(result, { ok: false, code: 'render_failed', message });
  }
  const folder = t.testdir();
  writeFileSync(`${folder}/a.pdf`, await pdfOf());
  execFileSync('qpdf', ['--encrypt', 'u', 'o', '256', '--', `${folder}/a.pdf`, `${folder}/b.pdf`]);
  const locked = execFileSync('cat', [`${folder}/b.pdf`]);
  t.match((await cleanPatiently(locked)).cleaning, { ok: false, fault: 'encrypted' });
  const layered = await pdfOf((_, { catalog, context }) => {
    const layer = context.register(context.obj({ Type: 'OCG', Name: PDFString.of('x') }));
    catalog.set(PDFName.of('OCProperties'), context.obj({ OCGs: [layer], D: { OFF: [layer] } }));
  });
  t.match((await cleanPatiently(layered)).cleaning, { ok: false, fault: 'layers' });
});

/** A PDF whose pages have the same resources: two images, `A` and `B`, and a form. */
async function sharedResources(
  contents: readonly string[],
  form: { readonly content: string; readonly hasResources: boolean },
  more: (context: PDFContext, image: PDFRef) => object = () => ({}),
): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const { context } = document;
  const image = (pixels: string) => {
    const entries = { Type: 'XObject', Subtype: 'Image', ColorSpace: 'DeviceGray' };
    const size = { Width: pixels.length, Height: 1, BitsPerComponent: 8 };
    return context.register(context.stream(pixels, { ...entries, ...size }));
  };
  const entries = { Type: 'XObject', Subtype: 'Form', BBox: [0, 0, 100, 100] };
  const own = form.hasResources ? { ...entries, Resources: {} } : entries;
  const objects = {
    A: image('pixels of A'),
    B: image('pixels of B'),
    'C c': image('pixels of C'),
    F: context.register(context.stream(form.content, own)),
  };
  const resources = context.register(
    context.obj({ XObject: objects, ...more(context, objects.B) }),
  );
  for (const text of contents) {
    const page = document.addPage([300, 200]);
    page.node.set(PDFName.of('Resources'), resources);
    page.node.set(PDFName.of('Contents'), context.register(context.stream(text)));
  }
  return document.save();
}

/** The images of a document that places the first page of a PDF. */
async function imagesPlaced(pdf: Uint8Array): Promise<string> {
  const made = await render(shareTemplate(documentOf(asUrl(pdf))), {});
  const text = Buffer.from(made.pdf).toString('latin1');
  return [...text.matchAll(/pixels of ([ABC])/g)].map(([, one]) => one).join('');
}

t.test('a page brings the images that it draws, not those of other pages', async (t) => {
  const plain = { content: '0 0 9 9 re f', hasResources: true };
  const others = ['9 0 0 9 0 0 cm /B Do', '9 0 0 9 0 0 cm /C#20c Do', '/F Do'];
  const placed = (first: string, form: Parameters<typeof sharedResources>[1] = plain) =>
    sharedResources([first, ...others], form).then(imagesPlaced);
  t.equal(await placed('9 0 0 9 0 0 cm /A Do'), 'AC', 'a name with an escape is kept');
  t.equal(await placed('9 0 0 9 0 0 cm /A\nDo /F Do'), 'AC');
  t.equal(await placed('9 0 0 9 0 0 cm /#42 Do'), 'ABC', 'B with an escape');
  const drawsB = { content: '9 0 0 9 0 0 cm /B Do', hasResources: false };
  t.equal(await placed('9 0 0 9 0 0 cm /A Do', drawsB), 'AC', 'the form is not drawn');
  t.equal(await placed('/A Do /F Do', drawsB), 'ABC', 'the form takes images of the page');
});

/** A pattern and a soft mask that draw an image. */
function paintWith(context: PDFContext, image: PDFRef): object {
  const draws = { BBox: [0, 0, 9, 9], Resources: { XObject: { I: image } } };
  const tiling = { PatternType: 1, PaintType: 1, TilingType: 1, XStep: 9, YStep: 9, ...draws };
  const group = { Type: 'XObject', Subtype: 'Form', ...draws, Group: { S: 'Transparency' } };
  const mask = context.register(context.stream('/I Do', group));
  return {
    Pattern: { P: context.register(context.stream('/I Do', tiling)) },
    ExtGState: { G: { SMask: { S: 'Luminosity', G: mask } } },
  };
}

t.test('a page brings the patterns and masks that it names, not those of others', async (t) => {
  const plain = { content: '', hasResources: true };
  const placed = (first: string) =>
    sharedResources([first, 'x'], plain, paintWith).then(imagesPlaced);
  t.equal(await placed('/A Do'), 'AC');
  t.equal(await placed('/A Do /Pattern cs /P scn 0 0 9 9 re f'), 'ACB');
  t.equal(await placed('/G gs /A Do'), 'ACB');
});

t.test('a document on a letterhead can be attached to another', async (t) => {
  const document = { pdfs: { p: asUrl(await pdfOf()) }, background: { pdf: 'p' }, content: 'x' };
  const template = shareTemplate(JSON.stringify({ templateId: 'p', document }));
  const { pdf } = await render(template, {});
  const merged = await render(template, {}, { attachments: [pdf] });
  t.equal(merged.pages, 2);
  const forms =
    Buffer.from(merged.pdf)
      .toString('latin1')
      .match(/\/Subtype\/Form/g) ?? [];
  t.equal(forms.length, 1, 'the file holds the letterhead once');
});
