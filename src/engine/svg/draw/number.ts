/** Numbers and lengths as SVG writes them (SVG 2 §4.3, CSS Values 4 §6). Never NaN, never infinite. */

/** Coordinates are clamped to this: a page has 14,400 points at most. */
const COORDINATE_MAX = 1e6;

/** The value within that bound; 0 for NaN. */
export function bounded(value: number): number {
  if (value > COORDINATE_MAX) return COORDINATE_MAX;
  if (value < -COORDINATE_MAX) return -COORDINATE_MAX;
  return Number.isNaN(value) ? 0 : value;
}

const NUMBER = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const LENGTH = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(%|[a-zA-Z]{1,4})?$/;

/** User units per unit; a user unit is 1 px (CSS Values 4 §6.2). */
const UNITS: Readonly<Record<string, number>> = {
  px: 1,
  pt: 96 / 72,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  q: 96 / 101.6,
};

/** What relative lengths refer to. */
export interface LengthBase {
  /** 100 % in user units. */
  readonly whole: number;
  readonly fontSize: number;
}

/** A length in user units; null if the text is not a length. */
export function parseLength(text: string | undefined, base: LengthBase): number | null {
  if (text === undefined) return null;
  const match = LENGTH.exec(text.trim());
  if (match === null) return null;
  const value = bounded(Number(match[1]));
  const unit = (match[2] ?? 'px').toLowerCase();
  if (unit === '%') return (value / 100) * base.whole;
  if (unit === 'em' || unit === 'rem') return value * base.fontSize;
  if (unit === 'ex' || unit === 'ch') return value * base.fontSize * 0.5;
  const factor = UNITS[unit];
  return factor === undefined ? null : bounded(value * factor);
}

/** `50%` or `0.5` as 0 to 1; null where it is neither. */
export function parseShare(text: string | undefined): number | null {
  const value = parseLength(text, { whole: 1, fontSize: 1 });
  return value === null ? null : Math.min(1, Math.max(0, value));
}

/** Reads numbers, flags and letters from the front of a text. */
export class Scanner {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Skips blanks and at most one comma. */
  skip(): void {
    let hasComma = false;
    for (; this.at < this.text.length; this.at++) {
      const code = this.text.charCodeAt(this.at);
      if (code === 0x2c && !hasComma) hasComma = true;
      else if (code !== 0x20 && (code < 9 || code > 13)) return;
    }
  }

  /** The next number, or null without moving past anything but blanks. */
  number(): number | null {
    this.skip();
    NUMBER.lastIndex = this.at;
    const match = NUMBER.exec(this.text);
    if (match === null) return null;
    this.at = NUMBER.lastIndex;
    return bounded(Number(match[0]));
  }

  /** An arc's flag: one digit, which may stand right before the next number. */
  flag(): number | null {
    this.skip();
    const code = this.text.charCodeAt(this.at);
    if (code !== 0x30 && code !== 0x31) return null;
    this.at++;
    return code - 0x30;
  }

  /** The next ASCII letter, or '' where something else stands. */
  letter(): string {
    this.skip();
    const letter = this.text.charAt(this.at);
    if (!/^[a-zA-Z]$/.test(letter)) return '';
    this.at++;
    return letter;
  }

  get done(): boolean {
    this.skip();
    return this.at >= this.text.length;
  }
}

/** All numbers of a list, up to the first thing that is not a number. */
export function parseNumbers(text: string | undefined): number[] {
  const scanner = new Scanner(text ?? '');
  const numbers: number[] = [];
  for (let value = scanner.number(); value !== null; value = scanner.number()) numbers.push(value);
  return numbers;
}

/** All lengths of a list with blanks or commas between them; null if one is not a length. */
export function parseLengths(text: string | undefined, base: LengthBase): number[] | null {
  const parts = (text ?? '').split(/[\s,]+/).filter((part) => part !== '');
  const lengths: number[] = [];
  for (const part of parts) {
    const length = parseLength(part, base);
    if (length === null) return null;
    lengths.push(length);
  }
  return lengths;
}
