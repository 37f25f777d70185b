/**
 * Masks print account and citizen numbers in their usual shape: `xxx-x-xxxxx-x` makes
 * `123-4-56789-0` of `1234567890`, and `X-XXXX-XXXXx-xx-x` hides all but the last four.
 * The value's own blanks, hyphens, dots and strokes do not count: `123 4567890` fits as well.
 */

type MaskPart =
  | { readonly kind: 'show' }
  | { readonly kind: 'hide'; readonly sign: string }
  | { readonly kind: 'literal'; readonly text: string };

export interface Mask {
  /** The masked text, or null unless the value has one character for each place. */
  readonly apply: (value: string) => string | null;
  /** The same without what the mask hides: of `XXXX-xxxx` the last four, after a hyphen. */
  readonly part: (value: string) => string | null;
  /** Characters that the mask itself can print. */
  readonly literals: readonly string[];
  /** The sign that hides, or null when the mask shows everything. */
  readonly hides: string | null;
  /** The letters and digits that a value must have. */
  readonly places: number;
  /** As many of them it hides. */
  readonly hidden: number;
}

const PLACE = 'x';
const HIDING_PLACES = new Set(['X', '*', '•']);
const SEPARATORS = /[\s\-‐-―./]/gu;

export function compileMask(source: string): Mask {
  const parts = parseMask(source);
  const places = parts.reduce((count, { kind }) => count + (kind === 'literal' ? 0 : 1), 0);
  const hiding = parts.find((part) => part.kind === 'hide');
  return {
    literals: parts.map((part) =>
      part.kind === 'literal' ? part.text : part.kind === 'hide' ? part.sign : '',
    ),
    hides: hiding?.kind === 'hide' ? hiding.sign : null,
    places,
    hidden: parts.filter(({ kind }) => kind === 'hide').length,
    apply: (value) => print(parts, places, value, (sign) => sign),
    part: (value) => print(parts, places, value, () => ''),
  };
}

function print(
  parts: readonly MaskPart[],
  places: number,
  value: string,
  hidden: (sign: string) => string,
): string | null {
  const plain = value.replace(SEPARATORS, '');
  // A character has at most two UTF-16 units, so a longer text cannot fit.
  if (plain.length > places * 2) return null;
  const signs = Array.from(plain);
  if (signs.length !== places) return null;
  let at = 0;
  let out = '';
  for (const part of parts) {
    if (part.kind === 'literal') {
      out += part.text;
      continue;
    }
    out += part.kind === 'hide' ? hidden(part.sign) : signs[at];
    at++;
  }
  return out;
}

function parseMask(source: string): MaskPart[] {
  const parts: MaskPart[] = [];
  let isQuoted = false;
  for (const sign of source) {
    if (sign === "'") isQuoted = !isQuoted;
    else if (!isQuoted && sign === PLACE) parts.push({ kind: 'show' });
    else if (!isQuoted && HIDING_PLACES.has(sign)) parts.push({ kind: 'hide', sign });
    else parts.push({ kind: 'literal', text: sign });
  }
  return parts;
}
