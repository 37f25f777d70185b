import t from 'tap';
import { template, text } from '../layout/fixtures/nodes.ts';
import { loadFonts } from '../font/library.ts';
import type { LaidOutDocument, Page } from '../model/frame.ts';
import { TextItem } from '../model/frame.ts';
import { writeDocument } from './document.ts';
import { prepareFile } from './template-file.ts';
import { FileBuffers, PdfFile } from './file.ts';
import { reference } from './syntax.ts';

const compiled = template([text('x')]);
const file = prepareFile(compiled);

function write(document: Partial<LaidOutDocument>): Uint8Array {
  const whole: LaidOutDocument = {
    pages: [page()],
    destinations: [],
    outline: [],
    language: 'en',
    info: null,
    files: [],
    signature: null,
    overlay: () => [],
    ...document,
  };
  const rest = { attached: null, watermark: null, metadata: null, signatureBytes: null, atMs: 0 };
  return writeDocument({ template: compiled, file, document: whole, ...rest }).pdf.slice();
}

function page(body: Page['body'] = []): Page {
  return { widthPt: 100, heightPt: 100, body, links: [] };
}

t.test('the writer rejects what layout must never give it', async (t) => {
  t.ok(write({}).length > 0);
  t.throws(() => write({ pages: [] }), /has a page/);
  t.throws(() => write({ pages: [{ ...page(), heightPt: Number.NaN }] }), /has a size/);
  const stack = loadFonts(null).library.stack('Sarabun', false, false);
  const style = { stack, sizePt: 9, color: 0, opacity: 1, characterSpacingPt: 0 };
  const lost = new TextItem(style, Number.NaN, 5, [stack.shape('x')], null);
  t.throws(() => write({ pages: [page([lost])] }), { name: 'AssertionError' });
  const nowhere = { name: 'a', pageIndex: 1, x: 0, y: 0 };
  t.throws(() => write({ destinations: [nowhere] }), /no entry 1 in a list of 1/);
});

t.test('no file refers to object 0, or to one that was not written', async (t) => {
  t.throws(() => reference(0), RangeError);
  t.throws(() => reference(Number.NaN), RangeError);
  const begun = PdfFile.begin(new FileBuffers(64), true);
  const catalog = begun.add('<<>>');
  t.throws(() => begun.finish(catalog + 1, catalog, 0), /catalog/);
  begun.reserve();
  t.throws(() => begun.finish(catalog, catalog, 0), /reserved and not written/);
});
