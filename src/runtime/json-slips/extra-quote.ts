import { isJson, slip, type Slip, withFix } from './slip.ts';

/** A longer text is not searched: each mark that is tried parses it anew. */
const SEARCHED_LENGTH_MAX = 262_144;
/** Limit of the marks that are tried. */
const TRIED_MAX = 60;
/** Two quotation marks with nothing but blanks between them. */
const DOUBLED = /"(?=(\s*)")/g;

/**
 * A quotation mark typed twice, near the place where the text stops being JSON: without it the text
 * is JSON. Of two such marks the one goes whose removal leaves the words of the text as they are.
 */
export function extraQuote(text: string, near: Slip): Slip | null {
  if (text.length > SEARCHED_LENGTH_MAX) return null;
  let best: { readonly slip: Slip; readonly length: number } | null = null;
  for (const place of doubledNear(text, near.from)) {
    const found = slip('quote_extra', place, place + 1, '');
    const made = found.fix === null ? text : withFix(text, found.fix);
    if (!isJson(made)) continue;
    const { length } = JSON.stringify(JSON.parse(made));
    if (best === null || length < best.length) best = { slip: found, length };
  }
  return best?.slip ?? null;
}

/** Two marks that stand alone where no text may be; without them the text is JSON. */
export function strayQuotes(text: string, near: Slip): Slip | null {
  if (text.length > SEARCHED_LENGTH_MAX) return null;
  for (const place of doubledNear(text, near.from)) {
    if (text[place + 1] !== '"') continue;
    const found = slip('quote_extra', place, place + 2, '');
    if (found.fix !== null && isJson(withFix(text, found.fix))) return found;
  }
  return null;
}

/** Marks beside another one, on the line of a place and on those beside it. */
function doubledNear(text: string, at: number): readonly number[] {
  const lineStart = text.lastIndexOf('\n', at - 1);
  const from = lineStart < 1 ? 0 : text.lastIndexOf('\n', lineStart - 1) + 1;
  const lineEnd = text.indexOf('\n', at);
  const nextEnd = lineEnd < 0 ? -1 : text.indexOf('\n', lineEnd + 1);
  const to = nextEnd < 0 ? text.length : nextEnd;
  const pairs = Array.from(text.slice(from, to).matchAll(DOUBLED), ({ index, 1: blanks = '' }) => [
    from + index,
    from + index + 1 + blanks.length,
  ]);
  return [...new Set(pairs.flat())].slice(0, TRIED_MAX);
}
