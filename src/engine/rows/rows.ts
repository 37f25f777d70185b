import { hash } from 'node:crypto';
import type { Failure, Outcome } from '../../errors.ts';
import { entryAt, fail, succeed } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import type { FieldDescriptor, FieldValues } from '../contract/types.ts';
import type {
  CheckedRow,
  CheckedRows,
  CheckRowsJob,
  KeepFile,
  RenderedDocument,
  RenderedRow,
  RenderedRows,
  RenderJob,
  RenderResult,
  RenderRowsJob,
} from '../job.ts';
import { CORRECTION, type RowAddress } from '../../runtime/contract/correction.ts';
import { copyBytes } from '../../runtime/memory/copy-bytes.ts';
import { inFormat } from './cells.ts';
import { csvRows, readRecords } from './csv.ts';

/** Reason for a missing or unusable row id. */
const ROW_ID_EXPECTED = 'row id expected: 1 to 128 characters, no control characters';
/** Reason for an id such as 1.23E+11: a spreadsheet makes the same text of many numbers. */
const ROW_ID_SHORTENED =
  'row id expected: a spreadsheet has shortened this number; format the column as text there';
const SHORTENED = /^\d(?:[.,]\d+)?E\+\d+$/;
const AMOUNT = /^-?\d{1,40}(?:\.\d{1,40})?$/;
/** More digits than this may have been lost in JSON.parse. */
const DIGITS_SAFE = 15;
const ZERO = '0';
const UNREADABLE = '';
/** A place that no row has: parts and lines are numbered from 1. */
const NOWHERE: RowAddress = { part: 0, line: 0 };

const NONE: readonly string[] = [];

type Members = Readonly<Record<string, unknown>>;

/** The stages of an engine, as they check and render one row. */
export interface RowStages {
  readonly fields: readonly FieldDescriptor[];
  readonly check: (data: Uint8Array) => Outcome<FieldValues> | Promise<Outcome<FieldValues>>;
  /** The passwords of a row; null: it has none. */
  readonly passwords: (data: Uint8Array) => Promise<Outcome<RenderedRow['passwords']>>;
  /** `keep` is called with a rendered document's file. */
  readonly render: (job: RenderJob, keep: KeepFile) => Promise<RenderResult>;
  /** The CRC-32 of a rendered document. */
  readonly crc32: (pdf: Uint8Array) => number;
  /** Whether requests wait for this thread. */
  readonly isWanted: () => boolean;
}

/** Checks at least one row, and goes on until all are checked or requests wait for the thread. */
export async function checkRows(job: CheckRowsJob, stages: RowStages): Promise<CheckedRows> {
  const sums = job.sumFields.map((name) => stages.fields.findIndex((field) => field.name === name));
  const dataOf = inFormat(rowsOf(job), job.cells, stages.fields, job.header !== null);
  const rows: CheckedRow[] = [];
  for (let index = 0; index < job.ends.length; index++) {
    if (index > 0 && stages.isWanted()) break;
    const data = dataOf(index);
    rows.push(
      data.ok
        ? await checkRow(data.value, job, sums, stages)
        : unreadable(data, sums, addressOfCells(job, index), unnamedColumns(job.header, stages)),
    );
  }
  return { rows };
}

function unreadable(
  failure: Failure,
  sums: readonly number[],
  corrects: RowAddress | null,
  unnamed: readonly string[],
): CheckedRow {
  const amounts = sums.map(() => UNREADABLE);
  return { rowId: '', digest: '', failure, amounts, isEmpty: false, corrects, unnamed };
}

/** Fields that a file of corrections has no column for; none for other rows. */
function unnamedColumns(
  header: CheckRowsJob['header'],
  { fields }: Pick<RowStages, 'fields'>,
): readonly string[] {
  const columns = header?.columns ?? [];
  if (!columns.includes(CORRECTION.line)) return NONE;
  return fields.map(({ name }) => name).filter((name) => !columns.includes(name));
}

function unnamedOf(
  header: CheckRowsJob['header'],
  values: Members | null,
  stages: Pick<RowStages, 'fields'>,
): readonly string[] {
  // A row has no value for an empty cell, so the header is asked which fields have a column.
  if (header !== null) return unnamedColumns(header, stages);
  const names = stages.fields.map(({ name }) => name);
  return names.filter((name) => memberOf(values, name) === undefined);
}

/**
 * The address of a row of corrections whose cells do not fit the header: without it, the row would
 * count as a further row of the run. null: it is no correction.
 */
function addressOfCells(job: CheckRowsJob, index: number): RowAddress | null {
  const { header } = job;
  if (header === null || !header.columns.includes(CORRECTION.line)) return null;
  const cells = readRecords(text(sliceOf(job, index)), header.delimiter)?.[0] ?? [];
  const places = [CORRECTION.part, CORRECTION.line].map((name): [string, string] => [
    name,
    cells[header.columns.indexOf(name)] ?? '',
  ]);
  return addressOf(Object.fromEntries(places));
}

