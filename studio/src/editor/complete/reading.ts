import type { Path } from '../schema.ts';
import type { Names } from './names.ts';
import { NameCollector } from './names.ts';

/** What an open object or list takes next. */
type Expected = 'key' | 'colon' | 'value' | 'comma';

/**
 * An object or a list that is open while a text is read. It holds offsets and makes strings of them
 * when they are asked for, because most never are.
 */
export class Level {
  readonly isList: boolean;
  readonly #text: string;
  expects: Expected;
  index = 0;
  /** Offsets of keys and of their values, in turn: two of each. */
  readonly #members: number[] = [];
  #keyFrom = 0;
  #keyTo = 0;
  #key: string | null = '';

  constructor(text: string, isList: boolean) {
    this.#text = text;
    this.isList = isList;
    this.expects = isList ? 'value' : 'key';
  }

  /** The key whose value is read; '' in a list. */
  get key(): string {
    return (this.#key ??= wordOf(this.#text, this.#keyFrom, this.#keyTo));
  }

  /** Characters of the key with its quotation marks. */
  get keyLength(): number {
    return this.#keyTo - this.#keyFrom;
  }

  startMember(from: number, to: number): void {
    this.#keyFrom = from;
    this.#keyTo = to;
    this.#key = null;
  }

  /** The value begins and ends there; a list or an object counts as empty. */
  endMember(from: number, to: number): void {
    this.#members.push(this.#keyFrom, this.#keyTo, from, to);
  }

  /** The text of the last member of a key; '' where it is none, null without such a member. */
  member(key: string): string | null {
    const all = this.#members;
    for (let at = all.length - 4; at >= 0; at -= 4) {
      const [keyFrom = 0, keyTo = 0, from = 0, to = 0] = all.slice(at, at + 4);
      if (wordOf(this.#text, keyFrom, keyTo) !== key) continue;
      return this.#text[from] === '"' ? wordOf(this.#text, from, to) : '';
    }
    return null;
  }

  /** The keys of all members that were read. */
  keys(): readonly string[] {
    const keys: string[] = [];
    for (let at = 0; at < this.#members.length; at += 4) {
      keys.push(wordOf(this.#text, this.#members[at] ?? 0, this.#members[at + 1] ?? 0));
    }
    return keys;
  }
}

/** What stands at a place of a text. */
export interface Place {
  /** What is open there, the root first. Members that stand behind the place are included. */
  readonly levels: readonly Level[];
  /** Where a value is or may be typed: its path. At a key, the path of the object. */
  readonly path: Path;
  /** `none`: a comma or a colon has to come first. */
  readonly kind: 'key' | 'value' | 'none';
  /** The string or word that the place is in or behind; an empty range at the place without one. */
  readonly from: number;
  readonly to: number;
  readonly isString: boolean;
  /** Whether the place is behind the closing quotation mark. */
  readonly isClosed: boolean;
  /** Where a comma is missing before the token; -1: none is. */
  readonly commaAt: number;
}

export interface Reading {
  readonly place: Place;
  /** Reads the rest of the text: what it names, and the members behind the place. */
  readonly finish: () => Whole;
}

/** What the whole of a text says. */
export interface Whole {
  readonly names: Names;
  /** Whether all brackets and quotation marks have their counterparts. */
  readonly isBalanced: boolean;
}

/** A longer string is no name: a picture has megabytes. */
const NAME_LENGTH_MAX = 200;

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;

/**
 * Reads a text as JSON with any number of faults in it, from its beginning, and says what stands at
 * the offset `pos`. The tree of the editor does not serve here: behind a fault it has lost the path,
 * and it may not reach the place yet.
 */
export function readAt(text: string, pos: number): Reading {
  const reader = new Reader(text, pos);
  return { place: reader.find(), finish: () => reader.finish() };
}

class Reader {
  readonly #text: string;
  readonly #pos: number;
  readonly #levels: Level[] = [];
  #top: Level | undefined;
  readonly #names = new NameCollector();
  #place: Place | null = null;
  #isBalanced = true;
  /** What is read next. */
  #at = 0;
  /** End of the last token. */
  #end = 0;
  /** End of the line that is read. */
  #lineEnd = -1;

  constructor(text: string, pos: number) {
    this.#text = text;
    this.#pos = pos;
  }

  find(): Place {
    while (this.#place === null && this.#at < this.#text.length) this.#step();
    if (this.#place === null) this.#stand(this.#pos, this.#pos, false);
    const place = this.#place;
    if (place === null) throw new Error('the place was not read');
    return place;
  }

  finish(): Whole {
    while (this.#at < this.#text.length) this.#step();
    if (this.#levels.length > 0) this.#isBalanced = false;
    while (this.#levels.length > 0) this.#close();
    return { names: this.#names, isBalanced: this.#isBalanced };
  }

  /** Reads one token and the white space before it. */
  #step(): void {
    const text = this.#text;
    let at = this.#at;
    let code = text.charCodeAt(at);
    while (code <= 32) {
      at += 1;
      code = text.charCodeAt(at);
    }
    if (this.#place === null && at >= this.#pos) this.#stand(this.#pos, this.#pos, false);
    this.#at = at < text.length ? this.#token(at, code) : at;
    this.#end = this.#at;
  }

  /** Reads the token that begins at `at`, and gives its end. */
  #token(at: number, code: number): number {
    switch (code) {
      case 123:
      case 91:
        this.#open(at, code === 91);
        return at + 1;
      case 125:
      case 93:
        this.#closeUpTo(code === 93);
        return at + 1;
      case COMMA:
        this.#comma();
        return at + 1;
      case COLON: {
        const top = this.#top;
        if (top !== undefined && !top.isList) top.expects = 'value';
        return at + 1;
      }
      case QUOTE:
        return this.#scalar(at, this.#endOfString(at), true);
      default:
        return this.#scalar(at, this.#endOfWord(at), false);
    }
  }

  #open(from: number, isList: boolean): void {
    const top = this.#top;
    if (top?.isList === false && top.expects !== 'key') top.endMember(from, from);
    this.#top = new Level(this.#text, isList);
    this.#levels.push(this.#top);
  }

  /** Closes the innermost list or object; a bracket that closes none is skipped. */
  #closeUpTo(isList: boolean): void {
    const found = this.#levels.findLastIndex((level) => level.isList === isList);
    if (found !== this.#levels.length - 1) this.#isBalanced = false;
    if (found === -1) return;
    while (this.#levels.length > found) this.#close();
    if (this.#top !== undefined) this.#top.expects = 'comma';
  }

  #close(): void {
    this.#names.end(this.#levels);
    this.#levels.pop();
    this.#top = this.#levels.at(-1);
  }

  #comma(): void {
    const top = this.#top;
    if (top === undefined) return;
    if (top.isList) top.index += 1;
    top.expects = top.isList ? 'value' : 'key';
  }

  /** Takes a string or a word as what is expected there. */
  #scalar(from: number, to: number, isString: boolean): number {
    const text = this.#text;
    const top = this.#top;
    const isHere = from < this.#pos && this.#pos <= to && this.#place === null;
    if (isHere) this.#stand(from, to, isString);
    if (top === undefined) return to;
    // Behind a value without a comma the next key or value begins.
    const isMissingComma = top.expects === 'comma';
    if (isMissingComma && top.isList) top.index += 1;
    const isKey = top.expects === 'key' || (isMissingComma && !top.isList);
    if (isKey) {
      top.startMember(from, to);
      top.expects = 'colon';
      if (!isHere && this.#levels.length === 3) this.#names.key(this.#levels);
      return to;
    }
    if (!top.isList) top.endMember(from, to);
    const isName = isString && !isHere && to - from <= NAME_LENGTH_MAX;
    if (isName && this.#names.wants(this.#levels)) {
      this.#names.value(this.#levels, wordOf(text, from, to));
    }
    top.expects = 'comma';
    return to;
  }

  #endOfString(from: number): number {
    const text = this.#text;
    if (this.#lineEnd < from) {
      const next = text.indexOf('\n', from);
      this.#lineEnd = next === -1 ? text.length : next;
    }
    for (let at = from + 1; ;) {
      const quote = text.indexOf('"', at);
      if (quote === -1 || quote >= this.#lineEnd) break;
      let slashes = 0;
      while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes += 1;
      if (slashes % 2 === 0) return quote + 1;
      at = quote + 1;
    }
    this.#isBalanced = false;
    // The string that is being typed ends at the cursor, so that the brackets behind it count.
    const isTyped = from < this.#pos && this.#pos <= this.#lineEnd;
    return isTyped ? this.#pos : this.#lineEnd;
  }

  #endOfWord(from: number): number {
    const text = this.#text;
    for (let at = from; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      const isSign = code === QUOTE || code === COMMA || code === COLON;
      if (isSign || code <= 32 || code === 91 || code === 93 || code === 123 || code === 125) {
        return at;
      }
    }
    return text.length;
  }

  /** Notes what is open at the place. */
  #stand(from: number, to: number, isString: boolean): void {
    const top = this.#top;
    const isToken = to > from;
    const isMissingComma = top?.expects === 'comma';
    const isAtKey = top?.isList === false && (top.expects === 'key' || isMissingComma);
    const path = this.#levels.map(({ isList, key, index }) => (isList ? index : key));
    if (isAtKey) path.pop();
    else if (isMissingComma && top.isList) path[path.length - 1] = top.index + 1;
    const kind = isAtKey ? 'key' : top?.expects === 'colon' || top === undefined ? 'none' : 'value';
    const isEnded = this.#text.charCodeAt(to - 1) === QUOTE && to - from > 1;
    this.#place = {
      levels: [...this.#levels],
      path,
      kind,
      from,
      to,
      isString,
      isClosed: isToken && isString && isEnded && this.#pos === to,
      commaAt: isMissingComma ? this.#end : -1,
    };
  }
}

/** A word, or the value of a string with its quotation marks, the last of which may be missing. */
function wordOf(text: string, from: number, to: number): string {
  if (text.charCodeAt(from) !== QUOTE) return text.slice(from, to);
  const isEnded = to - from > 1 && text.charCodeAt(to - 1) === QUOTE;
  const inner = text.slice(from + 1, isEnded ? to - 1 : to);
  if (!inner.includes('\\')) return inner;
  try {
    return JSON.parse(`"${inner}"`) as string;
  } catch (error) {
    // An escape that is not typed to its end.
    if (error instanceof SyntaxError) return inner;
    throw error;
  }
}
