import { MAIN_PROCESS_MB } from '../../src/commands/checks/machine.ts';
import { SETTINGS } from '../../src/settings/config.ts';
import { forecastErrors } from '../forecast.ts';
import { median } from '../stats.ts';
import { markdownTable } from './markdown-table.ts';
import { type MeasuredTable, measuredTable } from './performance-tables.ts';

/**
 * The figures of docs/sizing.md, from the tables of docs/performance.md. Each part of the page stands
 * between two comments: `<!-- sizing: costs -->` and `<!-- /sizing -->`.
 */
const PART = /<!-- sizing: (\w+) -->\n[\s\S]*?<!-- \/sizing -->/g;

/** The kinds of documents, by the beginning of their row in the table `alone`. */
const KINDS = {
  receipt: 'receipt',
  contract: 'contract',
  statement: 'statement of 100 rows',
  'long statement': 'statement of 2,000 rows',
} as const;
type Kind = keyof typeof KINDS;
const KIND_NAMES = Object.keys(KINDS) as readonly Kind[];

/** The steps of a document in the table `alone`, by the beginning of their column. */
const STEPS = {
  engine: 'engine',
  'PDF/A-2u': 'PDF/A-2u adds',
  'PDF/A-2a': 'PDF/A-2a adds',
  password: 'password',
  signature: 'signature',
} as const;
type Step = keyof typeof STEPS;

/** How a document is asked for, and what that costs besides its steps. */
type Way = 'run' | 'HTTP' | 'HTTP, stored';

interface Costs {
  /** CPU in ms of a step of this kind of document. */
  readonly step: (kind: Kind, step: Step) => number;
  readonly way: (way: Way) => number;
  readonly bytes: (kind: Kind, steps: readonly Step[]) => number;
}

interface Load {
  readonly words: string;
  readonly kind: Kind;
  readonly steps: readonly Step[];
  readonly way: Way;
  readonly documents: number;
  readonly seconds: number;
}

const HOUR = 3_600;
const EXAMPLE: Load = {
  words: '500,000 statements of 100 rows, PDF/A-2a, signed, by a run, in two hours',
  kind: 'statement',
  steps: ['engine', 'PDF/A-2a', 'signature'],
  way: 'run',
  documents: 500_000,
  seconds: 2 * HOUR,
};
const LOADS: readonly Load[] = [
  EXAMPLE,
  {
    ...EXAMPLE,
    words: 'the same with passwords instead of PDF/A',
    steps: ['engine', 'password', 'signature'],
  },
  {
    ...EXAMPLE,
    words: '500,000 statements of 2,000 rows, 45 pages, by a run, in two hours',
    kind: 'long statement',
    steps: ['engine'],
  },
  {
    ...EXAMPLE,
    words: '1,500,000 contracts, PDF/A-2u, by a run, in one hour',
    kind: 'contract',
    steps: ['engine', 'PDF/A-2u'],
    documents: 1_500_000,
    seconds: HOUR,
  },
  {
    words: '300 receipts a second over HTTP, returned at once (sync)',
    kind: 'receipt',
    steps: ['engine'],
    way: 'HTTP',
    documents: 300,
    seconds: 1,
  },
  {
    words: '300 receipts a second over HTTP, stored (async)',
    kind: 'receipt',
    steps: ['engine'],
    way: 'HTTP, stored',
    documents: 300,
    seconds: 1,
  },
];

/** Half of each core is for peaks, for the loss of an instance and for what else runs there. */
const SHARE = 0.5;
/** So that a long document or a backup does not hold up everything else. */
const CORES_MIN = 2;
/** Bytes that a stored document leaves in MariaDB: a row and an audit record (docs/fleet.md). */
const ROW_BYTES = 1_630;
const MEASURED_CORES = 2;
const FORECAST_CORES = [1, 2, 4, 8, 16, 32] as const;

/** docs/sizing.md with the figures that docs/performance.md has now. */
export function withSizing(page: string, performance: string): string {
  const costs = costsOf(performance);
  const parts: Readonly<Record<string, () => string>> = {
    costs: () => costsTable(costs),
    example: () => exampleSums(costs),
    loads: () => loadsTable(costs),
    forecast: () => forecastTable(costs),
  };
  return page.replaceAll(PART, (_, name: string) => {
    const part = parts[name];
    if (part === undefined) throw new Error(`docs/sizing.md has no part ${name}`);
    return `<!-- sizing: ${name} -->\n\n${part()}\n\n<!-- /sizing -->`;
  });
}

/** What was not measured is NaN, and so is what depends on it: the page shows a dash. */
function found(from: MeasuredTable | undefined, row: string, column: string): number {
  return from?.figure(row, column) ?? NaN;
}

