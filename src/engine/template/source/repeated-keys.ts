import type { Finding } from '../../job.ts';
import { memberPath } from '../vocabulary/findings.ts';

/** More of them help nobody. */
const REPEATED_MAX = 100;

/** A list or an object around the place that is read. */
interface Around {
  /** The path of the value that is read: its key, or its place in the list. */
  path: string;
  readonly outer: string;
  /** The keys read so far; null: a list. */
  readonly keys: Set<string> | null;
  index: number;
  /** Whether a string that comes now is a key. */
  isKeyNext: boolean;
}

const SIGN = /["[\]{},:]/g;

/**
 * Keys that are written twice in an object: JSON.parse takes the last value and says nothing, so that
 * an author looks for the first one on the page in vain. The text must be JSON.
 */
export function repeatedKeys(text: string): readonly Finding[] {
  const repeated = new Set<string>();
  const open: Around[] = [];
  SIGN.lastIndex = 0;
  for (let found = SIGN.exec(text); found !== null; found = SIGN.exec(text)) {
    const around = open.at(-1);
    const [sign] = found;
    if (sign === '"') {
      const end = stringEnd(text, found.index);
      if (around?.isKeyNext === true) {
        const isFirst = readKey(around, text.slice(found.index, end));
        if (!isFirst) repeated.add(around.path);
        if (repeated.size >= REPEATED_MAX) break;
      }
      SIGN.lastIndex = end;
    } else if (sign === '{' || sign === '[') {
      open.push(begin(sign === '{', around?.path ?? ''));
    } else if (sign === '}' || sign === ']') {
      open.pop();
    } else if (sign === ',' && around !== undefined) {
      goOn(around);
    }
  }
  return Array.from(repeated, (path) => ({
    severity: 'warning' as const,
    path,
    message: 'This key is written twice in the same object: only the last one counts.',
  }));
}

function begin(isObject: boolean, outer: string): Around {
  return {
    path: isObject ? outer : `${outer}[0]`,
    outer,
    keys: isObject ? new Set() : null,
    index: 0,
    isKeyNext: isObject,
  };
}

/** After a comma. */
function goOn(around: Around): void {
  around.isKeyNext = around.keys !== null;
  if (around.keys !== null) return;
  around.index += 1;
  around.path = `${around.outer}[${around.index}]`;
}

/** Takes the JSON of a key; false: the object has it already. */
function readKey(around: Around, json: string): boolean {
  // The text is JSON, and this part of it a string.
  const key = json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1);
  around.isKeyNext = false;
  around.path = memberPath(around.outer, key);
  const isFirst = around.keys?.has(key) !== true;
  around.keys?.add(key);
  return isFirst;
}

/** The offset after the string that begins at `from`: images are megabytes long. */
function stringEnd(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}
