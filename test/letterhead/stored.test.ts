import { PDFDocument, PDFString } from '@cantoo/pdf-lib';
import t from 'tap';

import { createEngine, type CheckResult } from '#engine';
import run from '../../src/workers/render.ts';
import { shareTemplate } from '../../lab/render.ts';

/** What a draft stores in the place of the PDFs that it was sent. */

const HARMLESS = 'https://bank.example/terms-and-conditions';
const HARMFUL = 'file:///c:/windows/system32/calculator/ex'.slice(0, HARMLESS.length);
const PREFIX = 'data:application/pdf;base64,';

const hexOf = (text: string): string => Buffer.from(text, 'latin1').toString('hex');

/** A PDF that bears the mark of a cleaned one, with a link that cleaning would have left out. */
async function forged(): Promise<Buffer> {
  const document = await PDFDocument.create();
  const page = document.addPage([300, 200]);
  const { context } = document;
  const action = { Type: 'Action', S: 'URI', URI: PDFString.of(HARMLESS) };
  const link = { Type: 'Annot', Subtype: 'Link', Rect: [0, 0, 90, 90], A: action };
  page.node.addAnnot(context.register(context.obj(link)));
  const cleaning = await createEngine().cleanPdf(await document.save());
  if (!cleaning.ok) throw new Error(cleaning.fault);
  const text = Buffer.from(cleaning.pdf).toString('latin1');
  if (!text.includes(hexOf(HARMLESS))) throw new Error('the cleaned file keeps its link');
  return Buffer.from(text.replaceAll(hexOf(HARMLESS), hexOf(HARMFUL)), 'latin1');
}

async function check(source: string): Promise<CheckResult> {
  const template = shareTemplate(source);
  const result = await run({ kind: 'check', template, renderSamples: false, atMs: 0 });
  if (result === undefined || !('findings' in result)) throw new Error('a check gives findings');
  return result;
}

/** The PDFs that a draft of this text stores. */
async function storedPdfs(source: string): Promise<string[]> {
  const checked = await check(source);
  const stored = checked.source === undefined ? source : new TextDecoder().decode(checked.source);
  const { document } = JSON.parse(stored) as { document: { pdfs: Record<string, string> } };
  return Object.values(document.pdfs).map((url) =>
    Buffer.from(url.slice(PREFIX.length), 'base64').toString('latin1'),
  );
}

const url = PREFIX + (await forged()).toString('base64');
const draftOf = (...pdfs: readonly string[]): string => {
  const named = pdfs.map((pdf, index) => `"p${index}": "${pdf}"`).join(', ');
  const placed = pdfs.map((_, index) => `{"pdf": "p${index}"}`).join(', ');
  return `{"templateId": "p", "name": "p", "fields": [], "document": {"pdfs": {${named}}, "content": [${placed}]}}`;
};

const SENT: Readonly<Record<string, string>> = {
  plain: draftOf(url),
  'with escaped slashes, as PHP writes': draftOf(url.replaceAll('/', String.raw`\/`)),
  'with a character as a number': draftOf(url.replace('d', String.raw`\u0064`)),
  twice: draftOf(url, url),
  'twice, in two spellings': draftOf(url, url.replaceAll('/', String.raw`\/`)),
};

t.test('no draft stores a PDF as it was sent, however its JSON is written', async (t) => {
  for (const [name, source] of Object.entries(SENT)) {
    for (const pdf of await storedPdfs(source)) {
      t.notOk(pdf.includes(hexOf(HARMFUL)), name);
    }
  }
});

t.test('what is stored is not cleaned again', async (t) => {
  const { source } = await check(draftOf(url));
  t.ok(source);
  const again = await check(new TextDecoder().decode(source));
  t.equal(again.source, undefined);
});
