import { isAscii, isUtf8, transcode } from 'node:buffer';
import type { Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import { isObject } from '../../runtime/json-object.ts';
import { releaseBuffer } from '../../runtime/memory/release-buffer.ts';
import type { JsonText } from './nested/tokens.ts';

/** What the check of a value may need to know about the source of the object that holds it. */
export interface CheckInput {
  /** No string in it can hold a control character or a lone surrogate. */
  readonly isClean: boolean;
  /** The source text of a number that is a member of the object, exactly as sent. */
  readonly numberSource: (name: string, value: number) => string;
}

/** The parsed `data` object. */
export interface DataObject extends CheckInput {
  readonly values: Readonly<Record<string, unknown>>;
  /** The source texts of numbers in objects and arrays inside it. */
  readonly nestedNumbers: NumberSources;
}

/** Steps from an object to a value in it: names of members and indexes of arrays. */
type JsonPath = readonly (string | number)[];

/** The source texts of the numbers anywhere in a valid JSON text. */
export class NumberSources {
  readonly #text: string;
  /** Whether String(number) gives the source of each number; null: not known yet. */
  #isPlain: boolean | null = null;
  /** The same value with strings in the place of its numbers. */
  #quoted: unknown = null;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * The source text of a number: the member `name` of the object that is at `path` in the value at
   * `root`.
   */
  memberAt(root: JsonPath, path: JsonPath, name: string, value: number): string {
    this.#isPlain ??= holdsPlainNumbers(this.#text);
    if (this.#isPlain) return String(value);
    this.#quoted ??= JSON.parse(quoteNumbers(this.#text));
    let found = this.#quoted;
    for (const step of [...root, ...path, name]) {
      if (typeof found !== 'object' || found === null) return String(value);
      found = Reflect.get(found, step);
    }
    return typeof found === 'string' ? found : String(value);
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LOWER_E = 0x65;
/** Sets the bit that makes an ASCII letter lower case. */
const TO_LOWER = 0x20;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const DELETE = 0x7f;
/** First byte of U+0080 to U+00BF in UTF-8; those below U+00A0 are the C1 controls. */
const LATIN_LEAD = 0xc2;
const PAST_C1 = 0xa0;
/** Latin-1 letters after which the cleaner is as fast as searching for controls. */
const LATIN_MAX = 256;
/**
 * Numbers that are searched for one by one before all are listed: each search reads the whole text.
 */
const SEARCHES_MAX = 4;

/** Reads parts of the text by itself, and returns the text that is to be parsed in its place. */
type TakeParts = (source: JsonText, isClean: boolean) => string;

/**
 * Parses the raw bytes of the `data` object. Fails with `bad_request` unless they are UTF-8, valid
 * JSON and an object. `takeParts` reads parts of the text before the rest is parsed.
 */
export function parseData(
  bytes: Uint8Array,
  takeParts: TakeParts | null = null,
): Outcome<DataObject> {
  if (!isUtf8(bytes)) return fail('bad_request', 'The body is not valid UTF-8.');
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isClean = holdsNoControls(buffer);
  const text = textOf(buffer, (source) =>
    takeParts === null ? source.text : takeParts(source, isClean),
  );
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return fail('bad_request', 'data is not valid JSON.');
    throw error;
  }
  if (!isObject(values)) return fail('bad_request', 'data must be a JSON object.');
  let sources: ReadonlyMap<string, string> | null = null;
  let searches = 0;
  return succeed({
    values,
    isClean,
    nestedNumbers: new NumberSources(text),
    numberSource(name, value) {
      if (isClean && searches++ < SEARCHES_MAX) {
        const only = onlyNumber(text, name);
        if (only !== null) return only;
      }
      sources ??= topLevelNumbers(text);
      return sources.get(name) ?? String(value);
    },
  });
}

/** Decodes valid UTF-8, passes it to `read` and returns the result of `read`. */
function textOf(bytes: Buffer, read: (source: JsonText) => string): string {
  if (isAscii(bytes)) return read(new EncodedText(bytes, 'latin1'));
  // V8 decodes UTF-8 byte by byte. Node's transcoder is vectorised, and V8 copies its output: a
  // statement of 200 KB takes a third of the time.
  const wide = transcode(bytes, 'utf8', 'utf16le');
  const text = read(new EncodedText(wide, 'utf16le'));
  releaseBuffer(wide);
  return text;
}

/**
 * A text that becomes a string only when `text` is read. A body that consists mostly of lists is
 * read from its codes, and a string of 0.5 MB costs 0.2 ms, mostly for fresh pages of memory.
 */
class EncodedText implements JsonText {
  readonly codes: Uint8Array | Uint16Array;
  readonly #bytes: SlicedBuffer;
  readonly #isWide: boolean;
  #text: string | null = null;

  constructor(bytes: Buffer, encoding: 'latin1' | 'utf16le') {
    this.#isWide = encoding === 'utf16le';
    this.codes = this.#isWide
      ? new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2)
      : bytes;
    // Every Buffer has these methods: its `toString` calls them, and so does mysql2.
    this.#bytes = bytes as SlicedBuffer;
  }

  get text(): string {
    this.#text ??= this.copy(0, this.codes.length);
    return this.#text;
  }

  copy(start: number, end: number): string {
    // `toString` takes twice as long, because it first selects one of these two.
    return this.#isWide
      ? this.#bytes.ucs2Slice(start * 2, end * 2)
      : this.#bytes.latin1Slice(start, end);
  }
}

/** Methods of Buffer for a single encoding, which its types do not declare. */
interface SlicedBuffer extends Buffer {
  latin1Slice(start: number, end: number): string;
  ucs2Slice(start: number, end: number): string;
}

/**
 * JSON strings hold no raw byte below 0x20 (RFC 8259 §7), and valid UTF-8 holds no surrogate. So
 * without a backslash only a raw DEL or a C1 control (C2 80…9F) can need cleaning: three memchr
 * calls are cheaper than reading every character of 20,000 cells.
 */
function holdsNoControls(bytes: Buffer): boolean {
  if (bytes.includes(BACKSLASH) || bytes.includes(DELETE)) return false;
  let count = 0;
  for (let at = bytes.indexOf(LATIN_LEAD); at >= 0; at = bytes.indexOf(LATIN_LEAD, at + 1)) {
    if ((bytes[at + 1] ?? 0) < PAST_C1 || ++count > LATIN_MAX) return false;
  }
  return true;
}

/**
 * Source text of a top-level number in a valid JSON object without backslashes. If its name occurs
 * in quotes only once, that is its key, and the number follows; null if it occurs more than once.
 */
function onlyNumber(text: string, name: string): string | null {
  const quoted = `"${name}"`;
  const at = text.indexOf(quoted);
  if (at < 0 || text.includes(quoted, at + 1)) return null;
  let start = text.indexOf(':', at + quoted.length) + 1;
  while (isSpace(text.charCodeAt(start))) start++;
  return text.slice(start, numberEnd(text, start));
}

/** JSON's white space (RFC 8259 §2). */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/**
 * Source texts of the numbers that are direct members of a valid JSON object, by key; a repeated
 * key keeps its last value, as in JSON.parse. A double loses digits (1.10, 12345678901234567890),
 * and JSON.parse would call a reviver, which gets the source, for each of 20,000 cells.
 */
function topLevelNumbers(text: string): ReadonlyMap<string, string> {
  const numbers = new Map<string, string>();
  const length = text.length;
  let depth = 0;
  let key = '';
  let isKey = false;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = stringEnd(text, at);
      if (isKey) {
        key = memberName(text, at, end);
        numbers.delete(key);
        isKey = false;
      }
      at = end;
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      depth++;
      isKey = depth === 1;
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      depth--;
    } else if (depth === 1) {
      if (code === COMMA) {
        isKey = true;
      } else if (code === MINUS || isDigit(code)) {
        const end = numberEnd(text, at);
        numbers.set(key, text.slice(at, end));
        at = end - 1;
      }
    }
  }
  return numbers;
}

