import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Failure, Outcome } from '../../errors.ts';
import { entryAt, fail, succeed } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import type { FieldDescriptor, FieldValues } from '../contract/types.ts';
import type {
  CheckedRow,
  CheckedRows,
  CheckRowsJob,
  RenderedDocument,
  RenderedRow,
  RenderedRows,
  RenderJob,
  RenderResult,
  RenderRowsJob,
} from '../job.ts';
import { csvRows } from './csv.ts';

/** Reason for a missing or unusable row id. */
const ROW_ID_EXPECTED = 'row id expected: 1 to 128 characters, no control characters';
const ZERO = '0';

/** The stages of render.ts, as they check and render one row. */
export interface RowStages {
  readonly fields: readonly FieldDescriptor[];
  readonly check: (data: Uint8Array) => Outcome<FieldValues> | Promise<Outcome<FieldValues>>;
  readonly render: (job: RenderJob) => Promise<RenderResult>;
  /** Whether requests wait for this thread. */
  readonly isWanted: () => boolean;
}

/** Checks at least one row, and goes on until all are checked or requests wait for the thread. */
export async function checkRows(job: CheckRowsJob, stages: RowStages): Promise<CheckedRows> {
  const sums = job.sumFields.map((name) => stages.fields.findIndex((field) => field.name === name));
  const dataOf = rowsOf(job);
  const rows: CheckedRow[] = [];
  for (let index = 0; index < job.ends.length; index++) {
    if (index > 0 && stages.isWanted()) break;
    const data = dataOf(index);
    rows.push(
      data.ok
        ? await checkRow(data.value, job.idField, sums, stages.check)
        : { rowId: '', digest: '', failure: data, amounts: sums.map(() => ZERO) },
    );
  }
  return { rows };
}

/** Checks one row; `sums` are the indices of the fields whose amounts it gives. */
async function checkRow(
  data: Uint8Array,
  idField: string,
  sums: readonly number[],
  check: RowStages['check'],
): Promise<CheckedRow> {
  const checked = await check(data);
  const rowId = identify(data, idField);
  const failure = failureOf(checked, rowId, idField);
  const values = checked.ok && failure === null ? checked.value : [];
  const amounts = sums.map((at) => amountOf(values[at]));
  const digest = hash('sha256', data, 'hex').slice(0, 32);
  return { rowId: rowId ?? '', digest, failure, amounts };
}

/** Renders at least one row, and goes on until all are rendered or requests wait for the thread. */
export async function renderRows(job: RenderRowsJob, stages: RowStages): Promise<RenderedRows> {
  const { template, atMs, watermark, metadata } = job;
  const shared = { template, atMs, watermark, metadata };
  const rest = { attachments: [], checkOnly: false, digest: true } as const;
  const dataOf = rowsOf(job);
  const rows: RenderedRow[] = [];
  const files: Uint8Array[] = [];
  for (let index = 0; index < job.ends.length; index++) {
    if (index > 0 && stages.isWanted()) break;
    const data = dataOf(index);
    const result = data.ok
      ? await stages.render({
          kind: 'render',
          ...shared,
          ...rest,
          body: data.value,
          dataStart: 0,
          dataEnd: data.value.length,
        })
      : data;
    rows.push(result.ok ? rowOf(result.value) : failedRow(result));
    if (result.ok) files.push(result.value.pdf);
  }
  return { rows, files: join(files) };
}

function rowOf({ pdf, pages, sha256, missingCharacters }: RenderedDocument): RenderedRow {
  const bytes = pdf.byteLength;
  return { failure: null, pages, bytes, sha256, crc32: crc32(pdf), missingCharacters };
}

function failedRow(failure: Failure): RenderedRow {
  return { failure, pages: 0, bytes: 0, sha256: '', crc32: 0, missingCharacters: 0 };
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

/** Returns a function that reads a row as the bytes of a JSON object, or a failure. */
function rowsOf({
  rows,
  ends,
  header,
}: CheckRowsJob | RenderRowsJob): (index: number) => Outcome<Uint8Array> {
  const slice = (index: number): Uint8Array =>
    rows.subarray(index === 0 ? 0 : entryAt(ends, index - 1), entryAt(ends, index));
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

/** The id of a row; null when it is missing or unusable. */
function identify(data: Uint8Array, idField: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(text(data));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, idField)) return null;
  // `Object.hasOwn` has shown that the object has the key.
  const id = (value as Record<string, unknown>)[idField];
  // An unsafe integer may have lost digits in JSON.parse.
  const name = typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : id;
  return typeof name === 'string' && isRowId(name) ? name : null;
}

function isRowId(name: string): boolean {
  const fits = name.length > 0 && name.length <= LIMITS.rowIdLengthMax && name.isWellFormed();
  return fits && name.trim() === name && !/\p{Cc}/u.test(name);
}

/** All defects of a row; null when it is valid. */
function failureOf(
  checked: Outcome<unknown>,
  rowId: string | null,
  idField: string,
): Failure | null {
  if (!checked.ok && checked.code !== 'invalid_data') return checked;
  const fields = checked.ok ? [] : [...(checked.fields ?? [])];
  if (rowId === null) fields.push({ field: idField, reason: ROW_ID_EXPECTED });
  return fields.length === 0 ? null : fail('invalid_data', undefined, fields);
}

/** The decimal of a number, 0 for any other value. */
function amountOf(value: FieldValues[number] | undefined): string {
  return value?.type === 'number' ? value.raw : ZERO;
}
