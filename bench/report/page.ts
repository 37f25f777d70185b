import { readFileSync } from 'node:fs';
import { unreadable } from '../../src/commands/console/failure.ts';
import { median } from '../../lab/stats.ts';
import type { HttpFigure } from '../http/figures.ts';
import { nearName } from '../arguments.ts';
import { judgeGoals } from '../http/goals.ts';
import { summarizeSoak } from '../http/soak.ts';
import { SHAPE_NAMES } from '../../lab/shapes/sheet.ts';
import type { ShapeName } from '../../lab/shapes/sheet.ts';
import { PARTS } from '../suites/profile.ts';
import { TABLE_NAMES, type Report, type TableName } from './report.ts';
import { figure, offerCell, range, ratioRange, roundsCell, stringsCell } from './table.ts';

/**
 * The tables of docs/performance.md. Each stands between two comments; a run replaces those that it
 * has figures for, with the machine and commit they were measured on, and leaves the others:
 *
 *     <!-- figures: http -->
 *     …
 *     <!-- /figures -->
 */
const BLOCK = /<!-- figures: (\w+) -->\n[\s\S]*?<!-- \/figures -->/g;

type Rows = readonly (readonly string[])[];
type Block = (report: Report) => readonly [head: readonly string[], rows: Rows] | null;

const BLOCKS: Readonly<Record<string, Block>> = {
  engine: engineBlock,
  first: firstBlock,
  rows: rowsBlock,
  pool: poolBlock,
  http: httpBlock,
  gateway: gatewayBlock,
  soak: soakBlock,
  services: servicesBlock,
  micro: microBlock,
  profile: profileBlock,
  ...Object.fromEntries(TABLE_NAMES.map((name) => [name, namedBlock(name)])),
};

/** The table of this name that a bench made itself. */
function namedBlock(name: TableName): Block {
  return ({ tables }) => {
    const made = tables.find((one) => one.name === name);
    return made === undefined ? null : [made.head, made.rows];
  };
}

/**
 * The message why a run cannot write its tables into this page; null if it can. Called before
 * anything is measured.
 */
export function pageFault(path: string): string | null {
  let page: string;
  try {
    page = readFileSync(path, 'utf8');
  } catch (error) {
    return `--page: ${unreadable(path, error).message}; it takes ${PAGES}`;
  }
  const names = Array.from(page.matchAll(BLOCK), ([, name = '']) => name);
  if (names.length === 0) return `--page ${path}: it has no table of the bench; it takes ${PAGES}`;
  const unknown = names.find((name) => !Object.hasOwn(BLOCKS, name));
  if (unknown === undefined) return null;
  const known = Object.keys(BLOCKS);
  const near = nearName(unknown, known) || `: one of ${known.join(', ')}`;
  return `--page ${path}: no table of the bench is called ${unknown}${near}`;
}

const PAGES = 'a Markdown page that has the tables already, such as docs/performance.md';

/** The page with this report's tables in their places. Throws on an unknown table name. */
export function fillPage(page: string, report: Report): string {
  return page.replaceAll(BLOCK, (whole, name: string) => {
    const block = BLOCKS[name];
    if (block === undefined) throw new Error(`no table of the bench is called ${name}`);
    const made = block(report);
    if (made === null || made[1].length === 0) return whole;
    const [head, rows] = made;
    const parts = [`<!-- figures: ${name} -->`, provenance(report), table(head, rows)];
    return `${parts.join('\n\n')}\n\n<!-- /figures -->`;
  });
}

function provenance({ machine, peersLeftOut }: Report): string {
  const { commit, modified, at, cpu, cores, memoryGb, node, loadBefore } = machine;
  const left = peersLeftOut.map(({ peer }) => peer).join(', ');
  return (
    `Commit ${commit}${modified ? ' (modified)' : ''}, ${at.slice(0, 10)}: ${cpu}, ${cores} cores, ` +
    `${memoryGb} GB, Node ${node.slice(1)}, load average ${loadBefore.toFixed(1)} before.` +
    (left === '' ? '' : ` Left out: ${left}.`)
  );
}

