import t from 'tap';
import { loadFonts } from '../font/library.ts';
import type { FontLibrary } from '../font/font.ts';
import { compileTemplate } from '../template/compile.ts';
import { layoutDocument } from '../layout/layout.ts';
import { writeDocument } from './document.ts';
import { prepareFile } from './template-file.ts';
import { plainSurroundings } from '../template/fixtures.ts';

const RED =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';
const NOBODY = { attached: null, watermark: null, metadata: null, signatureBytes: null, atMs: 0 };

async function compile(fonts: FontLibrary, text: string, more: object = {}) {
  const content = [text, '{{free}}'];
  const fields = [{ name: 'free', type: 'text' }];
  const file = { templateId: 'x', language: 'th', fields, document: { content, ...more } };
  const source = new TextEncoder().encode(JSON.stringify(file));
  const { template, findings } = await compileTemplate(
    source,
    { hash: text },
    plainSurroundings(fonts),
  );
  if (template === null) throw new Error(JSON.stringify(findings));
  return template;
}

async function write(fonts: FontLibrary, text: string): Promise<Uint8Array> {
  const template = await compile(fonts, text);
  const file = prepareFile(template);
  // The field is optional and has no value.
  const laidOut = layoutDocument(template, [null], [], null);
  if (!laidOut.ok) throw new Error(laidOut.message);
  return writeDocument({ template, file, document: laidOut.value, ...NOBODY }).pdf.slice();
}

t.test('a draft whose texts change keeps the file of its fonts and images', async (t) => {
  const { library } = loadFonts(null);
  const file = prepareFile(await compile(library, 'ใบเสร็จ Receipt'));
  t.equal(prepareFile(await compile(library, 'ใบเสร็จรับเงิน Receipts')), file, 'other words');
  t.not(prepareFile(await compile(library, 'ใบเสร็จ Receipt ๛')), file, 'a rare letter');
  t.not(prepareFile(await compile(library, 'ใบเสร็จ Receipt', { compress: false })), file);
  const images = { a: `data:image/png;base64,${RED}` };
  const content = ['ใบเสร็จ Receipt', '{{free}}', { image: 'a' }];
  t.not(prepareFile(await compile(library, '', { content, images })), file, 'an image');
  const bold = { content: [{ text: 'ใบเสร็จ Receipt', bold: true }, '{{free}}'] };
  t.not(prepareFile(await compile(library, '', bold)), file, 'another face');
});

t.test('a document is the same after a draft that shared its file', async (t) => {
  const fresh = loadFonts(null).library;
  const used = loadFonts(null).library;
  t.not(fresh, used, 'the first has painted nothing');
  await write(used, 'น้ำใจ Receipt of ป่ากล้วยไม้ AV');
  await write(used, 'น้ำใจ Receipt of ป่ากล้วยไม้ AV');
  t.same(
    await write(used, 'ป่ากล้วยไม้ Receipt น้ำใจ VA'),
    await write(fresh, 'ป่ากล้วยไม้ Receipt น้ำใจ VA'),
  );
});
