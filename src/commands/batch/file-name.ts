import { parseData } from '#engine/light';

/** Names the PDFs of a batch. Called in the order of the input, it always gives the same names. */
export interface FileNames {
  /** The expanded pattern; '' without one. */
  nameOf(data: string): string;
  of(number: number, data: string): Named;
}

/** `name` is the expanded pattern, `file` the file name derived from it. */
export interface Named {
  readonly name: string;
  readonly file: string;
  /** Whether the number was added, because another record has the file of that name. */
  readonly isTaken: boolean;
}

/** File systems allow 255 bytes; what is left is for `-` and a number, `.pdf` and `.part`. */
const NAME_BYTES_MAX = 200;
const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** The fields that a pattern such as `{{branch}}/{{refNo}}` names. */
export function fieldsNamed(pattern: string): readonly string[] {
  return [...pattern.matchAll(PLACEHOLDER)].map(([, field = '']) => field);
}

/**
 * With a pattern, files are named after fields of their data; a name that is taken gets the number
 * of its record appended. Without a pattern, or when it expands to nothing, the number is the name.
 * `inUse`: the files of records that an earlier run of the batch made; they keep their names.
 */
export function fileNames(pattern: string | null, inUse: Iterable<string> = []): FileNames {
  const taken = new Set([...inUse].map((file) => file.toLowerCase().replace(/\.pdf$/, '')));
  const nameOf = (data: string): string => (pattern === null ? '' : cut(expand(pattern, data)));
  return {
    nameOf,
    of(number, data) {
      const numbered = String(number).padStart(8, '0');
      if (pattern === null) return { name: '', file: `${numbered}.pdf`, isTaken: false };
      const name = nameOf(data);
      const safe = sanitise(name);
      const stem = firstFree(candidates(safe, numbered), taken);
      taken.add(stem.toLowerCase());
      return { name, file: `${stem}.pdf`, isTaken: safe !== '' && stem !== safe };
    },
  };
}

/** Yields names in the order in which they are tried. */
function* candidates(safe: string, numbered: string): Generator<string> {
  const withNumber = safe === '' ? numbered : `${safe}-${numbered}`;
  if (safe !== '') yield safe;
  yield withNumber;
  for (let count = 2; ; count += 1) yield `${withNumber}-${count}`;
}

/** The first name that is not taken; some file systems ignore case. */
function firstFree(names: Iterable<string>, taken: ReadonlySet<string>): string {
  for (const name of names) if (!taken.has(name.toLowerCase())) return name;
  throw new Error('there is always another name');
}

function expand(pattern: string, data: string): string {
  const parsed = parseData(Buffer.from(data));
  if (!parsed.ok) throw new Error('readRecords yields JSON objects only');
  const { values, numberSource } = parsed.value;
  return pattern.replaceAll(PLACEHOLDER, (_, field: string) => {
    const value = Object.hasOwn(values, field) ? values[field] : '';
    if (typeof value === 'number') return numberSource(field, value);
    return typeof value === 'string' ? value : '';
  });
}

/**
 * Keeps letters, marks and digits of any script, and `. _ -`. The result is never a path, a hidden
 * file or an option.
 */
function sanitise(name: string): string {
  return name
    .replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, '_')
    .replaceAll(/\.{2,}/g, '.')
    .replace(/^[._-]+/, '')
    .replace(/[._-]+$/, '');
}

/** Cuts a text to NAME_BYTES_MAX bytes at the border of a character. */
function cut(text: string): string {
  const bytes = Buffer.from(text.toWellFormed());
  if (bytes.length <= NAME_BYTES_MAX) return text.toWellFormed();
  return new TextDecoder().decode(bytes.subarray(0, NAME_BYTES_MAX)).replace(/\uFFFD+$/, '');
}
