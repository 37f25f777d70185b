import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { entryAt } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import {
  CORRECTION,
  guardCell,
  type RowAddress,
  unguardCell,
} from '../runtime/contract/correction.ts';
import type { CsvFormat } from '../runtime/csv/csv-format.ts';
import type {
  CheckedChunkRow,
  RunSpec,
  RunRecord,
  ChunkOfRows,
  ChunkRow,
  ExceptionOutcome,
  RowException,
  RunPart,
} from '../store/runs/types.ts';
import { addressKey } from '../store/runs/sorting.ts';
import { FileDamaged, FileMissing, type Store } from '../store/store.ts';
import { LEFT_OUT, readRecords, type Secrets } from '#engine/light';
import { RowsLost } from './losses.ts';
import { quoteCell, reasonsOf } from './manifest.ts';
import { columnsOf, readSpan } from './part-file.ts';

/** Exceptions read from the database at a time. */
const PAGE = 500;
/** Rows written before other work may run: well under ten milliseconds. */
const ROWS_PER_TURN = 50;
/** Parts and chunks whose bytes are kept while rows of them follow each other. */
const KEPT_MAX = 4;
const NO_TEXT = '';
const MARKS: readonly string[] = [...Object.values(CORRECTION), '#text'];
const BYTE_ORDER_MARK = '\uFEFF';

type Reads = Pick<Store, 'runExceptions' | 'runWork'>;

/** A faulty row with its reasons and its data as they were uploaded. */
export interface FaultyRow
  extends RowAddress, Pick<ChunkRow, 'rowId' | 'code' | 'message' | 'fields'> {
  readonly outcome: ExceptionOutcome;
  /** By column or member; null: the row cannot be read, or its part is not stored any more. */
  readonly data: Readonly<Record<string, unknown>> | null;
  /** Cells beyond the header. */
  readonly extra: readonly string[];
  /** The row as it was uploaded, where it does not fit the columns; otherwise ''. */
  readonly text: string;
  /** Fields with a control sum whose amount cannot be read; absent: none. */
  readonly unread?: readonly string[];
}

/**
 * Reads exceptions of a run with their data. Rows whose part is damaged or gone have no data, and
 * pages of rows have no value of a secret field.
 */
export class FaultyRows {
  readonly #store: Reads;
  readonly #runId: string;
  readonly #spec: Pick<RunSpec, 'csv' | 'expectedSums'>;
  readonly #secrets: Secrets;
  readonly #parts = new LRUCache<number, PartToRead>({ max: KEPT_MAX });
  readonly #chunks = new LRUCache<string, ChunkToRead>({ max: KEPT_MAX });

  constructor(store: Reads, { runId, spec }: Pick<RunRecord, 'runId' | 'spec'>, secrets: Secrets) {
    this.#store = store;
    this.#runId = runId;
    this.#spec = spec;
    this.#secrets = secrets;
  }

