import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { fileNames } from './file-name.ts';
import type { BatchRecord } from './input.ts';
import type { Manifest } from './manifest.ts';
import type { BatchPlan } from './run.ts';

/** A record with the file of its document. */
export interface NamedRecord extends BatchRecord {
  /** The expanded --name; '' without --name. */
  readonly name: string;
  readonly file: string;
  /** Whether its file has its number, too, because another record has the same name. */
  readonly isTaken: boolean;
  /** Identifies the request for the record: when it changes, the record is another one. */
  readonly input: string;
  /** Whether the manifest has it as done, and its PDF is there. */
  readonly isDone: boolean;
}

/**
 * Names the records in the order of the input, so that the same batch gets the same names. A record
 * that is done keeps the name of its file, which no other record gets.
 */
export async function* withNames(
  plan: BatchPlan,
  records: AsyncGenerator<BatchRecord, void, undefined>,
  manifest: Manifest,
): AsyncGenerator<NamedRecord, void, undefined> {
  const names = fileNames(
    plan.name,
    [...manifest.made].map(({ file }) => file),
  );
  for await (const record of records) {
    const input = inputDigest(plan, record);
    const name = names.nameOf(record.data);
    const made = manifest.find(record.number);
    if (made?.input === input && made.name === name) {
      const isDone = existsSync(join(plan.out, made.file));
      yield { ...record, input, name, file: made.file, isTaken: false, isDone };
    } else {
      yield { ...record, input, isDone: false, ...names.of(record.number, record.data) };
    }
  }
}

function inputDigest(plan: BatchPlan, { number, data }: BatchRecord): string {
  const { templateId, version, mode, options } = plan;
  const identity = JSON.stringify([templateId, version, mode, options, number]);
  return createHash('sha256').update(identity).update(data).digest('hex');
}
