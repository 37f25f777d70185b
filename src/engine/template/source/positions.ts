import type { Finding } from '../../job.ts';

/** Where in the file a value stands: lines and columns from 1, columns in UTF-16 units. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/** A step of a path whose position is wanted, with the steps below it. */
interface Wanted {
  readonly below: Map<string, Wanted>;
  /** Offset in the text; null until the scan has met it. */
  offset: number | null;
}

/**
 * The findings with line and column, in the order of the file. The position of a member is that of
 * its key, of an element that of its value; a missing key has the position of the nearest thing
 * around it. The text must be JSON.
 */
export function withPositions(text: string, findings: readonly Finding[]): readonly Finding[] {
  const root: Wanted = { below: new Map(), offset: null };
  for (const { path } of findings) want(root, stepsOf(path));
  new PositionScanner(text).value(root);
  const offsets = findings.map(({ path }) => nearestOffset(root, stepsOf(path)));
  const positions = positionsOf(text, offsets);
  const placed = findings.map((finding, index): Finding => {
    const offset = offsets[index] ?? null;
    const position = offset === null ? undefined : positions.get(offset);
    return position === undefined ? finding : { ...finding, ...position };
  });
  return placed.toSorted(
    (a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  );
}

/** `a[2]["odd key"].b` → a, 2, odd key, b. */
function stepsOf(path: string): readonly string[] {
  const matches = path.matchAll(/\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+)/gu);
  return Array.from(matches, ([, index, quoted, name]) => {
    if (quoted === undefined) return index ?? name ?? '';
    return unquoted(`"${quoted}"`);
  });
}

/** The text of a JSON string; unchanged if it was cut off and is not JSON. */
function unquoted(json: string): string {
  try {
    return String(JSON.parse(json));
  } catch (error) {
    if (error instanceof SyntaxError) return json;
    throw error;
  }
}

/** Adds a path to the positions that are wanted. */
function want(root: Wanted, steps: readonly string[]): void {
  let at = root;
  for (const step of steps) {
    let next = at.below.get(step);
    if (next === undefined) {
      next = { below: new Map(), offset: null };
      at.below.set(step, next);
    }
    at = next;
  }
}

/** The offset of a path, or of the nearest thing around it; null before the scan met either. */
function nearestOffset(root: Wanted, steps: readonly string[]): number | null {
  let at: Wanted | undefined = root;
  let nearest: number | null = null;
  for (const step of steps) {
    at = at.below.get(step);
    if (at === undefined || at.offset === null) break;
    nearest = at.offset;
  }
  return nearest;
}

/** All positions, in one pass over the text: it may consist of nothing but line ends. */
function positionsOf(
  text: string,
  offsets: readonly (number | null)[],
): ReadonlyMap<number, Position> {
  const positions = new Map<number, Position>();
  let line = 1;
  let lineStart = 0;
  let lineEnd = text.indexOf('\n');
  for (const offset of offsets.filter((one) => one !== null).toSorted((a, b) => a - b)) {
    while (lineEnd >= 0 && lineEnd < offset) {
      line += 1;
      lineStart = lineEnd + 1;
      lineEnd = text.indexOf('\n', lineStart);
    }
    positions.set(offset, { line, column: offset - lineStart + 1 });
  }
  return positions;
}

/** Reads well-formed JSON once and records where the wanted values begin. */
class PositionScanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads a value; `wanted`: the positions that are wanted in it, if any. */
  value(wanted: Wanted | undefined): void {
    this.#blanks();
    const sign = this.#text[this.#at];
    if (sign === '{') this.#members(wanted);
    else if (sign === '[') this.#elements(wanted);
    else if (sign === '"') this.#string();
    else while (/[^\s,\]}]/u.test(this.#text[this.#at] ?? ' ')) this.#at++;
  }

  #members(wanted: Wanted | undefined): void {
    this.#at++;
    for (this.#blanks(); this.#text[this.#at] !== '}'; this.#blanks()) {
      if (this.#at >= this.#text.length) return;
      const start = this.#at;
      this.#string();
      const key = wanted === undefined ? '' : unquoted(this.#text.slice(start, this.#at));
      const member = wanted?.below.get(key);
      // If a key occurs twice, the last one counts, as in JSON.parse.
      if (member !== undefined) member.offset = start;
      this.#blanks();
      this.#at++;
      this.value(member);
      this.#next();
    }
    this.#at++;
  }

  #elements(wanted: Wanted | undefined): void {
    this.#at++;
    this.#blanks();
    for (let index = 0; this.#text[this.#at] !== ']'; index++, this.#blanks()) {
      if (this.#at >= this.#text.length) return;
      const element = wanted?.below.get(String(index));
      if (element !== undefined) element.offset = this.#at;
      this.value(element);
      this.#next();
    }
    this.#at++;
  }

  /** Skips a string, from quote to quote because images are megabytes long. */
  #string(): void {
    let end = this.#text.indexOf('"', this.#at + 1);
    while (end >= 0 && this.#isEscaped(end)) end = this.#text.indexOf('"', end + 1);
    this.#at = end < 0 ? this.#text.length : end + 1;
  }

  #isEscaped(at: number): boolean {
    let backslashes = 0;
    while (this.#text[at - 1 - backslashes] === '\\') backslashes++;
    return backslashes % 2 === 1;
  }

  /** Skips a comma, if there is one. */
  #next(): void {
    this.#blanks();
    if (this.#text[this.#at] === ',') this.#at++;
  }

  #blanks(): void {
    while (/[ \t\n\r]/u.test(this.#text[this.#at] ?? '-')) this.#at++;
  }
}
