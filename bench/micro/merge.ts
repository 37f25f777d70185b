import { parseArgs } from 'node:util';
import { loadFonts } from '../../src/engine/font/library.ts';
import { layoutDocument } from '../../src/engine/layout/layout.ts';
import { writeDocument } from '../../src/engine/pdf/document.ts';
import { prepareFile } from '../../src/engine/pdf/template-file.ts';
import { readAttachments } from '../../src/engine/merge/merge.ts';
import { compileTemplate } from '../../src/engine/template/compile.ts';
import { shareTemplate } from '../../lab/shapes/job.ts';
import { printMachine, printRange, quartilesOf } from '../harness/micro.ts';
import type { Shape } from '../../lab/shapes/sheet.ts';
import { CONTRACT } from '../../lab/shapes/contract.ts';
import { plainSurroundings } from '../../src/engine/template/fixtures.ts';

/**
 * Cost of merging a stored document of two pages after a new one of two pages, on top of the render:
 * `node bench/micro/merge.ts [--runs 7]`; one run is a smoke test. Each sample writes the new
 * document without and with the attachment, one right after the other.
 */
const { values } = parseArgs({ options: { runs: { type: 'string', default: '7' } } });
const isSmoke = Number(values.runs) === 1;
const SAMPLES = isSmoke ? 10 : 2_000;
const WARM_UP = isSmoke ? 2 : 500;
const AT_MS = Date.UTC(2026, 10, 21, 3, 0, 0);

printMachine();
const fonts = loadFonts(null).library;

/** Text in the contract's two languages; a document of it has two numbered pages. */
const PARAGRAPH =
  'ผู้กู้ตกลงชำระค่าธรรมเนียมและดอกเบี้ยตามสัญญานี้ {{name}} and the lender accepts the terms. ';
const TEMPLATE: Shape['template'] = {
  ...CONTRACT.template,
  templateId: 'merge',
  fields: [{ name: 'name', type: 'text', required: true }],
  document: {
    footer: { text: 'หน้า {{page}} จาก {{pages}}', alignment: 'center' },
    content: [
      { text: PARAGRAPH.repeat(20) },
      { text: PARAGRAPH.repeat(20), pageBreak: 'before', outline: true, outlineText: 'two' },
    ],
  },
  samples: [],
};

/** A function that writes the two pages of a document for `name`, and stored documents after them. */
async function writerOf(name: string) {
  const shared = shareTemplate({ ...CONTRACT, template: TEMPLATE }, 1);
  const source = new Uint8Array(shared.source).slice();
  const { template, findings } = await compileTemplate(source, shared, plainSurroundings(fonts));
  if (template === null) throw new Error(findings[0]?.message ?? 'the template has a fault');
  const file = prepareFile(template);
  const checked = await template.contract.check(Buffer.from(JSON.stringify({ name })));
  if (!checked.ok) throw new Error(checked.message);
  const laidOut = layoutDocument(template, checked.value);
  if (!laidOut.ok) throw new Error(laidOut.message);
  const request = { template, file, document: laidOut.value };
  const options = { watermark: null, metadata: null, signatureBytes: null, atMs: AT_MS };
  return (stored: readonly Uint8Array[]): { pdf: Uint8Array; pages: number } => {
    if (stored.length === 0) return writeDocument({ ...request, ...options, attached: null });
    const attached = readAttachments(stored);
    if (!attached.ok) throw new Error(attached.message);
    return writeDocument({ ...request, ...options, attached: attached.value });
  };
}

/** Wall time of a call that only computes; its lower quartile is near the CPU time. */
function timeUs(call: () => unknown): number {
  const startMs = performance.now();
  call();
  return (performance.now() - startMs) * 1000;
}

// A copy: the next document overwrites the bytes of this one.
const stored = (await writerOf('บริษัท ตัวอย่าง จำกัด'))([]).pdf.slice();
const write = await writerOf('Example Company');
const { pages } = write([stored]);
if (pages !== 4) throw new Error(`${pages} pages, not 2 + 2`);
const alone: number[] = [];
const added: number[] = [];
for (let sample = -WARM_UP; sample < SAMPLES; sample++) {
  const plainUs = timeUs(() => write([]));
  const mergedUs = timeUs(() => write([stored]));
  if (sample < 0) continue;
  alone.push(plainUs);
  added.push(Math.max(0, mergedUs - plainUs));
}
printRange('PDF of two pages', quartilesOf(alone));
printRange('merging two stored pages after them, added', quartilesOf(added));
