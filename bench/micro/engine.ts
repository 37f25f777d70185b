import { parseArgs } from 'node:util';
import { deflateSync } from 'node:zlib';
import { measure } from 'mitata';
import { loadFonts } from '../../src/engine/font/library.ts';
import { layoutDocument } from '../../src/engine/layout/layout.ts';
import { findBreaks } from '../../src/engine/layout/text/break.ts';
import { Deflater } from '../../src/engine/pdf/deflate/deflater.ts';
import { writeDocument } from '../../src/engine/pdf/document.ts';
import { prepareFile } from '../../src/engine/pdf/template-file.ts';
import { compileTemplate } from '../../src/engine/template/compile.ts';
import { renderJob, shareTemplate } from '../../lab/shapes/job.ts';
import { printMachine, printRange } from '../harness/micro.ts';
import { SHAPES } from '../../lab/shapes/index.ts';
import { seededRandom } from '../../lab/random.ts';
import type { Shape } from '../../lab/shapes/sheet.ts';
import { PRODUCTS, vocabulary } from '../../lab/shapes/words.ts';
import { plainSurroundings } from '../../src/engine/template/fixtures.ts';

/**
 * Measures each stage of a document and the functions that take most of its time. Run:
 * `node bench/micro/engine.ts [--runs 7]`; one run is a smoke test. The columns "min" and "max" are
 * the quartiles of the samples. To get the cost of a new word, subtract the line "make up such a
 * word" from the line above it.
 */
const { values } = parseArgs({ options: { runs: { type: 'string', default: '7' } } });
const isSmoke = Number(values.runs) === 1;
/** How long mitata samples each line, in ns. */
const EFFORT = isSmoke ? { min_cpu_time: 1e6, min_samples: 2 } : { min_cpu_time: 300e6 };
const NS_PER_US = 1_000;

async function report(name: string, call: () => unknown): Promise<void> {
  const { p25, p50, p75 } = await measure(call, EFFORT);
  printRange(name, [p25 / NS_PER_US, p50 / NS_PER_US, p75 / NS_PER_US]);
}

printMachine();
const fonts = loadFonts(null).library;
const stack = fonts.stack('Sarabun', false, false);

const PHRASE = 'ค่าธรรมเนียมจัดการสินเชื่อและค่าบริการทำรายการข้ามเขตที่ลูกค้าต้องชำระ';
await report('shape a phrase of 71 characters, cached', () => stack.shape(PHRASE));
const random = seededRandom(1);
const cold = vocabulary(random, true);
await report('shape a Thai word never seen', () => stack.shape(cold.word(PRODUCTS)));
await report('make up such a word (included in the line above)', () => cold.word(PRODUCTS));
let amount = 0;
await report('shape an amount never seen', () => stack.shape(`${amount++},250.50`));

await report('line breaks of the same phrase', () => findBreaks(PHRASE));

/** Text like a page's content stream: positions and strings, which deflate to about a fifth. */
function contentLike(bytes: number): Buffer {
  let text = '';
  for (let i = 0; text.length < bytes; i++) {
    text += `1 0 0 1 ${40 + random.below(400)} ${i % 800} Tm(${random.digits(6)}.00)Tj\n`;
  }
  return Buffer.from(text.slice(0, bytes), 'latin1');
}

const deflater = new Deflater();
for (const [size, label] of [
  [6_000, '6 KB'],
  [39_000, '39 KB'],
] as const) {
  const content = contentLike(size);
  await report(`deflate ${label}`, () => deflater.deflate(content));
  await report(`deflate ${label}, zlib, level 1`, () => deflateSync(content, { level: 1 }));
}

async function reportStages(shape: Shape): Promise<void> {
  const shared = shareTemplate(shape, 1);
  const source = new Uint8Array(shared.source).slice();
  const { template, findings } = await compileTemplate(source, shared, plainSurroundings(fonts));
  if (template === null) throw new Error(findings[0]?.message ?? 'the template has a fault');
  const file = prepareFile(template);
  const job = renderJob(shape, shape.document(1, { cold: false }), shared, false);
  const data = job.body.subarray(job.dataStart, job.dataEnd);
  const checked = await template.contract.check(data);
  if (!checked.ok) throw new Error(checked.message);
  const laidOut = layoutDocument(template, checked.value);
  if (!laidOut.ok) throw new Error(laidOut.message);
  const label = `${shape.name}, one document over and over:`;
  await report(`${label} contract`, () => template.contract.check(data));
  await report(`${label} layout`, () => layoutDocument(template, checked.value));
  const request = { template, file, document: laidOut.value };
  const options = {
    attached: null,
    watermark: null,
    metadata: null,
    signatureBytes: null,
    atMs: job.atMs,
  };
  await report(`${label} PDF`, () => writeDocument({ ...request, ...options }));
}

await reportStages(SHAPES.A);
await reportStages(SHAPES.C);
if (!isSmoke) await reportStages(SHAPES.B);
