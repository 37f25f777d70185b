import { type FailedRows, needsOtherFormat } from '../../runtime/csv/other-format.ts';
import { outcomeIn, type OtherReading, StayingFaults } from '../console/staying-faults.ts';
import { type BatchRecord, placeOf } from './input.ts';
import type { Mending } from './mending.ts';
import type { RecordError } from './run.ts';

type Cells = Readonly<Record<string, unknown>>;

/** What becomes of the records of a batch when its file is read with the options of a `Mending`. */
export class Outlook {
  readonly mending: Mending;
  readonly #reading: OtherReading;
  /** Records that were sent and failed. */
  readonly #failed = { needing: 0, odd: 0, other: 0 };
  /** These, and records that were not sent and whose cells are not read now. */
  readonly #known = { needing: 0, odd: 0, other: 0 };
  readonly #faulty = new StayingFaults();
  #hasUnsent = false;

  constructor(mending: Mending) {
    this.mending = mending;
    this.#reading = {
      format: mending.format,
      mends: (cell, type) => mending.readsAs(cell, type),
    };
  }

  /** Whether nearly all records that failed need the options. */
  get isRight(): boolean {
    return countOf(this.#failed) > 0 && needsOtherFormat(this.#failed, this.#known);
  }

  /** Counts a record that was sent and failed. */
  addFailed(record: BatchRecord, cells: Cells, fields: RecordError['fields'], error: string): void {
    const { kind, faults } =
      fields.length === 0
        ? ({ kind: 'other', faults: error } as const)
        : outcomeIn(this.#reading, fields, cells);
    this.#failed[kind] += 1;
    this.#count(record, kind, faults);
  }

  /** Counts a record that was not sent: of its faults, only cells that are not read are known. */
  addUnsent(record: BatchRecord, cells: Cells): void {
    this.#hasUnsent = true;
    const fields = this.mending.unread(cells);
    if (fields.length === 0) return;
    const { kind, faults } = outcomeIn(this.#reading, fields, cells);
    this.#count(record, kind, faults);
  }

  /** The records that stay faulty with the options; nothing of none. `file`: where to correct them. */
  sayFaulty(file: string): readonly string[] {
    const { count } = this.#faulty;
    if (count === 0) return [];
    const stay = `${count} ${count === 1 ? 'record stays' : 'records stay'} faulty`;
    const them = count === 1 ? 'it' : 'them';
    const when =
      count * 2 > countOf(this.#known) ? 'first' : 'before, or afterwards and run it again';
    return [
      `After that, ${this.#hasUnsent ? 'at least ' : ''}${stay}; correct ${them} in ${file} ${when}:`,
      ...this.#faulty.lines(),
    ];
  }

  #count(record: BatchRecord, kind: keyof FailedRows, faults: string): void {
    this.#known[kind] += 1;
    this.#faulty.add(placeOf(record), faults);
  }
}

function countOf({ needing, odd, other }: FailedRows): number {
  return needing + odd + other;
}
