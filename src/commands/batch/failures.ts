import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { adviceOf, type CellCure, cureOf, reasonIn } from '../../runtime/contract/cell-cure.ts';
import type { CsvFormat } from '../../runtime/csv/csv-format.ts';
import { csvLine } from './csv.ts';
import { encodeText } from '../../runtime/encoding/encode.ts';
import { type BatchRecord, type InputFormat, placeOf, type Survey } from './input.ts';
import type { Mending } from './mending.ts';
import { Outlook } from './outlook.ts';
import type { RecordError } from './run.ts';

/** Limit of the reasons that are reported on standard error; the file has all records. */
const REPORTED_MAX = 20;
const FIELDS_REPORTED_MAX = 5;

const BYTE_ORDER_MARK = '\uFEFF';

/** How the input is written. */
type Written = Pick<Survey, 'keys' | 'delimiter' | 'encoding' | 'hasMark'>;

/** Names of the files that failed records are written to, by the format of the input. */
export const FAILED_FILES: Readonly<Record<InputFormat, string>> = {
  csv: 'failed.csv',
  ndjson: 'failed.ndjson',
};

/**
 * Reports the failed records of a batch on standard error, and copies them from the input to a file
 * of the same format, delimiter and encoding: the program that wrote the input opens it again.
 */
export class Failures {
  readonly path: string;
  readonly #folder: string;
  readonly #written: Written;
  readonly #warn: (message: string) => void;
  /** How the cells were said to be written. */
  readonly #csv: CsvFormat;
  #named: ReadonlySet<string> = new Set();
  #mending: Mending | null = null;
  /** null: no other options would read more cells. */
  #outlook: Outlook | null = null;
  #count = 0;
  /** How many records failed for each reported reason. */
  readonly #reasons = new Map<string, number>();
  #hasMore = false;
  /** Cures that were named: one of them mends a whole column. */
  readonly #cures = new Set<CellCure>();

  constructor(
    folder: string,
    format: InputFormat,
    written: Written,
    warn: (message: string) => void,
    csv: CsvFormat = {},
  ) {
    this.#csv = csv;
    this.#folder = folder;
    this.path = join(folder, FAILED_FILES[format]);
    this.#written = written;
    this.#warn = warn;
  }

  /**
   * Removes the file of the previous run, which may have had the other format. `named`: columns of
   * which another format was named. `mending`: options that would read more cells.
   */
  begin(named: ReadonlySet<string> = new Set(), mending: Mending | null = null): void {
    this.#named = named;
    this.#mending = mending;
    this.#outlook = mending === null ? null : new Outlook(mending);
    for (const name of Object.values(FAILED_FILES)) {
      rmSync(join(this.#folder, name), { force: true });
    }
  }

  /**
   * What becomes of the records with other options, where nearly all that failed need them; else null.
   * `unsent`: the records that were not sent.
   */
  async lookAhead(
    unsent: () => AsyncGenerator<BatchRecord, void, undefined>,
  ): Promise<Outlook | null> {
    const outlook = this.#outlook;
    if (outlook === null || this.#count === 0) return null;
    for await (const record of unsent()) outlook.addUnsent(record, this.#valuesOf(record));
    return outlook.isRight ? outlook : null;
  }

  add(record: BatchRecord, { code, error, fields }: RecordError): void {
    const { source } = record;
    this.#count += 1;
    this.#outlook?.addFailed(record, this.#valuesOf(record), fields, error);
    const reason = `${reasonOf(error, fields, this.#formatOf(record))} (${code})`;
    const before = this.#reasons.get(reason);
    if (before !== undefined) {
      this.#reasons.set(reason, before + 1);
    } else if (this.#reasons.size < REPORTED_MAX) {
      this.#reasons.set(reason, 1);
      this.#warn(`${placeOf(record)}: ${reason}`);
      this.#nameCures(record, fields);
    } else if (!this.#hasMore) {
      this.#hasMore = true;
      this.#warn(`records that failed for further reasons are in ${this.path}`);
    }
    this.#copy(source);
  }

  /** Says how many records failed for each reason; `recordCount` records were tried. */
  summarize(recordCount: number): void {
    for (const [reason, count] of this.#reasons) {
      if (count === 1) continue;
      this.#warn(`${count === recordCount ? 'all ' : ''}${count} records: ${reason}`);
    }
  }

  /** Says once what would mend the cells of a whole column. */
  #nameCures(record: BatchRecord, fields: RecordError['fields']): void {
    if (fields.length === 0) return;
    const values = this.#valuesOf(record);
    for (const { field, reason } of fields) {
      const cure = Object.hasOwn(values, field) ? cureOf(reason, values[field], this.#csv) : null;
      if (cure === null || this.#cures.has(cure)) continue;
      if (cure !== 'day' && this.#named.has(field)) continue;
      this.#cures.add(cure);
      const place = typeof record.source === 'string' ? 'none' : 'csv';
      this.#warn(`${field}: ${adviceOf(cure, this.#csv, place, this.#mending?.format)}`);
    }
  }

  /** The values as they are in the input: `data` has numbers and dates in the form of the contract. */
  #valuesOf({ source, data }: BatchRecord): Readonly<Record<string, unknown>> {
    if (typeof source !== 'string') {
      return Object.fromEntries(this.#written.keys.map((key, index) => [key, source[index]]));
    }
    // The readers of the input yield JSON objects only.
    return JSON.parse(data) as Readonly<Record<string, unknown>>;
  }

  /** Records of NDJSON are in the notation of the contract. */
  #formatOf({ source }: BatchRecord): CsvFormat {
    return typeof source === 'string' ? {} : this.#csv;
  }

  /** Appends the record to the file, which begins with a header if it is CSV. */
  #copy(source: BatchRecord['source']): void {
    const { keys, delimiter, encoding, hasMark } = this.#written;
    const isCsv = typeof source !== 'string';
    if (this.#count === 1) {
      const header = isCsv ? `${csvLine(keys, delimiter)}\n` : '';
      const begin = encodeText(`${hasMark ? BYTE_ORDER_MARK : ''}${header}`, encoding);
      writeFileSync(this.path, begin, { mode: 0o600 });
    }
    const line = isCsv ? csvLine(source, delimiter) : source;
    appendFileSync(this.path, encodeText(`${line}\n`, encoding));
  }
}

/** The first defects of a record in the notation of its file, or the message when no field is to blame. */
function reasonOf(error: string, fields: RecordError['fields'], csv: CsvFormat): string {
  if (fields.length === 0) return error;
  const reasons = fields
    .slice(0, FIELDS_REPORTED_MAX)
    .map(({ field, reason }) => `${field}: ${reasonIn(reason, csv)}`);
  const more = fields.length - FIELDS_REPORTED_MAX;
  if (more > 0) reasons.push(`${more} more`);
  return reasons.join('; ');
}
