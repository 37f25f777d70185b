import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ServiceError } from './client.ts';
import { csvLine } from './csv.ts';
import type { BatchRecord, InputFormat } from './input.ts';

/** Limit of the failed records that are reported on standard error; the file has all. */
const REPORTED_MAX = 20;
const FIELDS_REPORTED_MAX = 5;

/** Names of the files that failed records are written to, by the format of the input. */
export const FAILED_FILES: Readonly<Record<InputFormat, string>> = {
  csv: 'failed.csv',
  ndjson: 'failed.ndjson',
};

/**
 * Failed records of a batch: it reports them on standard error and copies them from the input to a
 * file of the same format, so that they can be corrected and sent again.
 */
export class Failures {
  readonly path: string;
  readonly #columns: readonly string[];
  readonly #warn: (message: string) => void;
  #count = 0;

  constructor(
    folder: string,
    format: InputFormat,
    columns: readonly string[],
    warn: (message: string) => void,
  ) {
    this.path = join(folder, FAILED_FILES[format]);
    this.#columns = columns;
    this.#warn = warn;
    // Remove the file of the previous run.
    rmSync(this.path, { force: true });
  }

  add({ number, source }: BatchRecord, { code, error, fields }: ServiceError): void {
    this.#count += 1;
    if (this.#count <= REPORTED_MAX) {
      const reasons = fields
        .slice(0, FIELDS_REPORTED_MAX)
        .map(({ field, reason }) => `${field}: ${reason}`);
      if (fields.length > FIELDS_REPORTED_MAX)
        reasons.push(`${fields.length - FIELDS_REPORTED_MAX} more`);
      const why = reasons.length === 0 ? error : reasons.join('; ');
      this.#warn(`record ${number}: ${why} (${code})`);
    } else if (this.#count === REPORTED_MAX + 1) {
      this.#warn(`more failed records are in ${this.path}`);
    }
    const line = typeof source === 'string' ? source : csvLine(source);
    if (this.#count === 1) {
      writeFileSync(this.path, typeof source === 'string' ? '' : `${csvLine(this.#columns)}\n`);
    }
    appendFileSync(this.path, `${line}\n`);
  }
}
