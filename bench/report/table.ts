import { busyWarning } from '../../lab/machine.ts';
import type { Spread } from '../../lab/stats.ts';
import { spread } from '../../lab/stats.ts';
import type { Pair } from '../http/compare.ts';
import type { HttpFigure } from '../http/figures.ts';
import { judgeGoals } from '../http/goals.ts';
import { summarizeSoak } from '../http/soak.ts';
import type { PdfCheck } from '../harness/check.ts';
import { ROUNDS_TO_TELL } from '../harness/starts.ts';
import type { StartsRatio } from '../harness/starts.ts';
import type { Report } from './report.ts';

/** A table: its head and its rows of cells, ready to print. */
export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A column: its head, and its cell in the row of an item. */
type Column<T> = readonly [head: string, cellOf: (item: T) => string];

function tableOf<T>(title: string, items: readonly T[], columns: readonly Column<T>[]): Table {
  return {
    title,
    head: columns.map(([head]) => head),
    rows: items.map((item) => columns.map(([, cellOf]) => cellOf(item))),
  };
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

/** A ratio, and a word about one that shows no difference between the two, or cannot. */
export function ratioRange(ratio: Spread | StartsRatio): string {
  // The first subject of a table is compared with itself.
  if (ratio.min === 1 && ratio.max === 1) return range(ratio);
  const shows = 'shows' in ratio ? ratio.shows : shownByRange(ratio);
  if (shows === 'a difference') return range(ratio);
  if (shows === 'no clear difference') return `${range(ratio)}: no clear difference`;
  return `${range(ratio)}: too few rounds to tell (--rounds ${ROUNDS_TO_TELL})`;
}

/** Subjects that differ by factors: a range that includes 1 shows no difference. */
function shownByRange({ min, max }: Spread): StartsRatio['shows'] {
  return min <= 1 && max >= 1 ? 'no clear difference' : 'a difference';
}

function validCell(valid: boolean | null): string {
  if (valid === null) return '?';
  return valid ? 'yes' : 'NO';
}

/** Strings read back, of those of the data. */
export function stringsCell({ stringsFound, strings }: PdfCheck): string {
  return `${stringsFound ?? '?'}/${strings}`;
}

function drawingsTable({ drawings }: Report): Table {
  return tableOf('Documents on one core: CPU ms per document, median (min–max)', drawings, [
    ['shape', ({ shape, rows }) => shape + (rows === null ? '' : ` (${rows} rows)`)],
    ['subject', ({ subject, version }) => `${subject} ${version}`],
    ['words', ({ words }) => words],
    ['CPU ms', ({ cpuMs }) => range(cpuMs)],
    ['ratio', ({ ratio }) => ratioRange(ratio)],
    ['docs/s', ({ cpuMs }) => figure(1000 / cpuMs.median)],
    ['pages/s', ({ cpuMs, check }) => figure((1000 * check.pages) / cpuMs.median)],
    ['bytes', ({ bytes }) => bytes.toLocaleString('en')],
    ['pages', ({ check }) => String(check.pages)],
    ['strings', ({ check }) => stringsCell(check)],
    ['valid', ({ check }) => validCell(check.valid)],
    ['RSS MB', ({ rssMb }) => String(rssMb)],
    ['rounds × docs', ({ cpuMs, documentsPerRound }) => `${cpuMs.rounds} × ${documentsPerRound}`],
  ]);
}

function firstsTable({ firsts }: Report): Table {
  return tableOf('First documents: wall ms', firsts, [
    ['shape', ({ shape }) => shape],
    ['process ready', ({ readyMs }) => range(readyMs)],
    ['first document of the process', ({ processMs }) => range(processMs)],
    ['first document of a template', ({ templateMs }) => range(templateMs)],
  ]);
}

function rowsTable(report: Report): Table {
  return tableOf('Cost over the length of a table', report.rows, [
    ['rows', ({ rows }) => String(rows)],
    ['CPU ms', ({ cpuMs }) => range(cpuMs)],
    ['µs per row', ({ perRowUs }) => figure(perRowUs)],
  ]);
}

function poolTable({ pool }: Report): Table {
  return tableOf('Pool without HTTP', pool, [
    ['shape', ({ shape }) => shape],
    ['threads', ({ threads }) => String(threads)],
    ['cores', ({ cores }) => cores],
    ['docs/s', ({ documentsPerSecond }) => range(documentsPerSecond)],
    ['× one thread on one core', ({ overOneCore }) => `${figure(overOneCore.median)}×`],
    ['× one thread on all cores', ({ overOneThread }) => `${figure(overOneThread.median)}×`],
    ['CPU ms per document', ({ cpuMsPerDocument }) => range(cpuMsPerDocument)],
    ['RSS MB', ({ rssMb }) => String(rssMb)],
  ]);
}

function microTable({ micro }: Report): Table {
  return tableOf('Single functions: µs per call', micro, [
    ['bench', ({ file, name }) => `${file}: ${name}`],
    ['min', ({ min }) => figure(min)],
    ['median', ({ median }) => figure(median)],
    ['max', ({ max }) => figure(max)],
  ]);
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
  const fromDue = roundsCell(http, ({ refusalP50Ms }) => refusalP50Ms);
  return `${fromDue}, written ${figure(http.refusalWrittenP50Ms)}`;
}

/** How badly behaved callers changed the load (CompanyFigure). */
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

function statusesCell({ statuses }: HttpFigure): string {
  return Object.entries(statuses)
    .map(([status, count]) => `${status}: ${count}`)
    .join(' ');
}

function httpTable(report: Report): Table {
  const title =
    'Over HTTP, load generator on the same machine, median (min–max) of the rounds; ms from the ' +
    'moment a request was due, and from the moment it was written to a connection';
  return tableOf(title, report.http, [
    ['load', ({ name, load }) => `${name}: ${load}`],
    ['docs/s', (http) => roundsCell(http, ({ documentsPerSecond }) => documentsPerSecond)],
    ['of the peak', peakCell],
    ['goals', goalsCell],
    ['p50 ms', ({ p50Ms }) => figure(p50Ms)],
    ['p95 ms', ({ p95Ms }) => figure(p95Ms)],
    ['p99 ms', (http) => roundsCell(http, ({ p99Ms }) => p99Ms)],
    [
      'p50, p99 written',
      ({ writtenP50Ms, writtenP99Ms }) => `${figure(writtenP50Ms)}, ${figure(writtenP99Ms)}`,
    ],
    ['refusal p50 ms', refusalCell],
    ['offered by', offerCell],
    ['CPU ms per request', (http) => roundsCell(http, ({ cpuMsPerRequest }) => cpuMsPerRequest)],
    ['generator cores', ({ generatorCores }) => figure(generatorCores)],
    ['RSS MB', ({ rssMb }) => figure(rssMb)],
    ['effect of bad company', companyCell],
    ['answers', statusesCell],
  ]);
}

function pairCells({ a, b, ratio }: Pair): string[] {
  return [range(a), range(b), ratioRange(ratio)];
}

function servicesTable({ services }: Report): Table {
  const [first] = services;
  const [a, b] = first?.commits ?? ['A', 'B'];
  return {
    title:
      `The services A (${a}) and B (${b}) in turns, load generator on the same machine: ` +
      'median (min–max) of the rounds; ratios are B over A in the same round',
    head: [
      'load',
      'docs/s A',
      'docs/s B',
      'ratio',
      'CPU ms per request A',
      'B',
      'ratio',
      'p99 ms A',
      'B',
      'ratio',
    ],
    rows: services.map(({ name, load, documentsPerSecond, cpuMsPerRequest, p99Ms }) => [
      `${name}: ${load}`,
      ...pairCells(documentsPerSecond),
      ...pairCells(cpuMsPerRequest),
      ...pairCells(p99Ms),
    ]),
  };
}

function gatewayTable({ gateway }: Report): Table {
  const title =
    'What the gateway adds: CPU ms of a receipt through the pool and over HTTP, in turns, ' +
    'median (min–max)';
  return tableOf(title, gateway, [
    ['turns', ({ addedCpuMs }) => String(addedCpuMs.rounds)],
    ['pool', ({ poolCpuMs }) => range(poolCpuMs)],
    ['over HTTP', ({ serviceCpuMs }) => range(serviceCpuMs)],
    ['added', ({ addedCpuMs }) => range(addedCpuMs)],
  ]);
}

function soakTable({ soak }: Report): Table {
  const summary = summarizeSoak(soak);
  const verdict =
    summary === null
      ? ''
      : `: memory × ${figure(summary.rssRatio)} since the first tenth, descriptors ` +
        `${summary.early.descriptors} → ${summary.last.descriptors}, processes ` +
        `${summary.early.children} → ${summary.last.children}, ${summary.errors} errors`;
  return tableOf(`Soak${verdict}`, soak, [
    ['documents', ({ documents }) => documents.toLocaleString('en')],
    ['docs/s', ({ documentsPerSecond }) => figure(documentsPerSecond)],
    ['p99 ms', ({ p99Ms }) => figure(p99Ms)],
    ['RSS MB', ({ rssMb }) => figure(rssMb)],
    ['descriptors', ({ descriptors }) => String(descriptors)],
    ['processes', ({ children }) => String(children)],
    ['errors', ({ errors }) => String(errors)],
  ]);
}

const PROFILE_ROWS_MAX = 40;

function profileTables({ profiles }: Report): Table[] {
  return profiles.flatMap(({ shape, documents, cpuMsPerDocument, parts, rows }) => {
    const title = `Profile of ${shape}: ${documents} documents, ${figure(cpuMsPerDocument)} CPU ms each`;
    const byPart = tableOf(`${title}, by part`, parts, [
      ['part', ({ part }) => part],
      ['self %', ({ share }) => (share * 100).toFixed(1)],
    ]);
    const shown = rows.slice(0, PROFILE_ROWS_MAX);
    const byFunction = tableOf(`${title}: the first ${shown.length} functions`, shown, [
      ['function', ({ name }) => name],
      ['self %', ({ share }) => (share * 100).toFixed(1)],
      ['self ms, wall', ({ selfMs }) => figure(selfMs)],
      ['where', ({ place }) => place],
    ]);
    return [byPart, byFunction];
  });
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
    ...report.tables,
  ].filter(({ rows }) => rows.length > 0);
}

/** Width in terminal cells; combining marks, as in Thai, take none. */
function widthOf(text: string): number {
  return text.replaceAll(/\p{M}/gu, '').length;
}

/** As plain text with aligned columns. */
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
  const busy = busyWarning(machine.loadBefore);
  const smoke = report.smoke ? ' SMOKE SIZES: figures mean nothing.' : '';
  const warning = busy === null ? smoke : `${smoke} BUSY: ${busy}.`;
  return (
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, Linux ${machine.kernel}, ` +
    `Node ${machine.node}, commit ${machine.commit}${machine.modified ? ' (modified)' : ''}, ` +
    `${machine.at}, load before ${machine.loadBefore.toFixed(2)}, after ` +
    `${report.loadAfter.toFixed(2)}, took ${report.durationS.toFixed(0)} s.${warning}`
  );
}

/** The peers that could not take part, as one line; null: all did. */
export function formatLeftOut({ peersLeftOut }: Report): string | null {
  if (peersLeftOut.length === 0) return null;
  const list = peersLeftOut.map(({ peer, reason }) => `${peer} (${reason})`);
  return `Peers left out: ${list.join(', ')}`;
}