/** Checks one row; `sums` are the indices of the fields whose amounts it gives. */
async function checkRow(
  data: Uint8Array,
  { header, idField, sumFields }: CheckRowsJob,
  sums: readonly number[],
  stages: Pick<RowStages, 'check' | 'fields'>,
): Promise<CheckedRow> {
  const isCsv = header !== null;
  const bytesDigest = hash('sha256', data, 'hex').slice(0, 32);
  // `{}`: every cell of the record is empty.
  if (isCsv && data.byteLength === 2) {
    const none = { rowId: '', failure: null, amounts: [], corrects: null, unnamed: NONE };
    return { ...none, digest: bytesDigest, isEmpty: true };
  }
  const checked = await stages.check(data);
  const values = objectOf(data);
  const rowId = identify(values, idField, isCsv);
  const failure = failureOf(checked, idReason(values, rowId, idField, isCsv), idField);
  const amounts =
    checked.ok && failure === null
      ? sums.map((at) => amountOf(checked.value[at]))
      : sumFields.map((name) => readAmount(values, name));
  const corrects = addressOf(values);
  return {
    rowId: rowId ?? '',
    digest: corrects === null ? bytesDigest : correctionDigest(values, corrects, idField, stages),
    failure,
    amounts,
    isEmpty: false,
    corrects,
    unnamed: corrects === null ? NONE : unnamedOf(header, values, stages),
  };
}

/**
 * A digest that is the same for the same correction, whether it came in a file or in a request of its
 * own: it ignores the order of the fields, fields without a value, and columns that are no field.
 */
function correctionDigest(
  values: Members | null,
  { part, line }: RowAddress,
  idField: string,
  { fields }: Pick<RowStages, 'fields'>,
): string {
  const names = [...new Set([...fields.map(({ name }) => name), idField])];
  const cells = names
    .map((name): [string, unknown] => [name, memberOf(values, name)])
    .filter(([, value]) => value !== undefined && value !== null && value !== '');
  return hash('sha256', JSON.stringify([part, line, ...cells]), 'hex').slice(0, 32);
}

/** Renders at least one row, and goes on until all are rendered or requests wait for the thread. */
export async function renderRows(job: RenderRowsJob, stages: RowStages): Promise<RenderedRows> {
  const { template, atMs, watermark, metadata } = job;
  const shared = { template, atMs, watermark, metadata };
  const isProtected = job.passwords !== undefined;
  // A protected file gets its digest when it is protected.
  const rest = {
    signature: job.signature ?? null,
    isPreview: false,
    isProtected,
    attachments: [],
    checkOnly: false,
    digest: !isProtected,
  };
  const dataOf = inFormat(rowsOf(job), job.cells, stages.fields, job.header !== null);
  const rows: RenderedRow[] = [];
  const files = new RowFiles(job.slab);
  const keep: KeepFile = (file) => files.add(file);
  for (let index = 0; index < job.ends.length; index++) {
    if (index > 0 && stages.isWanted()) break;
    const data = dataOf(index);
    const passwords = data.ok ? await stages.passwords(data.value) : data;
    const result = data.ok
      ? await stages.render(
          {
            kind: 'render',
            ...shared,
            ...rest,
            body: data.value,
            dataStart: 0,
            dataEnd: data.value.length,
          },
          passwords.ok ? keep : keepNothing,
        )
      : data;
    if (!result.ok || !passwords.ok) {
      rows.push(failedRow(result.ok && !passwords.ok ? passwords : (result as Failure)));
      continue;
    }
    rows.push(rowOf(result.value, passwords.value, stages));
  }
  return { rows, files: files.take() };
}

function rowOf(
  { pdf, ...document }: RenderedDocument,
  passwords: RenderedRow['passwords'],
  stages: Pick<RowStages, 'crc32'>,
): RenderedRow {
  const { pages, sha256, missingCharacters, naming, signature = null } = document;
  const bytes = pdf.byteLength;
  return {
    failure: null,
    pages,
    bytes,
    sha256,
    crc32: stages.crc32(pdf),
    missingCharacters,
    naming,
    passwords,
    signature,
  };
}

function failedRow(failure: Failure): RenderedRow {
  const none = { pages: 0, bytes: 0, sha256: '', crc32: 0, missingCharacters: 0, naming: null };
  return { failure, ...none, passwords: null, signature: null };
}

function keepNothing(): Uint8Array {
  return new Uint8Array(0);
}

/** The files of a job: in its slab if all of them fit, otherwise in a buffer. */
class RowFiles {
  #slab: Uint8Array | null;
  #slabBytes = 0;
  readonly #others: Uint8Array[] = [];

  constructor(slab: Uint8Array | undefined) {
    this.#slab = slab ?? null;
  }

