/** Characters that are stored of a text. */
const STORED_LENGTH_MAX = 16_384;

/** A text beside another one, which it shares its first `start` and its last `end` characters with. */
export interface PackedText {
  readonly start: number;
  readonly middle: string;
  readonly end: number;
}

/** Packs texts as their differences from `text`. A text that differs too much is left out. */
export function pack(texts: readonly string[], text: string): readonly PackedText[] {
  return texts
    .map((other) => packOne(other, text))
    .filter(({ middle }) => middle.length <= STORED_LENGTH_MAX);
}

/** The texts of which `pack` gave what differs. */
export function unpack(packed: readonly PackedText[], text: string): readonly string[] {
  return packed.map(
    ({ start, middle, end }) => text.slice(0, start) + middle + text.slice(text.length - end),
  );
}

function packOne(other: string, text: string): PackedText {
  const shorter = Math.min(other.length, text.length);
  let start = 0;
  while (start < shorter && other.charCodeAt(start) === text.charCodeAt(start)) start += 1;
  const endMax = shorter - start;
  let end = 0;
  while (end < endMax && codeBefore(other, end) === codeBefore(text, end)) end += 1;
  return { start, middle: other.slice(start, other.length - end), end };
}

/** The character that `end` characters follow. */
function codeBefore(text: string, end: number): number {
  return text.charCodeAt(text.length - 1 - end);
}