/** Digits that every double keeps. */
const SAFE_DIGITS = 15;

/**
 * Whether every number of a valid JSON text is written as JavaScript writes it, which most programs do:
 * at most 15 digits, no exponent, no 0 at the end of a fraction, no -0, no 0.000001 or less.
 */
function holdsPlainNumbers(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = stringEnd(text, at);
    } else if (code === MINUS || isDigit(code)) {
      const end = numberEnd(text, at);
      if (!isPlainNumber(text, at, end)) return false;
      at = end - 1;
    }
  }
  return true;
}

function isPlainNumber(text: string, start: number, end: number): boolean {
  let digits = 0;
  let fraction = -1;
  let isZero = true;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === POINT) fraction = 0;
    else if (isDigit(code)) {
      digits++;
      if (fraction >= 0) fraction++;
      if (code !== ZERO) isZero = false;
    } else if (at !== start) return false;
  }
  if (digits > SAFE_DIGITS || fraction > 6) return false;
  if (fraction > 0 && text.charCodeAt(end - 1) === ZERO) return false;
  return !(isZero && text.charCodeAt(start) === MINUS);
}

/** Puts each number of a valid JSON text into quotes. A second parse is cheaper than a reviver. */
function quoteNumbers(text: string): string {
  let out = '';
  let keptFrom = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = stringEnd(text, at);
    } else if (code === MINUS || isDigit(code)) {
      const end = numberEnd(text, at);
      out += `${text.slice(keptFrom, at)}"${text.slice(at, end)}"`;
      keptFrom = end;
      at = end - 1;
    }
  }
  return out + text.slice(keptFrom);
}

/** Index of the closing quote of the string that opens at `start`. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE || at >= text.length) return at;
  }
}

function memberName(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  if (!raw.includes('\\')) return raw;
  const name: unknown = JSON.parse(text.slice(start, end + 1));
  return typeof name === 'string' ? name : raw;
}

function numberEnd(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isSign = code === POINT || code === PLUS || code === MINUS;
    const isExponent = (code | TO_LOWER) === LOWER_E;
    if (!isDigit(code) && !isSign && !isExponent) break;
  }
  return at;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}
