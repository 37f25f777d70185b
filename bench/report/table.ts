import type { Spread } from '../harness/stats.ts';
import { spread } from '../harness/stats.ts';
import type { Pair } from '../http/compare.ts';
import type { HttpFigure } from '../http/figures.ts';
import { judgeGoals } from '../http/goals.ts';
import { summarizeSoak } from '../http/soak.ts';
import type { Report } from './report.ts';

/** A table as rows of cells; the first row is the head, the first column text. */
export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Three significant digits. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toPrecision(3);
}

/** The median, and in brackets the least and the greatest. */
export function range({ min, median, max }: Spread): string {
  return `${figure(median)} (${figure(min)}–${figure(max)})`;
}

function drawingsTable(report: Report): Table {
  return {
    title: 'Documents on one core: CPU ms per document, median (min–max)',
    head: ['shape', 'subject', 'words', 'CPU ms', 'ratio', 'docs/s', 'pages/s', 'bytes'].concat([
      'pages',
      'strings',
      'valid',
      'RSS MB',
      'rounds × docs',
    ]),
    rows: report.drawings.map((drawing) => [
      drawing.shape + (drawing.rows === null ? '' : ` (${drawing.rows} rows)`),
      `${drawing.subject} ${drawing.version}`,
      drawing.words,
      range(drawing.cpuMs),
      `${figure(drawing.ratio.median)}×`,
      figure(1000 / drawing.cpuMs.median),
      figure((1000 * drawing.check.pages) / drawing.cpuMs.median),
      drawing.bytes.toLocaleString('en'),
      String(drawing.check.pages),
      `${drawing.check.stringsFound}/${drawing.check.strings}`,
      drawing.check.valid === null ? '?' : drawing.check.valid ? 'yes' : 'NO',
      String(drawing.rssMb),
      `${drawing.cpuMs.rounds} × ${drawing.documentsPerRound}`,
    ]),
  };
}

function firstsTable(report: Report): Table {
  return {
    title: 'First documents: wall ms',
    head: ['shape', 'process ready', 'first of the process', 'first of a template'],
    rows: report.firsts.map(({ shape, readyMs, processMs, templateMs }) => [
      shape,
      range(readyMs),
      range(processMs),
      range(templateMs),
    ]),
  };
}

function rowsTable(report: Report): Table {
  return {
    title: 'Cost over the length of a table',
    head: ['rows', 'CPU ms', 'µs per row'],
    rows: report.rows.map(({ rows, cpuMs, perRowUs }) => [
      String(rows),
      range(cpuMs),
      figure(perRowUs),
    ]),
  };
}

function poolTable(report: Report): Table {
  return {
    title: 'Pool without HTTP',
    head: [
      'shape',
      'threads',
      'cores',
      'docs/s',
      'over one on one core',
      'over one on all',
      'CPU ms per document',
      'RSS MB',
    ],
    rows: report.pool.map((rate) => [
      rate.shape,
      String(rate.threads),
      rate.cores,
      range(rate.documentsPerSecond),
      `${figure(rate.overOneCore.median)}×`,
      `${figure(rate.overOneThread.median)}×`,
      range(rate.cpuMsPerDocument),
      String(rate.rssMb),
    ]),
  };
}

function microTable(report: Report): Table {
  return {
    title: 'Single functions: µs per call',
    head: ['bench', 'min', 'median', 'max'],
    rows: report.micro.map(({ file, name, min, median, max }) => [
      `${file}: ${name}`,
      figure(min),
      figure(median),
      figure(max),
    ]),
  };
}

/** Median and range over the rounds; '–' where no round has the figure. */
export function roundsCell(
  { each }: HttpFigure,
  pick: (round: HttpFigure) => number | null | undefined,
): string {
  const values = each.map(pick).filter((value) => value !== null && value !== undefined);
  const [only] = values;
  if (only === undefined) return '–';
  return values.length === 1 ? figure(only) : range(spread(values));
}

