import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine, type Job, type RenderJob } from '#engine';
import run from '../../src/workers/render.ts';
import { HOME } from '../../lab/home.ts';
import { median, spread } from '../../lab/stats.ts';
import { SHAPES } from '../../lab/shapes/index.ts';
import type { Shape } from '../../lab/shapes/sheet.ts';
import { renderJob, shareTemplate } from '../../lab/shapes/job.ts';

/**
 * Measures the receipt plain, on a letterhead and with barcodes, in turns in one process:
 * `node bench/engine/letterhead.ts [ROUNDS]`. Prints CPU time per document and its ratio to plain.
 */
const ROUNDS = Number(process.argv[2] ?? 15);
const WARM_ROUNDS = 3;
/** Documents of each variant in a round. */
const DOCUMENTS = 200;
/** Distinct data sets, so that documents seldom share words and codes. */
const VARIANTS = 400;

const letterhead = readFileSync(join(HOME, 'test/fixtures/letterhead/writer-plain.pdf'));
const cleaning = await createEngine().cleanPdf(new Uint8Array(letterhead));
if (!cleaning.ok) throw new Error(cleaning.fault);
const url = `data:application/pdf;base64,${Buffer.from(cleaning.pdf).toString('base64')}`;

const receipt = SHAPES.A;
// A shape's template is a template file: its document is an object with a list as content.
const document = receipt.template['document'] as { readonly content: readonly unknown[] };

interface Variant {
  readonly name: string;
  readonly shape: Shape;
}

/** The receipt with more keys in its `document`, and a node after its content. */
function variant(name: string, keys: object, node: object | null): Variant {
  const content = node === null ? document.content : [...document.content, node];
  const template = { ...receipt.template, document: { ...document, content, ...keys } };
  return { name, shape: { ...receipt, template } };
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
const lanes = shapes.map(({ name, shape }) => {
  const template = shareTemplate(shape, 1);
  const jobs = Array.from({ length: VARIANTS }, (_, seed) =>
    renderJob(shape, shape.document(seed, { cold: false }), template, true),
  );
  return { name, jobs, cpuMs: [] as number[] };
});

/** CPU ms a document of the jobs of one round. */
async function drawRound(jobs: readonly RenderJob[], round: number): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < DOCUMENTS; index++) {
    const job: Job | undefined = jobs[(round * DOCUMENTS + index) % jobs.length];
    if (job === undefined) throw new Error('no job');
    const result = await run(job);
    if (result === undefined || !('ok' in result) || !result.ok) throw new Error('not rendered');
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / DOCUMENTS;
}

for (let round = 0; round < WARM_ROUNDS + ROUNDS; round++) {
  for (const { jobs, cpuMs } of lanes) {
    const ms = await drawRound(jobs, round);
    if (round >= WARM_ROUNDS) cpuMs.push(ms);
  }
}

const plainMs = median(lanes[0]?.cpuMs ?? []);
for (const { name, cpuMs } of lanes) {
  const { min, median: middle, max } = spread(cpuMs);
  const figures = [min, middle, max].map((ms) => ms.toFixed(3)).join(' / ');
  const ratio = (middle / plainMs).toFixed(3);
  process.stdout.write(`${name.padEnd(32)} ${figures} ms CPU (min/median/max), ${ratio} of A\n`);
}