/** Where other programs ran, a step may seem to take less than nothing. */
function atLeastNothing(ms: number): number {
  return Math.max(0, ms);
}

/**
 * CPU in ms that storing adds to a request: the median over all loads that were measured with and
 * without storing. A single pair would be wrong if the machine became faster between the two.
 */
function storingCost(cost: (load: string) => number): number {
  const added = [':', ', wrk:', ' sample:', ' sample, wrk:']
    .map((load) => cost(`async${load}`) - cost(`sync${load}`))
    .filter((ms) => !Number.isNaN(ms));
  return added.length === 0 ? NaN : atLeastNothing(median(added));
}

function costsOf(performance: string): Costs {
  const table = (name: string): MeasuredTable => measuredTable(performance, name);
  const [alone, guarded, http, gateway] = ['alone', 'guarded', 'http', 'gateway'].map(table);
  const step: Costs['step'] = (kind, name) =>
    atLeastNothing(found(alone, KINDS[kind], STEPS[name]));
  const storing = storingCost((load) => found(http, load, 'CPU ms a request'));
  const overHttp = found(gateway, '', 'added by HTTP');
  return {
    step,
    way: (way) => {
      if (way === 'HTTP') return overHttp;
      if (way === 'HTTP, stored') return round(overHttp + storing);
      return round(
        atLeastNothing(found(guarded, 'as they are', 'CPU ms') - step('receipt', 'engine')),
      );
    },
    bytes: (kind, steps) =>
      found(alone, KINDS[kind], 'bytes') +
      (steps.includes('PDF/A-2a') ? found(alone, KINDS[kind], 'PDF/A-2a adds bytes') : 0) +
      (steps.includes('signature') ? found(alone, KINDS[kind], 'signature adds bytes') : 0),
  };
}

function kindRow(name: string, cell: (kind: Kind) => string): string[] {
  return [name, ...KIND_NAMES.map(cell)];
}

function costsTable({ step, way, bytes }: Costs): string {
  const perCore = (kind: Kind, steps: readonly Step[], by: Way): string =>
    whole(1_000 / (sum(steps.map((one) => step(kind, one))) + way(by)));
  const ms = (name: Step) => (kind: Kind) => shown(step(kind, name));
  const kinds = markdownTable([
    ['CPU ms a document', 'receipt, 1 page', 'contract, 3 pages', 'statement, 100 rows'].concat([
      'statement, 2,000 rows',
    ]),
    kindRow('engine', ms('engine')),
    kindRow('PDF/A-2u or 3u adds', ms('PDF/A-2u')),
    kindRow('PDF/A-2a or 3a, tagged, adds', ms('PDF/A-2a')),
    kindRow('a signature by P-256 adds', ms('signature')),
    kindRow('a password (AES-256) adds', ms('password')),
    kindRow('**documents a second and core**, sync', (kind) => perCore(kind, ['engine'], 'HTTP')),
    kindRow('the same, by a run, stored', (kind) => perCore(kind, ['engine'], 'run')),
    kindRow('by a run, PDF/A-2a and signed', (kind) => perCore(kind, EXAMPLE.steps, 'run')),
    kindRow('by a run, with passwords', (kind) => perCore(kind, ['engine', 'password'], 'run')),
    kindRow('KB, plain', (kind) => whole(bytes(kind, []) / 1_000)),
    kindRow('KB, PDF/A-2a and signed', (kind) => whole(bytes(kind, EXAMPLE.steps) / 1_000)),
  ]);
  const ways = markdownTable([
    ['what each document costs besides', 'CPU ms'],
    ['over HTTP: request, key, limits, audit record, response', shown(way('HTTP'))],
    ['over HTTP and stored (SQLite, synced)', shown(way('HTTP, stored'))],
    ['in a run: its row, checks, stored and encrypted', shown(way('run'))],
  ]);
  return `${kinds}\n\n${ways}`;
}

/** The load in figures that are rounded at each step, so that a reader can do the sums again. */
interface Sums {
  readonly parts: readonly number[];
  readonly costMs: number;
  readonly cpuSeconds: number;
  readonly busy: number;
  readonly withHeadroom: number;
  readonly cores: number;
  readonly memoryMb: number;
  readonly bytes: number;
  readonly filesGb: number;
}

function sumsOf({ kind, steps, way, documents, seconds }: Load, costs: Costs): Sums {
  const parts = [...steps.map((one) => costs.step(kind, one)), costs.way(way)];
  const costMs = round(sum(parts));
  const cpuSeconds = round((documents * costMs) / 1_000);
  const busy = round(cpuSeconds / seconds);
  const withHeadroom = round(busy / SHARE);
  const cores = Math.max(CORES_MIN, Math.ceil(withHeadroom));
  const bytes = costs.bytes(kind, steps);
  const filesGb = round((documents * bytes) / 1e9);
  return { parts, costMs, cpuSeconds, busy, withHeadroom, cores, bytes, filesGb, ...memory(cores) };
}