function peakCell(http: HttpFigure): string {
  if (http.ofPeak === null) return '–';
  return `${roundsCell(http, ({ ofPeak }) => (ofPeak === null ? null : 100 * ofPeak))} %`;
}

/** The generator of an overload, and the load that it reached. */
export function offerCell(http: HttpFigure): string {
  const { offer } = http;
  if (offer === null) return '–';
  const share = roundsCell(http, (round) =>
    round.offer === null
      ? null
      : (100 * round.offer.reachedPerSecond) / round.offer.targetPerSecond,
  );
  const target = roundsCell(http, (round) => round.offer?.targetPerSecond);
  return `${offer.generator}, ${share} % of ${target}/s`;
}

function refusalCell(http: HttpFigure): string {
  if (http.refusalWrittenP50Ms === null) return '–';
  const due = roundsCell(http, ({ refusalP50Ms }) => refusalP50Ms);
  return `${due}, written ${figure(http.refusalWrittenP50Ms)}`;
}

function companyCell(http: HttpFigure): string {
  const { company } = http;
  if (company === null) return '–';
  const ratio = roundsCell(http, (round) => round.company?.p99Ratio);
  const memory = roundsCell(http, (round) => round.company?.addedMb);
  const place = company.returnMs === null ? '' : `, place back in ${figure(company.returnMs)} ms`;
  const cpuRatio = roundsCell(http, (round) => round.company?.cpuRatio);
  const cpu = company.cpuRatio === null ? '' : `, CPU × ${cpuRatio}`;
  return `p99 × ${ratio}${cpu}, ${memory} MB more${place}`;
}

function goalsCell(http: HttpFigure): string {
  const verdicts = judgeGoals(http).map(
    ({ words, isMet }) => `${words}: ${isMet ? 'met' : 'MISSED'}`,
  );
  return verdicts.length === 0 ? '–' : verdicts.join(', ');
}

function httpTable(report: Report): Table {
  return {
    title:
      'Over HTTP, load generator on the same machine, median (min–max) of the rounds; ms from the ' +
      'moment a request was due, and from the moment it was written to a connection',
    head: ['load', 'docs/s', 'of the peak', 'goals', 'p50 ms', 'p95 ms', 'p99 ms'].concat([
      'p50, p99 written',
      'refusal p50 ms',
      'offered by',
      'CPU ms per request',
      'generator cores',
      'RSS MB',
      'beside',
      'answers',
    ]),
    rows: report.http.map((http) => [
      `${http.name}: ${http.load}`,
      roundsCell(http, ({ documentsPerSecond }) => documentsPerSecond),
      peakCell(http),
      goalsCell(http),
      figure(http.p50Ms),
      figure(http.p95Ms),
      roundsCell(http, ({ p99Ms }) => p99Ms),
      `${figure(http.writtenP50Ms)}, ${figure(http.writtenP99Ms)}`,
      refusalCell(http),
      offerCell(http),
      roundsCell(http, ({ cpuMsPerRequest }) => cpuMsPerRequest),
      figure(http.generatorCores),
      figure(http.rssMb),
      companyCell(http),
      Object.entries(http.statuses)
        .map(([status, count]) => `${status}: ${count}`)
        .join(' '),
    ]),
  };
}

function pairCells({ a, b, ratio }: Pair): string[] {
  return [range(a), range(b), range(ratio)];
}

function servicesTable({ services }: Report): Table {
  const [first] = services;
  const [a, b] = first?.commits ?? ['A', 'B'];
  return {
    title:
      `The services A (${a}) and B (${b}) in turns, load generator on the same machine: ` +
      'median (min–max) of the rounds; ratios are B over A in the same round',
    head: ['load', 'docs/s A', 'docs/s B', 'ratio', 'CPU ms per request A', 'B', 'ratio'].concat([
      'p99 ms A',
      'B',
      'ratio',
    ]),
    rows: services.map(({ name, load, documentsPerSecond, cpuMsPerRequest, p99Ms }) => [
      `${name}: ${load}`,
      ...pairCells(documentsPerSecond),
      ...pairCells(cpuMsPerRequest),
      ...pairCells(p99Ms),
    ]),
  };
}

