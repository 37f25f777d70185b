import { hash } from 'node:crypto';
import type { JsonObject } from '../../../runtime/json-object.ts';
import type { Finding, TemplateChange } from '../../job.ts';
import { locate, parseSource } from '../source.ts';
import { Findings } from '../vocabulary/findings.ts';
import { type Difference, differences } from './differences.ts';
import { quotes, valueText } from './quotes.ts';

/** Limit of the changes that are listed one by one; the last entry stands for the others. */
const CHANGES_MAX = 1_000;
/** Limits of what a change quotes of a value. */
const QUOTES = { lengthMax: 1_000, lead: 40 };
/** Longer texts are not looked for in the lines of samples. */
const WORDS_LENGTH_MAX = 400;
/** Hexadecimal digits of the name of a change. */
const ID_LENGTH = 16;
/** Keys of the file from which no document is made. */
const NOT_PRINTED: ReadonlySet<string> = new Set(['samples', '$schema']);

/**
 * Lists what differs between a published version and a draft in everything that documents are made
 * from, in the order of the draft. `before` null: no version is published, so all of the draft is
 * one change. A file that is not JSON is one change, too.
 */
export function findChanges(
  before: Uint8Array | null,
  after: Uint8Array,
): readonly TemplateChange[] {
  const [old, now] = [before === null ? null : printedOf(before), printedOf(after)];
  if (before === null || old === null || now === null) return [whole(after)];
  const all = differences(old, now);
  const listed = all.length > CHANGES_MAX ? mostTelling(all) : all;
  const lines = linesOf(
    after,
    listed.map(({ path }) => path),
  );
  const linesBefore = linesOf(
    before,
    listed.map(({ pathBefore }) => pathBefore),
  );
  const changes = listed.map((difference, index) => {
    const { before: was, after: is } = difference;
    const line = is === undefined ? null : (lines[index] ?? null);
    const lineBefore = was === undefined ? null : (linesBefore[index] ?? null);
    return { ...describe(difference), line, lineBefore };
  });
  if (all.length === listed.length) return changes;
  const kept = new Set(listed);
  return [...changes, others(all.filter((one) => !kept.has(one)))];
}

/** Changes of numbers alone, as of sizes and margins, give way to those of words and conditions. */
function mostTelling(all: readonly Difference[]): readonly Difference[] {
  const words = all.filter((one) => !isOfNumbers(one));
  const numbers = all.filter(isOfNumbers);
  const kept = new Set([...words, ...numbers].slice(0, CHANGES_MAX - 1));
  return all.filter((one) => kept.has(one));
}

function isOfNumbers({ before, after }: Difference): boolean {
  return [before, after].every((value) => value === undefined || typeof value === 'number');
}

/** The members of the file from which documents are made; null: the file is not JSON. */
function printedOf(source: Uint8Array): JsonObject | null {
  const file = parseSource(source, new Findings());
  if (file === null) return null;
  return Object.fromEntries(Object.entries(file).filter(([key]) => !NOT_PRINTED.has(key)));
}

function describe(difference: Difference): Omit<TemplateChange, 'line' | 'lineBefore'> {
  const { path, before, after } = difference;
  const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  const words = typeof after === 'string' && isPlain(after) ? after : '';
  const quoted = quotes(valueText(before), valueText(after), QUOTES);
  return { id: idOf([difference]), path, change, ...quoted, words };
}

/** Whether a text is short enough to quote, and is printed as it stands. */
function isPlain(text: string): boolean {
  return text.length <= WORDS_LENGTH_MAX && !text.includes('{{');
}

/** Names changes by all of their content: another draft does not reuse a confirmation. */
function idOf(changes: readonly Difference[]): string {
  const parts = changes.map(({ path, before, after }) => [path, before ?? null, after ?? null]);
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, ID_LENGTH);
}

function whole(after: Uint8Array): TemplateChange {
  const id = hash('sha256', after, 'hex').slice(0, ID_LENGTH);
  const none = { path: '', before: '', after: '', words: '', lineBefore: null };
  return { ...none, id, change: 'added', line: 1 };
}

function others(left: readonly Difference[]): TemplateChange {
  const after = `${left.length} more changes, which are not listed: read the whole draft`;
  const none = { path: '…', before: '', words: '', line: null, lineBefore: null };
  return { ...none, id: idOf(left), change: 'changed', after };
}

/** The line of each path in a file, or of the nearest thing around it. */
function linesOf(source: Uint8Array, paths: readonly string[]): readonly (number | null)[] {
  const severity = 'warning';
  const asFindings = paths.map((path, index): Finding => {
    return { severity, path, message: String(index) };
  });
  const lines: (number | null)[] = paths.map(() => null);
  for (const { message, line } of locate(source, asFindings)) lines[Number(message)] = line ?? null;
  return lines;
}