function memory(threads: number): Pick<Sums, 'memoryMb'> {
  const { workerMemoryMb, bodyMemoryMb } = SETTINGS;
  const renderers = (threads + 1) * workerMemoryMb.absent();
  return { memoryMb: renderers + bodyMemoryMb.absent() + MAIN_PROCESS_MB };
}

function exampleSums(costs: Costs): string {
  const { steps, documents, seconds } = EXAMPLE;
  const sums = sumsOf(EXAMPLE, costs);
  const { workerMemoryMb, bodyMemoryMb } = SETTINGS;
  const all = whole(documents);
  const ms = shown(sums.costMs);
  const named = [...steps, 'run'].join(' + ');
  const [worker, bodies] = [workerMemoryMb, bodyMemoryMb].map((one) => one.absent());
  const lines = [
    ['one document', `${sums.parts.map(shown).join(' + ')} = ${ms} ms`, named],
    ['all of them', `${all} × ${ms} ÷ 1,000 = ${shown(sums.cpuSeconds)} s`, 'CPU'],
    ['cores at work', `${shown(sums.cpuSeconds)} ÷ ${whole(seconds)} = ${shown(sums.busy)}`, ''],
    ['with headroom', `${shown(sums.busy)} ÷ ${SHARE} = ${shown(sums.withHeadroom)}`, ''],
    ['cores, threads', `= ${whole(sums.cores)}`, `rounded up, at least ${CORES_MIN}`],
    [
      'memory',
      `(${whole(sums.cores)} + 1) × ${worker} + ${bodies} + ${MAIN_PROCESS_MB} = ${whole(sums.memoryMb)} MB`,
      '',
    ],
    ['files', `${all} × ${whole(sums.bytes)} ÷ 1,000,000,000 = ${shown(sums.filesGb)} GB`, ''],
    [
      'rows, MariaDB',
      `${all} × ${whole(ROW_BYTES)} ÷ 1,000,000,000 = ${shown((documents * ROW_BYTES) / 1e9)} GB`,
      '',
    ],
    [
      'network',
      `${whole(sums.bytes)} × 8 × ${all} ÷ ${whole(seconds)} ÷ 1,000,000 = ` +
        `${shown((sums.bytes * 8 * documents) / seconds / 1e6)} Mbit/s`,
      '',
    ],
  ];
  const text = lines.map(([name = '', line = '', note = '']) =>
    `${name.padEnd(15)} ${line}${note === '' ? '' : `   (${note})`}`.trimEnd(),
  );
  return ['```', ...text, '```'].join('\n');
}

function loadsTable(costs: Costs): string {
  const head = ['load', 'CPU ms a document', 'cores at work', 'with headroom', '**cores**'];
  return markdownTable([
    [...head, 'memory MB', 'KB a document'],
    ...LOADS.map((load) => {
      const sums = sumsOf(load, costs);
      return [
        load.words,
        ...[sums.costMs, sums.busy, sums.withHeadroom].map(shown),
        whole(sums.cores),
        whole(sums.memoryMb),
        whole(sums.bytes / 1_000),
      ];
    }),
  ]);
}

/** What a service gives that has N cores for itself, for the documents of the example. */
function forecastTable(costs: Costs): string {
  const { costMs } = sumsOf(EXAMPLE, costs);
  return markdownTable([
    ['cores', 'documents a second', 'from', 'to', 'error', `${whole(EXAMPLE.documents)} of them`],
    ...FORECAST_CORES.map((cores) => {
      const rate = (cores * 1_000) / costMs;
      const error = Math.hypot(...forecastErrors(cores, MEASURED_CORES));
      return [
        String(cores),
        whole(rate),
        whole(rate / (1 + error)),
        whole(rate * (1 + error)),
        `± ${whole(error * 100)} %`,
        duration(EXAMPLE.documents / rate),
      ];
    }),
  ]);
}

/** Minutes, and seconds below two minutes. */
function duration(seconds: number): string {
  return seconds < 120 ? `${whole(seconds)} s` : `${whole(seconds / 60)} min`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Three significant digits, and whole numbers from 100 on, as the tables of the bench have them. */
function round(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}

function shown(value: number): string {
  if (Number.isNaN(value)) return '–';
  return value >= 100 ? whole(value) : value.toPrecision(3);
}

function whole(value: number): string {
  if (Number.isNaN(value)) return '–';
  return Math.round(value).toLocaleString('en');
}