function gatewayTable({ gateway }: Report): Table {
  return {
    title:
      'What the gateway adds: CPU ms of a receipt through the pool and over HTTP, in turns, ' +
      'median (min–max)',
    head: ['turns', 'pool', 'over HTTP', 'added'],
    rows: gateway.map(({ poolCpuMs, serviceCpuMs, addedCpuMs }) => [
      String(addedCpuMs.rounds),
      range(poolCpuMs),
      range(serviceCpuMs),
      range(addedCpuMs),
    ]),
  };
}

function soakTable({ soak }: Report): Table {
  const summary = summarizeSoak(soak);
  const verdict =
    summary === null
      ? ''
      : `: memory × ${figure(summary.rssRatio)} since the first tenth, descriptors ` +
        `${summary.early.descriptors} → ${summary.last.descriptors}, processes ` +
        `${summary.early.children} → ${summary.last.children}, ${summary.errors} errors`;
  return {
    title: `Soak${verdict}`,
    head: ['documents', 'docs/s', 'p99 ms', 'RSS MB', 'descriptors', 'processes', 'errors'],
    rows: soak.map((slice) => [
      slice.documents.toLocaleString('en'),
      figure(slice.documentsPerSecond),
      figure(slice.p99Ms),
      figure(slice.rssMb),
      String(slice.descriptors),
      String(slice.children),
      String(slice.errors),
    ]),
  };
}

const PROFILE_ROWS_MAX = 40;

function profileTables(report: Report): Table[] {
  return report.profiles.map(({ shape, documents, cpuMsPerDocument, rows }) => ({
    title: `Profile of ${shape}: ${documents} documents, ${figure(cpuMsPerDocument)} CPU ms each`,
    head: ['function', 'self %', 'self ms', 'where'],
    rows: rows
      .slice(0, PROFILE_ROWS_MAX)
      .map(({ name, place, selfMs, share }) => [
        name,
        (share * 100).toFixed(1),
        figure(selfMs),
        place,
      ]),
  }));
}

/** The tables that have rows. */
export function reportTables(report: Report): Table[] {
  return [
    drawingsTable(report),
    firstsTable(report),
    rowsTable(report),
    poolTable(report),
    microTable(report),
    httpTable(report),
    servicesTable(report),
    gatewayTable(report),
    soakTable(report),
    ...profileTables(report),
  ].filter(({ rows }) => rows.length > 0);
}

/** Columns of one terminal cell: Thai marks stand above their letter. */
function widthOf(text: string): number {
  return text.replaceAll(/\p{M}/gu, '').length;
}

/** As plain text with columns set under each other. */
export function formatTable({ title, head, rows }: Table): string {
  const all = [head, ...rows];
  const widths = head.map((_, i) => Math.max(...all.map((row) => widthOf(row[i] ?? ''))));
  const lines = all.map((row) =>
    row
      .map((cell, i) => cell + ' '.repeat((widths[i] ?? 0) - widthOf(cell)))
      .join('  ')
      .trimEnd(),
  );
  return [title, ...lines].join('\n');
}

/** The machine and commit above the tables, without which a figure means nothing. */
export function formatHeader(report: Report): string {
  const { machine } = report;
  const size = report.smoke ? ' SMOKE SIZES: figures mean nothing.' : '';
  return (
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, Linux ${machine.kernel}, ` +
    `Node ${machine.node}, commit ${machine.commit}${machine.modified ? ' (modified)' : ''}, ` +
    `${machine.at}, load before ${machine.loadBefore.toFixed(2)}, after ` +
    `${report.loadAfter.toFixed(2)}, took ${report.durationS.toFixed(0)} s.${size}`
  );
}

/** The peers that could not take part, as one line; null: all did. */
export function formatLeftOut({ peersLeftOut }: Report): string | null {
  if (peersLeftOut.length === 0) return null;
  const list = peersLeftOut.map(({ peer, reason }) => `${peer} (${reason})`);
  return `Peers left out: ${list.join(', ')}`;
}