  /** At most `countMax` rows after `after`. */
  async page(
    outcomes: readonly ExceptionOutcome[],
    countMax: number,
    after: RowAddress | null,
  ): Promise<readonly FaultyRow[]> {
    const { runExceptions } = this.#store;
    const found = await runExceptions.list(this.#runId, outcomes, countMax, after);
    const rows = await this.#readAll(found);
    return rows.map((row) => withoutSecrets(row, this.#secrets));
  }

  /** The exceptions that stand at these addresses now, by `addressKey`; with secret values. */
  async at(addresses: readonly RowAddress[]): Promise<ReadonlyMap<string, FaultyRow>> {
    const rows = await this.#readAll(await this.#store.runExceptions.at(this.#runId, addresses));
    return new Map(rows.map((row) => [addressKey(row), row]));
  }

  async #readAll(found: readonly RowException[]): Promise<readonly FaultyRow[]> {
    const rows: FaultyRow[] = [];
    for (const exception of found) {
      rows.push(await this.#read(exception));
      if (rows.length % ROWS_PER_TURN === 0) await setImmediate();
    }
    return rows;
  }

  /** All rows, page by page. */
  async *pages(outcomes: readonly ExceptionOutcome[]): AsyncGenerator<readonly FaultyRow[]> {
    for (let after: RowAddress | null = null; ;) {
      const rows: readonly FaultyRow[] = await this.page(outcomes, PAGE, after);
      if (rows.length > 0) yield rows;
      if (rows.length < PAGE) return;
      after = rows.at(-1) ?? null;
    }
  }

  /**
   * The columns of all rows, in the order in which they are met; null: more than a CSV may have.
   */
  async columns(outcomes: readonly ExceptionOutcome[]): Promise<readonly string[] | null> {
    const names = new Set<string>();
    for await (const rows of this.pages(outcomes)) {
      for (const { data } of rows) for (const name of Object.keys(data ?? {})) names.add(name);
      if (names.size + MARKS.length > LIMITS.csvColumnsMax) return null;
    }
    return [...names];
  }

  async #read(exception: RowException): Promise<FaultyRow> {
    const { part, line, outcome, heldPart, fromByte, position } = exception;
    const { chunk, bytes } = await this.#chunk(heldPart, fromByte);
    const row = chunk?.rows[position];
    if (chunk === null || row === undefined) {
      return { part, line, outcome, rowId: '', data: null, extra: [], text: NO_TEXT };
    }
    const { rowId, code, message, fields } = row;
    const unread = this.#unreadOf(exception);
    const named = unread.length > 0 ? { unread } : {};
    const told = { part, line, outcome, rowId, ...definedOf({ code, message, fields }), ...named };
    if (bytes === null || row.length > LIMITS.rowBytesMax) {
      return { ...told, data: null, extra: [], text: NO_TEXT };
    }
    const { header } = await this.#part(heldPart);
    return { ...told, ...dataOf(textOf(bytes, chunk, position), header) };
  }

  #unreadOf({ amounts, outcome }: RowException): readonly string[] {
    if (outcome === 'identical' || outcome === 'refused') return [];
    const names = Object.keys(this.#spec.expectedSums);
    return names.filter((_, index) => amounts[index] === '');
  }

  async #part(number: number): Promise<PartToRead> {
    const kept = this.#parts.get(number);
    if (kept !== undefined) return kept;
    const { runWork } = this.#store;
    const part = await runWork.part(this.#runId, number);
    const read = part === null ? null : await orNull(() => this.#header(part));
    const loaded = read ?? { part: null, header: null };
    this.#parts.set(number, loaded);
    return loaded;
  }

  async #header(part: RunPart): Promise<PartToRead> {
    const file = await this.#store.runWork.openPart({ ...part, checkedTo: 0 });
    try {
      return { part, header: await columnsOf(file, part, this.#spec) };
    } finally {
      await file.close();
    }
  }

  async #chunk(heldPart: number, fromByte: number): Promise<ChunkToRead> {
    const key = `${heldPart}/${fromByte}`;
    const kept = this.#chunks.get(key);
    if (kept !== undefined) return kept;
    const chunk = await this.#store.runExceptions.chunk(this.#runId, heldPart, fromByte);
    const { part } = await this.#part(heldPart);
    const isReadable = chunk !== null && part !== null;
    const bytes = isReadable ? await orNull(() => this.#bytes(part, chunk)) : null;
    const loaded = { chunk, bytes };
    this.#chunks.set(key, loaded);
    return loaded;
  }

  /** The rows of a chunk, which are compared with its digest. */
  async #bytes(part: RunPart, { fromByte, toByte, sha256 }: ChunkOfRows): Promise<Uint8Array> {
    const file = await this.#store.runWork.openPart({ ...part, checkedTo: fromByte });
    try {
      const bytes = await readSpan(file, part.part, fromByte, toByte);
      if (hash('sha256', bytes, 'hex') !== sha256) throw new RowsLost(part.part, 'damaged');
      return bytes;
    } finally {
      await file.close();
    }
  }
}

interface PartToRead {
  /** null: it is damaged or gone. */
  readonly part: RunPart | null;
  readonly header: Awaited<ReturnType<typeof columnsOf>>;
}

interface ChunkToRead {
  readonly chunk: ChunkOfRows | null;
  readonly bytes: Uint8Array | null;
}

/** Returns what was read; null when the part is damaged or gone. */
async function orNull<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    const isLost =
      error instanceof RowsLost || error instanceof FileDamaged || error instanceof FileMissing;
    if (isLost) return null;
    throw error;
  }
}

function definedOf<T extends object>(members: T): Partial<T> {
  // The same members without those that are undefined.
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Partial<T>;
}

function textOf(bytes: Uint8Array, { rows }: ChunkOfRows, position: number): string {
  let from = 0;
  for (let at = 0; at < position; at += 1) from += entryAt(rows, at).length;
  const { length } = entryAt(rows, position);
  return Buffer.from(bytes.subarray(from, from + length))
    .toString('utf8')
    .trim();
}

/**
 * Narrows `lacks` of corrections, which holds every field that they do not name, to the fields in
 * which the row that they correct has a value. Such a correction would be valid, and its document
 * would be without an optional field that the file of the run had.
 */
export async function withLacks(
  faulty: FaultyRows,
  rows: readonly CheckedChunkRow[],
): Promise<readonly CheckedChunkRow[]> {
  const asked = rows.flatMap(({ corrects, lacks }) => (lacks.length > 0 ? (corrects ?? []) : []));
  if (asked.length === 0) return rows;
  const corrected = await faulty.at(asked);
  return rows.map((row) => {
    const { corrects, lacks } = row;
    if (corrects === null || lacks.length === 0) return row;
    const before = corrected.get(addressKey(corrects));
    if (isUnreadable(before)) return row;
    return { ...row, lacks: lacks.filter((name) => hasValue(before, name)) };
  });
}

/** Whether the row exists but its data can no longer be read. */
function isUnreadable(row: FaultyRow | undefined): boolean {
  return row !== undefined && row.data === null && row.text === NO_TEXT;
}

/**
 * Whether the row has a value in the field. Where its cells do not fit its columns, any of them may
 * be the one of this field.
 */
function hasValue(row: FaultyRow | undefined, name: string): boolean {
  const data = row?.data ?? null;
  if (data === null || !Object.hasOwn(data, name)) return false;
  const value = data[name];
  return row?.text !== '' || (value !== '' && value !== null);
}

/**
 * A row as people may read it. Where its cells do not fit its columns, any of them may be the secret
 * one, so that all are left out.
 */
function withoutSecrets(row: FaultyRow, secrets: Secrets): FaultyRow {
  if (!secrets.any) return row;
  if (row.text !== NO_TEXT) return { ...row, data: null, extra: [], text: LEFT_OUT };
  return { ...row, data: row.data === null ? null : secrets.shown(row.data) };
}

type RowData = Pick<FaultyRow, 'data' | 'extra' | 'text'>;

function dataOf(text: string, header: PartToRead['header']): RowData {
  if (header === null) return jsonData(text);
  const records = readRecords(text, header.delimiter);
  const cells = records?.[0];
  if (cells === undefined || records?.length !== 1) return { data: null, extra: [], text };
  const { columns } = header;
  const isCorrection = columns.includes(CORRECTION.line);
  const data = Object.create(null) as Record<string, string>;
  for (const [index, name] of columns.entries()) {
    if (MARKS.includes(name)) continue;
    const cell = cells[index] ?? '';
    data[name] = isCorrection ? unguardCell(cell) : cell;
  }
  const extra = cells.slice(columns.length);
  const fits = cells.length >= columns.length && extra.every((cell) => cell === '');
  return { data, extra: fits ? [] : extra, text: fits ? NO_TEXT : text };
}

function jsonData(text: string): RowData {
  const value = parseExactly(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { data: null, extra: [], text };
  }
  const members = Object.entries(value).filter(([name]) => !MARKS.includes(name));
  return { data: Object.fromEntries(members), extra: [], text: NO_TEXT };
}

/** Node's types do not have these yet (ECMA-262, JSON.parse source text access). */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => object };

