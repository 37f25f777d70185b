import { parseArgs } from 'node:util';
import type { RenderJob } from '#engine';
import { renderJob, shareTemplate } from '../../lab/shapes/job.ts';
import { nestedStatement } from '../../lab/shapes/nested.ts';
import type { NumberForm } from '../../lab/shapes/nested.ts';
import type { Shape } from '../../lab/shapes/sheet.ts';
import { STATEMENT } from '../../lab/shapes/statement.ts';
import run from '../../src/workers/render.ts';
import { printMachine, quartilesOf, printRange } from '../harness/micro.ts';

/**
 * Compares two forms of the data of shape B, in turns: a list inside a list, with dates and numbers
 * as programs send them, and shape B's own table of ready strings. Both give the same document; the
 * script checks that. Run: `node bench/micro/nested.ts [--runs 7]`; a run has 12 turns. The columns
 * "min" and "max" are quartiles. When it is run by itself, the script also prints quartiles and
 * median of the ratio of both forms in each turn, on which a busy machine has little influence.
 */
const { values } = parseArgs({ options: { runs: { type: 'string', default: '7' } } });
const RUNS = Number(values.runs);
const isSmoke = RUNS === 1;
const TURNS = isSmoke ? 2 : RUNS * 12;
const ROWS = isSmoke ? 50 : 2_000;
/** Documents of one turn: about 50 ms. */
const DOCUMENTS = 4;

type Draw = (seed: number) => RenderJob;

function drawn(shape: Shape): Draw {
  const template = shareTemplate(shape, 1);
  return (seed) => {
    const document = shape.document(seed, { cold: false, rows: ROWS });
    return renderJob(shape, document, template, false);
  };
}

async function pdfOf(job: RenderJob): Promise<Uint8Array> {
  const result = await run(job);
  if (result === undefined || !('ok' in result)) throw new Error('nothing was rendered');
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`);
  return result.value.pdf;
}

/** CPU µs of a document with each of these seeds. */
async function turn(draw: Draw, firstSeed: number): Promise<number> {
  const jobs = Array.from({ length: DOCUMENTS }, (_, index) => draw(firstSeed + index));
  // Collect the garbage of the jobs now, so that it does not count as drawing.
  if (globalThis.gc !== undefined) globalThis.gc({ type: 'minor', execution: 'sync' });
  const before = process.cpuUsage();
  for (const job of jobs) await pdfOf(job);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / DOCUMENTS;
}

const FLAT = drawn(STATEMENT);
const FORMS: readonly [NumberForm, string][] = [
  ['text', 'amounts in quotes'],
  ['number', 'amounts as JSON numbers'],
  ['number as written', 'amounts as JSON numbers with two decimals'],
];

printMachine(`, ${TURNS} turns`);
for (const [form, label] of FORMS) {
  const nested = drawn(nestedStatement(form));
  const [one, other] = [await pdfOf(FLAT(1)), await pdfOf(nested(1))];
  if (Buffer.compare(one, other) !== 0) throw new Error(`${label}: another document`);
  const flat: number[] = [];
  const deep: number[] = [];
  const ratios: number[] = [];
  for (let index = -2; index < TURNS; index++) {
    const seed = 10 + index * DOCUMENTS;
    // Each form goes first equally often.
    const isFlatFirst = index % 2 === 0;
    const first = await turn(isFlatFirst ? FLAT : nested, seed);
    const second = await turn(isFlatFirst ? nested : FLAT, seed);
    const [us, nestedUs] = isFlatFirst ? [first, second] : [second, first];
    // The first two turns are warm-up.
    if (index < 0) continue;
    flat.push(us);
    deep.push(nestedUs);
    ratios.push(nestedUs / us);
  }
  printRange('a table of ready strings', quartilesOf(flat));
  printRange(`nested lists, ${label}`, quartilesOf(deep));
  const [low, middle, high] = quartilesOf(ratios).map((ratio) => ratio.toFixed(3));
  console.log(`${label}: ratio of a turn ${low} ${middle} ${high}`);
}
