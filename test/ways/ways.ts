import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import { environment, serve } from '../../lab/service/command-line.ts';
import { cellOf, type WayColumn, type WayRecord } from './records.ts';
import { command, type Sending } from './service.ts';

/** What became of a record: the document that was printed, or the refusal. */
export type Outcome = string;

/** Outcomes by the reference of their record. */
export type Outcomes = ReadonlyMap<string, Outcome>;

export const TEMPLATE = {
  templateId: 'ways',
  name: 'Ways',
  language: 'en',
  fields: [
    { name: 'ref', type: 'text', required: true },
    { name: 'n', type: 'number', required: false },
    { name: 't', type: 'text', required: false },
    { name: 'd', type: 'date', required: false },
    { name: 'rows', type: 'table', required: false },
  ],
  document: {
    compress: false,
    content: [
      '{{ref}} n[{{n}}] t[{{t}}] d[{{d}}]',
      { table: { widths: [200], body: [['-'], { each: 'rows', cells: ['{{0}}|{{1}}|{{2}}'] }] } },
    ],
  },
};

/** A service with the template, and what its callers need. */
export interface Scene {
  readonly folder: string;
  readonly url: string;
  readonly apiKey: string;
  readonly template: string;
}

/** Starts one service for all ways. */
export async function startScene(t: Test): Promise<Scene> {
  const folder = t.testdir();
  for (const name of ['var', 'spool']) mkdirSync(join(folder, name));
  const template = join(folder, 'ways.json');
  writeFileSync(template, JSON.stringify(TEMPLATE));
  const env = environment(join(folder, 'var'), {
    INTAGLIO_RUN_SOURCES: join(folder, 'spool'),
    INTAGLIO_RATE_LIMIT_PER_MINUTE: '100000',
    INTAGLIO_RUN_CALLS_PER_MINUTE: '100000',
    INTAGLIO_DURABILITY: 'process',
  });
  const before = { ...process.env };
  Object.assign(process.env, env);
  t.teardown(() => {
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, before);
  });
  await succeed('teams', 'add', 'bank', '--name', 'Bank');
  await succeed('templates', 'draft', '--team', 'bank', template);
  await succeed('templates', 'publish', '--team', 'bank', 'ways');
  const scopes = ['generate', 'documents:read', 'runs'].flatMap((scope) => ['--scope', scope]);
  const added = await succeed('keys', 'add', '--team', 'bank', ...scopes, '--json');
  const { apiKey } = JSON.parse(added) as { apiKey: string };
  const { url } = await serve(t, env);
  return { folder, url, apiKey, template };
}