/** Parses JSON and keeps each number as it was written: 12.50 stays 12.50. */
function parseExactly(text: string): unknown {
  try {
    return JSON.parse(text, keepNumber);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** A reviver, which gets a third argument that the types lack. */
function keepNumber(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined ? rawJSON(source) : value;
}

/** The value of a cell: texts as they are, anything else as JSON. */
function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return JSON.stringify(value);
}

/**
 * Writes faulty rows as a file of corrections: where each stands, its reasons, and its data. The file
 * can be corrected in a spreadsheet and uploaded as it is, so its reasons ask for dates in the format of
 * the run.
 */
export async function* writeCorrectionsCsv(
  rows: AsyncIterable<readonly FaultyRow[]>,
  columns: readonly string[],
  csv: CsvFormat,
): AsyncGenerator<Uint8Array> {
  const { part, line, reasons } = CORRECTION;
  const header = [part, line, reasons, ...columns].map(quoteCell).join(',');
  // Without the mark, Excel would not read it as UTF-8.
  yield Buffer.from(`${BYTE_ORDER_MARK}${header}\n`);
  for await (const page of rows) {
    for (let at = 0; at < page.length; at += ROWS_PER_TURN) {
      const lines = page.slice(at, at + ROWS_PER_TURN).map((row) => csvLine(row, columns, csv));
      yield Buffer.from(lines.join(''));
      await setImmediate();
    }
  }
}

function csvLine(row: FaultyRow, columns: readonly string[], csv: CsvFormat): string {
  const { part, line, data, extra, text } = row;
  const cells = data === null ? [text] : [...columns.map((name) => cellOf(data[name])), ...extra];
  const place = [String(part), String(line), guardCell(reasonsOf(row, csv))];
  return `${[...place, ...cells.map(guardCell)].map(quoteCell).join(',')}\n`;
}

/** The same as NDJSON. A row that cannot be read has its text in `#text`. */
export async function* writeCorrectionsJson(
  rows: AsyncIterable<readonly FaultyRow[]>,
): AsyncGenerator<Uint8Array> {
  for await (const page of rows) {
    for (let at = 0; at < page.length; at += ROWS_PER_TURN) {
      const lines = page.slice(at, at + ROWS_PER_TURN).map((row) => `${jsonLine(row)}\n`);
      yield Buffer.from(lines.join(''));
      await setImmediate();
    }
  }
}

function jsonLine(row: FaultyRow): string {
  const { part, line, data, text } = row;
  const place = { '#part': part, '#line': line, '#reasons': reasonsOf(row, {}) };
  // Cells that do not fit the columns may be in the wrong ones: nobody is to take them for values.
  if (text !== NO_TEXT) return JSON.stringify({ ...place, '#text': text });
  const filled = Object.entries(data ?? {}).filter(isFilled);
  return JSON.stringify({ ...place, ...Object.fromEntries(filled) });
}

/** An empty cell is a field that is absent. */
function isFilled([, value]: [string, unknown]): boolean {
  return value !== '';
}
