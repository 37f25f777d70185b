import type { SoakSlice } from '../http/figures.ts';
import { SHAPES } from '../../lab/shapes/index.ts';
import { SHAPE_NAMES } from '../../lab/shapes/sheet.ts';
import { barChart, escapeHtml, lineChart } from './plot.ts';
import type { Report } from './report.ts';
import { formatHeader, formatLeftOut, reportTables } from './table.ts';
import type { Table } from './table.ts';

const STYLE = `body{font:14px/1.5 sans-serif;max-width:1100px;margin:2em auto;padding:0 1em}
table{border-collapse:collapse;font-size:12px}th,td{border-bottom:1px solid #ddd;padding:2px 8px;
text-align:right;white-space:nowrap}th:nth-child(-n+2),td:nth-child(-n+2){text-align:left}
.wide{overflow-x:auto}svg{display:block;margin:1em 0;max-width:100%;height:auto}`;

function rowHtml(cells: readonly string[], tag: string): string {
  return `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`;
}

function tableHtml({ title, head, rows }: Table): string {
  const body = rows.map((row) => rowHtml(row, 'td')).join('');
  return (
    `<h2>${escapeHtml(title)}</h2><div class="wide"><table><thead>${rowHtml(head, 'th')}</thead>` +
    `<tbody>${body}</tbody></table></div>`
  );
}

function drawingPlots(report: Report): string[] {
  return SHAPE_NAMES.flatMap((shape) => {
    const drawings = report.drawings.filter((drawing) => drawing.shape === shape);
    if (drawings.length === 0) return [];
    const own = drawings[0]?.subject;
    const bars = drawings.map(({ subject, cpuMs }) => ({
      label: subject,
      value: cpuMs.median,
      low: cpuMs.min,
      high: cpuMs.max,
      highlight: subject === own,
    }));
    return [barChart(`${shape}: ${SHAPES[shape].title}`, 'CPU ms per document', bars)];
  });
}

function rowsPlot(report: Report): string[] {
  if (report.rows.length === 0) return [];
  const points = report.rows.map(({ rows, perRowUs }) => [rows, perRowUs] as const);
  // Subtract the fixed cost of page and file, so that the line is flat if the cost per row is.
  const first = report.rows[0];
  const marginal = report.rows
    .filter((cost) => cost !== first)
    .map(({ rows, cpuMs }) => {
      const addedMs = cpuMs.median - (first?.cpuMs.median ?? 0);
      return [rows, (addedMs * 1000) / (rows - (first?.rows ?? 0))] as const;
    });
  const lines = [
    { label: 'document / rows', points },
    { label: 'per further row', points: marginal },
  ];
  return [
    lineChart('Cost of a row over the length of the table', 'µs, rows', lines, 'logarithmic'),
  ];
}

function poolPlot(report: Report): string[] {
  if (report.pool.length === 0) return [];
  const bars = report.pool.map(({ shape, threads, cores, documentsPerSecond }) => ({
    label: `${shape}, ${threads} ${threads === 1 ? 'thread' : 'threads'}, ${cores === 'one' ? 'one core' : 'all cores'}`,
    value: documentsPerSecond.median,
    low: documentsPerSecond.min,
    high: documentsPerSecond.max,
    highlight: threads === 1,
  }));
  return [barChart('Pool without HTTP', 'documents per second', bars)];
}

function httpPlots({ http }: Report): string[] {
  const delivered = http.filter(({ documentsPerSecond }) => documentsPerSecond > 0);
  if (delivered.length === 0) return [];
  const rates = delivered.map(({ name, documentsPerSecond, each }) => ({
    label: name,
    value: documentsPerSecond,
    low: Math.min(...each.map((round) => round.documentsPerSecond)),
    high: Math.max(...each.map((round) => round.documentsPerSecond)),
    highlight: name === 'sync',
  }));
  const times = delivered.map(({ name, p50Ms, p95Ms, p99Ms }) => ({
    label: name,
    value: p95Ms,
    low: p50Ms,
    high: p99Ms,
    highlight: name === 'sync',
  }));
  const refused = delivered.flatMap(({ name, refusalP50Ms }) =>
    refusalP50Ms === null
      ? []
      : [{ label: name, value: refusalP50Ms, low: refusalP50Ms, high: refusalP50Ms }],
  );
  const plots = [
    barChart('Over HTTP: delivered', 'documents per second', rates, 'linear'),
    barChart('Over HTTP: p95, the line from p50 to p99, from the moment due', 'ms', times),
  ];
  if (refused.length === 0) return plots;
  const bars = refused.map((bar) => ({ ...bar, highlight: false }));
  return [...plots, barChart('Over HTTP: median time of a refusal', 'ms', bars)];
}

function soakPlots({ soak }: Report): string[] {
  if (soak.length < 2) return [];
  const over = (read: (slice: SoakSlice) => number): readonly (readonly [number, number])[] =>
    soak.map((slice) => [slice.documents, read(slice)]);
  const line = (title: string, unit: string, label: string, read: (of: SoakSlice) => number) =>
    lineChart(title, `${unit}, documents`, [{ label, points: over(read) }], 'linear');
  return [
    line('Soak: memory of the service', 'MB', 'resident', ({ rssMb }) => rssMb),
    line('Soak: rate', 'documents a second', 'delivered', (slice) => slice.documentsPerSecond),
    lineChart(
      'Soak: descriptors and processes',
      'count, documents',
      [
        { label: 'descriptors', points: over(({ descriptors }) => descriptors) },
        { label: 'child processes', points: over(({ children }) => children) },
      ],
      'linear',
    ),
  ];
}

/** One file that holds everything: tables, plots, machine and commit. */
export function formatHtml(report: Report): string {
  const plots = [
    ...drawingPlots(report),
    ...rowsPlot(report),
    ...poolPlot(report),
    ...httpPlots(report),
    ...soakPlots(report),
  ];
  const leftOut = formatLeftOut(report);
  const notes = [...(leftOut === null ? [] : [leftOut]), ...report.notes]
    .map((note) => `<li>${escapeHtml(note)}</li>`)
    .join('');
  return (
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Intaglio bench</title>` +
    `<style>${STYLE}</style><h1>Intaglio bench</h1><p>${escapeHtml(formatHeader(report))}</p>` +
    `${plots.join('\n')}${reportTables(report).map(tableHtml).join('\n')}` +
    `${notes === '' ? '' : `<h2>Notes</h2><ul>${notes}</ul>`}</html>\n`
  );
}
