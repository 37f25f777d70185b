import { createEngine, type EngineSettings, type FieldDescriptor } from '#engine';
import { shareTemplate } from '#engine/light';
import { isObject, type JsonObject } from '../../src/runtime/json-object.ts';
import { OwnFault } from './fault.ts';
import { renderJob } from './jobs.ts';
import { makeRow, varyDigits } from './made-row.ts';

/** Enough for caches to meet other words and numbers in each document. */
const ROWS_MAX = 512;
const ROWS_BYTES_MAX = 64 * 1024 * 1024;
const MADE_ROWS = 256;
const FAULTS_SHOWN_MAX = 5;

export interface Rows {
  readonly rows: readonly Uint8Array[];
  /** Where they come from, for the report. */
  readonly origin: string;
}

/** Finds out what is wrong with a row of data; null: a document can be made of it. */
type Check = (row: Uint8Array) => Promise<string | null>;

/**
 * The rows of a file, the first 512 of them. Throws `OwnFault` that names the lines which are no JSON
 * object or do not fit the template.
 */
export async function readRows(text: string, name: string, check: Check): Promise<Rows> {
  const rows: Uint8Array[] = [];
  const faults: string[] = [];
  let hasObject = false;
  let bytes = 0;
  let line = 0;
  for (const row of text.split('\n')) {
    line += 1;
    if (row.trim() === '') continue;
    if (rows.length === ROWS_MAX || bytes > ROWS_BYTES_MAX) break;
    const encoded = Buffer.from(row);
    const isObjectRow = isJsonObject(row);
    hasObject ||= isObjectRow;
    const fault = isObjectRow ? await check(encoded) : 'is no JSON object';
    if (fault === null) {
      rows.push(encoded);
      bytes += encoded.length;
    } else if (faults.push(`  line ${line}: ${fault}`) === FAULTS_SHOWN_MAX) break;
  }
  if (faults.length > 0 && !hasObject) {
    throw new OwnFault(
      `${name} is not NDJSON: its first line is no JSON object, nor are those after it. --data takes` +
        ' NDJSON, with a JSON object of data on each line, and no CSV',
    );
  }
  if (faults.length > 0) throw new OwnFault(`${name} has invalid rows:\n${faults.join('\n')}`);
  if (rows.length === 0) throw new OwnFault(`${name} has no row: a JSON object a line`);
  const isWhole = text.split('\n').filter((row) => row.trim() !== '').length === rows.length;
  const count = isWhole ? `${rows.length}` : `the first ${rows.length}`;
  return { rows, origin: `${count} rows of ${name}` };
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/**
 * Rows for a template without a file of data: its samples with other digits from row to row, or
 * values that its contract allows. Throws `OwnFault` when none of them is valid.
 */
export async function makeRows(
  file: JsonObject,
  fields: readonly FieldDescriptor[],
  check: Check,
): Promise<Rows> {
  const listed = file['samples'];
  const samples = (Array.isArray(listed) ? listed : []).flatMap((sample: unknown) =>
    isObject(sample) && isObject(sample['data']) ? [sample['data']] : [],
  );
  const seedRows = samples.length > 0 ? samples : [makeRow(fields, 0)];
  const rows: Uint8Array[] = [];
  let bytes = 0;
  let fault: string | null = null;
  for (let index = 0; index < MADE_ROWS && bytes < ROWS_BYTES_MAX; index++) {
    const seed = seedRows[index % seedRows.length] ?? {};
    const made = samples.length > 0 ? varyDigits(seed, fields, index) : makeRow(fields, index);
    // Other digits may break a rule of the contract or a sum: then the sample is drawn as it is.
    for (const data of [made, seed]) {
      const row = Buffer.from(JSON.stringify(data));
      fault = await check(row);
      if (fault !== null) continue;
      rows.push(row);
      bytes += row.length;
      break;
    }
    if (rows.length === 0 && index === seedRows.length - 1) break;
  }
  if (rows.length === 0) {
    throw new OwnFault(`no valid data could be made, give rows by --data (${fault})`);
  }
  const source = samples.length > 0 ? 'the samples of the template' : 'the contract';
  return { rows, origin: `${rows.length} rows made from ${source}` };
}

/** Checks rows against a template, which must compile; throws `OwnFault` when it does not. */
export async function checkerOf(
  template: Uint8Array,
  templateId: string,
  settings: Partial<EngineSettings>,
): Promise<{ readonly check: Check; readonly fields: readonly FieldDescriptor[] }> {
  const engine = createEngine(settings);
  const shared = shareTemplate(template, templateId);
  const failure = await engine.compile(shared);
  if (failure !== null) throw new OwnFault(failure.message);
  // The engine's own list.
  const fields = JSON.parse(
    new TextDecoder().decode(engine.listFields(template)),
  ) as readonly FieldDescriptor[];
  const check: Check = async (row) => {
    const result = await engine.render(renderJob(shared, row));
    if (result.ok) return null;
    const defects = (result.fields ?? []).map(({ field, reason }) => `${field}: ${reason}`);
    return defects.length > 0 ? defects.slice(0, 3).join('; ') : result.message;
  };
  return { check, fields };
}