  /** Copies a file and gives the copy. */
  add(file: Uint8Array): Uint8Array {
    const start = this.#slabBytes;
    const end = start + file.byteLength;
    if (this.#slab !== null && end <= this.#slab.byteLength) {
      copyBytes(file, this.#slab, start);
      this.#slabBytes = end;
      return this.#slab.subarray(start, end);
    }
    if (this.#slab !== null) this.#others.push(this.#slab.subarray(0, start));
    this.#slab = null;
    const copy = file.slice();
    this.#others.push(copy);
    return copy;
  }

  take(): Uint8Array {
    return this.#slab?.subarray(0, this.#slabBytes) ?? join(this.#others);
  }
}

/** One unshared buffer with all files, which is transferred to the main thread. */
function join(files: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(files.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const file of files) {
    whole.set(file, at);
    at += file.byteLength;
  }
  return whole;
}

/** The bytes of a row as it was uploaded. */
function sliceOf({ rows, ends }: CheckRowsJob | RenderRowsJob, index: number): Uint8Array {
  return rows.subarray(index === 0 ? 0 : entryAt(ends, index - 1), entryAt(ends, index));
}

/** Returns a function that reads a row as the bytes of a JSON object, or a failure. */
function rowsOf(job: CheckRowsJob | RenderRowsJob): (index: number) => Outcome<Uint8Array> {
  const { rows, ends, header } = job;
  const slice = (index: number): Uint8Array => sliceOf(job, index);
  const json = (index: number): Outcome<Uint8Array> => succeed(slice(index));
  const dataOf = header === null ? json : csvRows(textOf(slice), text(rows), ends.length, header);
  return (index) => {
    const { byteLength } = slice(index);
    if (byteLength <= LIMITS.rowBytesMax) return dataOf(index);
    return fail('payload_too_large', `The row is larger than ${LIMITS.rowBytesMax} bytes.`);
  };
}

function textOf(slice: (index: number) => Uint8Array): (index: number) => string {
  return (index) => text(slice(index));
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** The members of a row; null when it is no JSON object. */
function objectOf(data: Uint8Array): Members | null {
  try {
    const value: unknown = JSON.parse(text(data));
    // An object has members by name.
    return typeof value === 'object' && value !== null ? (value as Members) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function memberOf(values: Members | null, name: string): unknown {
  return values !== null && Object.hasOwn(values, name) ? values[name] : undefined;
}

/** The id of a row; null when it is missing or unusable. */
function identify(values: Members | null, idField: string, isCsv: boolean): string | null {
  const id = memberOf(values, idField);
  // An unsafe integer may have lost digits in JSON.parse.
  const name = typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : id;
  if (typeof name !== 'string' || !isRowId(name)) return null;
  return isCsv && SHORTENED.test(name) ? null : name;
}

/** Why a row has no id; null: it has one. */
function idReason(
  values: Members | null,
  rowId: string | null,
  idField: string,
  isCsv: boolean,
): string | null {
  if (rowId !== null) return null;
  const id = memberOf(values, idField);
  return isCsv && SHORTENED.test(String(id)) ? ROW_ID_SHORTENED : ROW_ID_EXPECTED;
}

/** The row that a correction takes the place of; null: it is no correction. */
function addressOf(values: Members | null): RowAddress | null {
  const [part, line] = [memberOf(values, CORRECTION.part), memberOf(values, CORRECTION.line)];
  if (part === undefined && line === undefined) return null;
  return isNumbering(part) && isNumbering(line)
    ? { part: Number(part), line: Number(line) }
    : NOWHERE;
}

/** Whether a value is a whole number from 1, also as text. */
function isNumbering(value: unknown): boolean {
  if (typeof value === 'string') return /^[1-9]\d{0,8}$/.test(value.trim());
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 1e9;
}

/** The amount of a field in a row that is invalid. */
function readAmount(values: Members | null, name: string): string {
  const value = memberOf(values, name);
  if (values === null) return UNREADABLE;
  if (value === undefined || value === null || value === '') return ZERO;
  if (typeof value === 'string') return AMOUNT.test(value) ? value : UNREADABLE;
  if (typeof value !== 'number') return UNREADABLE;
  const amount = String(value);
  return AMOUNT.test(amount) && amount.length <= DIGITS_SAFE ? amount : UNREADABLE;
}

function isRowId(name: string): boolean {
  const fits = name.length > 0 && name.length <= LIMITS.rowIdLengthMax && name.isWellFormed();
  return fits && name.trim() === name && !/\p{Cc}/u.test(name);
}

/** All defects of a row; null when it is valid. */
function failureOf(
  checked: Outcome<unknown>,
  idFault: string | null,
  idField: string,
): Failure | null {
  if (!checked.ok && checked.code !== 'invalid_data') return checked;
  const fields = checked.ok ? [] : [...(checked.fields ?? [])];
  if (idFault !== null) fields.push({ field: idField, reason: idFault });
  return fields.length === 0 ? null : fail('invalid_data', undefined, fields);
}

/** The decimal of a number, 0 for any other value. */
function amountOf(value: FieldValues[number] | undefined): string {
  return value?.type === 'number' ? value.raw : ZERO;
}
