/** More of them help nobody. */
const REPEATED_MAX = 100;

/** A key that is written more than once in an object. */
export interface RepeatedKey {
  readonly key: string;
  /** Keys and places in lists from the whole text to this key. */
  readonly steps: readonly (string | number)[];
  /** The first one, and where the member after it begins. */
  readonly first: { readonly from: number; readonly next: number };
  /** The last one, which counts. */
  readonly last: { readonly from: number; readonly to: number };
}

/** A list or an object around the place that is read. */
interface Around {
  /** The members of an object: the first of each key, by its index; null: a list. */
  readonly members: Map<string, number> | null;
  /** Where the members begin. */
  readonly starts: number[];
  /** The key of the value that is read, or its place in the list. */
  step: string | number;
  /** The repeated keys of this object. */
  repeated: Map<string, Found> | null;
  /** Whether a string that comes now is a key. */
  isKeyNext: boolean;
}

interface Found {
  readonly key: string;
  readonly steps: readonly (string | number)[];
  readonly first: RepeatedKey['first'];
  last: { readonly from: number; readonly to: number };
}

const SIGN = /["[\]{},]/g;

/**
 * Keys that are written more than once in an object, each once: JSON.parse takes the last value and
 * says nothing, so that an author looks for the first one on the page in vain. The text must be JSON.
 */
export function repeatedKeys(text: string): readonly RepeatedKey[] {
  const all: Found[] = [];
  const open: Around[] = [];
  SIGN.lastIndex = 0;
  for (let found = SIGN.exec(text); found !== null; found = SIGN.exec(text)) {
    const around = open.at(-1);
    const [sign] = found;
    if (sign === '"') {
      const end = stringEnd(text, found.index);
      if (around?.isKeyNext === true) {
        const place = { from: found.index, to: end };
        const again = readKey(open, around, text.slice(found.index, end), place);
        if (again !== null) all.push(again);
        if (all.length >= REPEATED_MAX) break;
      }
      SIGN.lastIndex = end;
    } else if (sign === '{' || sign === '[') {
      open.push(begin(sign === '{'));
    } else if (sign === '}' || sign === ']') {
      open.pop();
    } else if (around !== undefined) {
      if (typeof around.step === 'number') around.step += 1;
      around.isKeyNext = around.members !== null;
    }
  }
  return all;
}

function begin(isObject: boolean): Around {
  return {
    members: isObject ? new Map() : null,
    starts: [],
    step: isObject ? '' : 0,
    repeated: null,
    isKeyNext: isObject,
  };
}

/** Takes the JSON of a key. Returns it if it is the second of its object. */
function readKey(
  open: readonly Around[],
  around: Around,
  json: string,
  place: Found['last'],
): Found | null {
  // The text is JSON, and this part of it a string.
  const key = json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1);
  around.step = key;
  around.isKeyNext = false;
  const index = around.members?.get(key);
  const count = around.starts.push(place.from);
  if (index === undefined) {
    around.members?.set(key, count - 1);
    return null;
  }
  const known = around.repeated?.get(key);
  if (known !== undefined) {
    known.last = place;
    return null;
  }
  const [from = 0, next = place.from] = around.starts.slice(index, index + 2);
  const first = { from, next };
  const again = { key, steps: open.map(({ step }) => step), first, last: place };
  around.repeated ??= new Map();
  around.repeated.set(key, again);
  return again;
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
