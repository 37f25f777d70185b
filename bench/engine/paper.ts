import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanApart } from '../../src/workers/paper/apart.ts';
import type { Job, RenderJob } from '../../src/workers/job.ts';
import run from '../../src/workers/render.ts';
import { HOME } from '../harness/machine.ts';
import { SHAPES } from '../shapes/index.ts';
import type { Shape } from '../shapes/sheet.ts';
import { renderJob, shareTemplate } from './job.ts';

/**
 * Measures the receipt plain, on a letterhead and with barcodes, in turns in one process:
 * `node bench/engine/paper.ts [ROUNDS]`. Prints CPU time per document and its ratio to plain.
 */
const ROUNDS = Number(process.argv[2] ?? 15);
const DOCUMENTS = 200;
/** Distinct data sets, so that documents seldom share words and codes. */
const VARIANTS = 400;

const letterhead = readFileSync(join(HOME, 'test/fixtures/paper/writer-plain.pdf'));
const cleaning = await cleanApart(new Uint8Array(letterhead));
if (!cleaning.ok) throw new Error(cleaning.fault);
const url = `data:application/pdf;base64,${Buffer.from(cleaning.pdf).toString('base64')}`;

const receipt = SHAPES.A;
// A shape's template is a template file: its document is an object with a list as content.
const document = receipt.template['document'] as { readonly content: readonly unknown[] };

function variant(name: string, more: object, node: object | null): readonly [string, Shape] {
  const content = node === null ? document.content : [...document.content, node];
  const template = { ...receipt.template, document: { ...document, content, ...more } };
  return [name, { ...receipt, template }];
}

const shapes = [
  variant('A', {}, null),
  variant(
    'A on a letterhead',
    { pdfs: { letterhead: url }, background: { pdf: 'letterhead' } },
    null,
  ),
  variant('A with an EAN-13 of its own', {}, { barcode: 'ean13', data: '885123456789' }),
  variant('A with a Code 128 of its data', {}, { barcode: 'code128', data: '{{reference}}' }),
];
const lanes = shapes.map(([name, shape]) => {
  const template = shareTemplate(shape, 1);
  const jobs = Array.from({ length: VARIANTS }, (_, seed) =>
    renderJob(shape, shape.document(seed, { cold: false }), template, true),
  );
  return { name, jobs, times: [] as number[] };
});

async function batch(jobs: readonly RenderJob[], from: number): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < DOCUMENTS; index++) {
    const job: Job | undefined = jobs[(from + index) % jobs.length];
    if (job === undefined) throw new Error('no job');
    const result = await run(job);
    if (result === undefined || !('ok' in result) || !result.ok) throw new Error('not rendered');
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / DOCUMENTS;
}

for (let round = 0; round < ROUNDS + 3; round++) {
  for (const { jobs, times } of lanes) {
    const ms = await batch(jobs, round * DOCUMENTS);
    if (round >= 3) times.push(ms);
  }
}

const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
const plain = median(lanes[0]?.times ?? []);
for (const { name, times } of lanes) {
  const figures = [Math.min(...times), median(times), Math.max(...times)]
    .map((ms) => ms.toFixed(3))
    .join(' / ');
  const ratio = (median(times) / plain).toFixed(3);
  process.stdout.write(`${name.padEnd(32)} ${figures} ms CPU (min/median/max), ${ratio} of A\n`);
}