async function succeed(...args: readonly string[]): Promise<string> {
  const { code, out, err } = await command(...args);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${err}`);
  return out;
}

/** A document without its time and identifier: two with the same text have the same digest. */
function printed(pdf: Uint8Array): Outcome {
  const text = Buffer.from(pdf).toString('latin1');
  const timeless = text
    .replaceAll(/D:\d{14}[^)]*|\d{4}-\d\d-\d\dT[\d:.]+Z?/g, 'TIME')
    .replaceAll(/\/ID\s*\[[^\]]*\]/g, '/ID');
  return `printed ${createHash('sha256').update(timeless, 'latin1').digest('hex').slice(0, 16)}`;
}

interface Refusal {
  readonly code: string;
  readonly fields?: readonly { readonly field: string; readonly reason: string }[];
}

function refused({ code, fields = [] }: Refusal): Outcome {
  return `${code}: ${fields.map(({ field, reason }) => `${field} ${reason}`).join(', ')}`;
}

/** Sends each record in a request of its own. */
export async function byRequest(
  { url, apiKey }: Scene,
  records: readonly WayRecord[],
  mode: 'sync' | 'async',
  dataOf: (record: WayRecord) => string,
): Promise<Outcomes> {
  const outcomes = new Map<string, Outcome>();
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  for (const record of records) {
    const body = `{"templateId":"ways","mode":"${mode}","data":${dataOf(record)}}`;
    const response = await fetch(`${url}/v1/generate`, { method: 'POST', headers, body });
    if (!response.ok) {
      outcomes.set(record.ref, refused((await response.json()) as Refusal));
    } else if (mode === 'sync') {
      outcomes.set(record.ref, printed(new Uint8Array(await response.arrayBuffer())));
    } else {
      const stored = (await response.json()) as { url: string };
      const file = await fetch(stored.url);
      outcomes.set(record.ref, printed(new Uint8Array(await file.arrayBuffer())));
    }
  }
  return outcomes;
}

/** Makes all records with one `batch`. */
export async function byBatch(
  { folder, url, apiKey }: Scene,
  records: readonly WayRecord[],
  input: string,
): Promise<Outcomes> {
  const out = join(folder, `${input}.out`);
  const plan = ['--template', 'ways', '--out', out, '--url', url, '--key', apiKey];
  const { code, err } = await command('batch', join(folder, input), ...plan, '--json');
  if (code === null) throw new Error(err);
  const lines = readFileSync(join(out, 'manifest.ndjson'), 'utf8').trimEnd().split('\n');
  const outcomes = new Map<string, Outcome>();
  for (const line of lines) {
    const entry = JSON.parse(line) as Refusal & { number: number; status: string; file: string };
    const { ref } = records[entry.number - 1] ?? { ref: '' };
    const isDone = entry.status === 'done';
    outcomes.set(ref, isDone ? printed(readFileSync(join(out, entry.file))) : refused(entry));
  }
  return outcomes;
}

/** Where the rows of a run come from: a part with its type, or a file that the service reads. */
export type RunRows =
  { readonly type: string; readonly rows: string } | { readonly source: string };

/** Makes all records with one run; gives its print file, too. */
export async function byRun(
  { url, apiKey }: Scene,
  from: RunRows,
): Promise<{ outcomes: Outcomes; print: Uint8Array }> {
  const call = async (path: string, init: Sending = {}): Promise<Response> => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json', ...init.headers };
    const response = await fetch(`${url}/v1/runs${path}`, { ...init, headers });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response;
  };
  const source = 'source' in from ? { source: { path: from.source } } : {};
  const asked = {
    templateId: 'ways',
    idField: 'ref',
    invalidShareMax: 1,
    documentsPerPrint: 1_000,
  };
  const body = JSON.stringify({ ...asked, ...source });
  const { runId } = (await (await call('', { method: 'POST', body })).json()) as { runId: string };
  if ('rows' in from) {
    const headers = { 'content-type': from.type };
    await call(`/${runId}/parts/1`, { method: 'PUT', headers, body: from.rows });
  }
  await call(`/${runId}/start`, { method: 'POST', body: '{}' });
  for (;;) {
    const run = (await (await call(`/${runId}`)).json()) as { state: string };
    if (run.state === 'done') break;
    if (run.state === 'stopped') throw new Error(JSON.stringify(run));
    await pause(20);
  }
  const manifest = await (await call(`/${runId}/manifest`)).text();
  const outcomes = new Map<string, Outcome>();
  for (const line of manifest.trimEnd().split('\n')) {
    const row = JSON.parse(line) as Refusal & { row: string; outcome: string; documentId: string };
    if (row.outcome !== 'stored') {
      outcomes.set(row.row, refused(row));
      continue;
    }
    const address = `${url}/v1/documents/${row.documentId}?download=1`;
    const file = await fetch(address, { headers: { 'x-api-key': apiKey } });
    outcomes.set(row.row, printed(new Uint8Array(await file.arrayBuffer())));
  }
  const print = new Uint8Array(await (await call(`/${runId}/prints/1`)).arrayBuffer());
  return { outcomes, print };
}

/** Renders all records with one `render --jobs`; `dataOf` gives the text of `data` in the list. */
export async function byJobs(
  { folder, template }: Scene,
  records: readonly WayRecord[],
  dataOf: (record: WayRecord) => string,
): Promise<Outcomes> {
  mkdirSync(join(folder, 'jobs'), { recursive: true });
  const outOf = ({ ref }: WayRecord): string => join(folder, 'jobs', `${ref}.pdf`);
  const jobs = records.map((record) => {
    const places = JSON.stringify({ template, out: outOf(record) }).slice(1, -1);
    return `{${places},"data":${dataOf(record)}}`;
  });
  const list = join(folder, 'jobs.json');
  writeFileSync(list, `[${jobs.join(',\n')}]`);
  const { out } = await command('render', '--jobs', list, '--json');
  const results = JSON.parse(out) as readonly (Refusal & { ok: boolean })[];
  return new Map(
    records.map((record, index) => {
      const result = results[index];
      if (result === undefined) throw new Error('a result is missing');
      return [record.ref, result.ok ? printed(readFileSync(outOf(record))) : refused(result)];
    }),
  );
}

/** How a CSV is written. */
export interface CsvStyle {
  readonly columns: readonly WayColumn[];
  readonly lineEnd: string;
  /** Puts cells in quotes that do not need them. */
  readonly isQuoted: boolean;
}

export function csvOf(
  records: readonly WayRecord[],
  { columns, lineEnd, isQuoted }: CsvStyle,
): string {
  const write = (cell: string): string =>
    isQuoted || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  const rows = records.map((record) =>
    columns.map((column) => {
      if (column === 'ref') return record.ref;
      return column === record.field ? cellOf(record) : '';
    }),
  );
  return [columns, ...rows].map((cells) => cells.map(write).join(',') + lineEnd).join('');
}