function line(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function table(head: readonly string[], rows: Rows): string {
  const rule = head.map((_, i) => (i === 0 ? '---' : '--:'));
  return [head, rule, ...rows].map(line).join('\n');
}

/** A row for each subject, three columns for each shape. */
function engineBlock({ drawings }: Report): ReturnType<Block> {
  const shapes = SHAPE_NAMES.filter((name) => drawings.some(({ shape }) => shape === name));
  const subjects = new Set(drawings.map(({ subject }) => subject));
  const head = ['subject', 'strings found'].concat(
    shapes.flatMap((shape) => [`${shape} ms`, `${shape} ×`, `${shape} bytes`]),
  );
  const rows = [...subjects].map((subject) => {
    const found = (shape: ShapeName): (typeof drawings)[number] | undefined =>
      drawings.find((drawing) => drawing.subject === subject && drawing.shape === shape);
    const cells = shapes.flatMap((shape) => {
      const drawing = found(shape);
      if (drawing === undefined) return ['–', '–', '–'];
      const { cpuMs, ratio, bytes } = drawing;
      return [range(cpuMs), figure(ratio.median), bytes.toLocaleString('en')];
    });
    const checks = shapes.flatMap((shape) => found(shape)?.check ?? []);
    const strings = checks.map(stringsCell);
    return [subject, strings.join(', '), ...cells];
  });
  return [head, rows];
}

function firstBlock({ firsts }: Report): ReturnType<Block> {
  const head = ['shape', 'first of a process, wall ms', 'first of a template, wall ms'];
  return [head, firsts.map((row) => [row.shape, range(row.processMs), range(row.templateMs)])];
}

function rowsBlock({ rows }: Report): ReturnType<Block> {
  const head = ['rows of B', ...rows.map((cost) => String(cost.rows))];
  const cells = ['µs a row', ...rows.map(({ perRowUs }) => figure(perRowUs))];
  return [head, rows.length === 0 ? [] : [cells]];
}

function poolBlock({ pool }: Report): ReturnType<Block> {
  const head = ['shape, threads, cores', 'documents/s', 'over one core', 'over one thread'];
  const rows = pool.map((rate) => [
    `${rate.shape}, ${rate.threads}, ${rate.cores}`,
    range(rate.documentsPerSecond),
    figure(rate.overOneCore.median),
    figure(rate.overOneThread.median),
  ]);
  return [head, rows];
}

function percent(http: HttpFigure): string {
  if (http.ofPeak === null) return '–';
  return `${roundsCell(http, ({ ofPeak }) => (ofPeak === null ? null : 100 * ofPeak))} %`;
}

function goals(http: HttpFigure): string {
  const verdicts = judgeGoals(http);
  if (verdicts.length === 0) return '–';
  return verdicts.map(({ words, isMet }) => `${words}: ${isMet ? 'met' : '**missed**'}`).join(', ');
}

function httpBlock({ http }: Report): ReturnType<Block> {
  const head = ['load', 'documents/s', 'of the peak', 'goals', 'p50 ms', 'p99 ms'].concat([
    'refusal p50 ms',
    'offered by',
    'CPU ms a request',
    'generator cores',
    'p99 × beside others',
  ]);
  const rows = http.map((load) => [
    `**${load.name}**: ${load.load}`,
    roundsCell(load, ({ documentsPerSecond }) => documentsPerSecond),
    percent(load),
    goals(load),
    figure(load.p50Ms),
    roundsCell(load, ({ p99Ms }) => p99Ms),
    load.refusalP50Ms === null ? '–' : figure(load.refusalP50Ms),
    offerCell(load),
    load.cpuMsPerRequest === null ? '–' : figure(load.cpuMsPerRequest),
    figure(load.generatorCores),
    load.company === null ? '–' : figure(load.company.p99Ratio),
  ]);
  return [head, rows];
}

function gatewayBlock({ gateway }: Report): ReturnType<Block> {
  const head = ['CPU ms of a receipt', 'through the pool', 'over HTTP', 'added by HTTP'];
  const rows = gateway.map(({ poolCpuMs, serviceCpuMs, addedCpuMs }) => [
    `${addedCpuMs.rounds} turns`,
    range(poolCpuMs),
    range(serviceCpuMs),
    range(addedCpuMs),
  ]);
  return [head, rows];
}

function soakBlock({ soak }: Report): ReturnType<Block> {
  const summary = summarizeSoak(soak);
  if (summary === null) return null;
  const { early, last, rssRatio, errors } = summary;
  const head = ['documents', 'documents/s', 'MB at the end', 'over the first tenth'].concat([
    'descriptors',
    'processes',
    'errors',
  ]);
  const cells = [
    last.documents.toLocaleString('en'),
    figure(median(soak.map(({ documentsPerSecond }) => documentsPerSecond))),
    figure(last.rssMb),
    figure(rssRatio),
    `${early.descriptors} → ${last.descriptors}`,
    `${early.children} → ${last.children}`,
    String(errors),
  ];
  return [head, [cells]];
}

function servicesBlock({ services }: Report): ReturnType<Block> {
  const [a, b] = services[0]?.commits ?? ['A', 'B'];
  const head = ['load', `documents/s ${a}`, b, 'ratio'].concat(
    ['CPU ms a request', b, 'ratio'],
    ['p99 ms', b, 'ratio'],
  );
  const rows = services.map(({ name, documentsPerSecond, cpuMsPerRequest, p99Ms }) => [
    name,
    ...[documentsPerSecond, cpuMsPerRequest, p99Ms].flatMap((pair) => [
      figure(pair.a.median),
      figure(pair.b.median),
      ratioRange(pair.ratio),
    ]),
  ]);
  return [head, rows];
}

function profileBlock({ profiles }: Report): ReturnType<Block> {
  const shareOf = (part: string): string[] =>
    profiles.map(({ parts }) => {
      const found = parts.find((each) => each.part === part);
      return ((found?.share ?? 0) * 100).toFixed(0);
    });
  const head = ['part', ...profiles.map(({ shape }) => `${shape} %`)];
  return [head, profiles.length === 0 ? [] : PARTS.map((part) => [part, ...shareOf(part)])];
}

function microBlock({ micro }: Report): ReturnType<Block> {
  const head = ['function', 'µs (min–max)'];
  return [head, micro.map((row) => [`${row.file}: ${row.name}`, range({ ...row, rounds: 1 })])];
}
