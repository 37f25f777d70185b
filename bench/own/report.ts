import type { Machine } from '../../lab/machine.ts';
import { figure, formatTable, type Table } from '../report/table.ts';
import { costOverHttp, isNear } from './forecast.ts';
import type {
  ForecastWithheld,
  OwnFigures,
  Part,
  Parts,
  PublishedFigures,
  ServiceRate,
} from './figures.ts';

/** Nodes and stages that the table shows; the rest is one row. */
const PARTS_SHOWN_MAX = 14;

/** The report as text for the terminal. */
export function formatOwn(figures: OwnFigures, machine: Machine): string {
  const { template, data, pages, parts, threads, forecastWithheld, service } = figures;
  const title = `${template}, ${data}, ${figure(pages)} pages a document; ${describe(machine)}`;
  const tables = [
    costTable(figures),
    bytesTable(figures.bytes),
    partsTable(parts),
    {
      title: 'Documents a second by number of threads, without HTTP',
      head: ['threads', 'documents/s', 'CPU ms', 'MB'],
      rows: threads.map((rate) => [
        String(rate.threads),
        ranged(rate.documentsPerSecond),
        ranged(rate.cpuMs),
        rate.rssMb.toFixed(0),
      ]),
    },
  ];
  return [
    title,
    sentence(parts),
    ...tables.map(formatTable),
    forecastWithheld === null ? formatTable(forecastTable(figures)) : withheld(forecastWithheld),
    ...(service.length > 0 ? [formatTable(serviceTable(service))] : []),
    ...comparison(figures),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

/** The same for a template of a running service. */
export function formatPublished(figures: PublishedFigures): string {
  const { template, data, bytes, service } = figures;
  return [
    `${template}, ${data}`,
    formatTable(bytesTable(bytes)),
    formatTable(serviceTable(service)),
  ].join('\n\n');
}

function describe({ cpu, cores, node, commit }: Machine): string {
  return `${cpu}, ${cores} cores, Node ${node}, commit ${commit}`;
}

function sentence({ parts }: Parts): string {
  const most = parts.find(({ path }) => path !== null);
  if (most === undefined) return '';
  return `The ${most.name} takes ${percent(most.share)} of the CPU time.`;
}

function costTable({ first, coldCpuMs, warmCpuMs, rssMb }: OwnFigures): Table {
  return {
    title: 'A document',
    head: ['CPU ms warm', 'cold (2nd to 51st)', 'first, CPU ms', 'first, ms from start', 'MB'],
    rows: [
      [
        ranged(warmCpuMs),
        figure(coldCpuMs),
        `${figure(first.cpuMs)} + ${figure(first.loadCpuMs)} to load the engine`,
        figure(first.wallMs),
        rssMb.toFixed(0),
      ],
    ],
  };
}

function bytesTable({ fonts, images, pages, other, total }: OwnFigures['bytes']): Table {
  return {
    title: 'Bytes of a document',
    head: ['total', 'fonts', 'images', 'pages', 'other'],
    rows: [[total, fonts, images, pages, other].map((bytes) => bytes.toLocaleString('en-US'))],
  };
}

function partsTable({ parts, sumMs, wholeMs, agreement }: Parts): Table {
  const shown = parts.slice(0, PARTS_SHOWN_MAX);
  const rest = parts.slice(PARTS_SHOWN_MAX);
  const rows = shown.map((part) => partRow(part));
  if (rest.length > 0) {
    const cpuMs = rest.reduce((sum, part) => sum + part.cpuMs, 0);
    rows.push([percent(cpuMs / sumMs), figure(cpuMs), `${rest.length} more`, '', '', '']);
  }
  return {
    title:
      `Where the time goes: the parts add up to ${figure(sumMs)} ms, ${percent(agreement)} of the ` +
      `${figure(wholeMs)} ms that a document took while they were measured (mean of all rounds)`,
    head: ['share', 'CPU ms', 'part', 'layout', 'painting', 'deflating'],
    rows,
  };
}

function partRow({ name, path, cpuMs, share, layoutMs, paintMs, deflateMs }: Part): string[] {
  const split = path === null ? ['', '', ''] : [layoutMs, paintMs, deflateMs].map(figure);
  return [percent(share), figure(cpuMs), name, ...split];
}

function orDash(value: number | null): string {
  return value === null ? '–' : figure(value);
}

function serviceTable(service: readonly ServiceRate[]): Table {
  return {
    title: 'Through a service, with the callers on the same machine',
    head: [
      'callers',
      'documents/s',
      'p50 ms',
      'p99 ms',
      'CPU ms',
      'its cores',
      'if it had all cores',
    ],
    rows: service.map((rate) => [
      String(rate.callers),
      figure(rate.documentsPerSecond),
      figure(rate.p50Ms),
      figure(rate.p99Ms),
      orDash(rate.cpuMs),
      orDash(rate.cores),
      orDash(rate.onAllCores),
    ]),
  };
}

function forecastTable({ httpCpuMs, forecasts }: OwnFigures): Table {
  return {
    title:
      'Forecast: a service that has these cores for itself; ' +
      `HTTP adds ${ranged(httpCpuMs)} ms CPU to a document`,
    head: ['cores', 'documents/s', 'from', 'to'],
    rows: forecasts.map(({ cores, documentsPerSecond, low, high }) =>
      [cores, documentsPerSecond, low, high].map((value) => figure(value)),
    ),
  };
}

/** The lines that a report prints instead of a forecast when its figures contradict each other. */
function withheld({ warmCpuMs, pools }: ForecastWithheld): string {
  const disagreeing = pools.map(
    ({ threads, cpuMs, ratio }) =>
      `${figure(cpuMs)} ms CPU in the pool of ${threads} (× ${ratio.toFixed(1)})`,
  );
  return (
    `Forecast withheld: a document took ${figure(warmCpuMs)} ms CPU warm, but ` +
    `${disagreeing.join(' and ')}: a pool was not warm, or other programs used the cores. ` +
    'Measure again on a quiet machine.'
  );
}

/** The forecast from the pool's turns beside the measured service. */
function comparison({ service, bytes, httpCpuMs, warmCpuMs }: OwnFigures): readonly string[] {
  const busiest = service.at(-1);
  if (busiest === undefined) return [];
  const { cpuMs, poolCpuMs, machineCores, onAllCores } = busiest;
  if (cpuMs === null || poolCpuMs === null || onAllCores === null) return [];
  if (!isNear(poolCpuMs, warmCpuMs.median)) {
    return [
      `The service is not compared with a forecast: the pool beside it took ${figure(poolCpuMs)} ms ` +
        `CPU a document, and a warm document ${figure(warmCpuMs.median)}. ` +
        'Measure again on a quiet machine.',
    ];
  }
  const costMs = costOverHttp(poolCpuMs, httpCpuMs.median, bytes.total);
  return [
    `The forecast for ${machineCores} cores, made anew from turns of the pool (${figure(poolCpuMs)} ms CPU) ` +
      `beside the service (${figure(cpuMs)}), so that both met the same machine: ` +
      `${figure((machineCores * 1000) / costMs)} documents/s; the service would give ` +
      `${figure(onAllCores)} with all of them: × ${(cpuMs / costMs).toFixed(2)}`,
  ];
}

function ranged({ min, median, max }: { min: number; median: number; max: number }): string {
  return `${figure(median)} (${figure(min)}–${figure(max)})`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}
