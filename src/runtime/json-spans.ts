/** A value in a JSON text: it begins at `from` and ends before `to`. */
export interface JsonSpan {
  readonly from: number;
  readonly to: number;
}

/*
 * Finds values in a JSON text, because parsing loses the digits of numbers: a double makes 1.1 of
 * 1.10, and 12345678901234567000 of 12345678901234567890. The text was parsed before, so it is JSON.
 */

/** The value of a key of the object at `from`; of the last one if it is repeated, as JSON.parse. */
export function memberSpan(text: string, from: number, key: string): JsonSpan {
  const found = memberSpans(text, from).get(key);
  if (found === undefined) throw new Error(`the object has no ${key}`);
  return found;
}

/** The values of the object at `from` by key; of a key that is repeated, the last one. */
export function memberSpans(text: string, from: number): ReadonlyMap<string, JsonSpan> {
  const spans = new Map<string, JsonSpan>();
  let at = nextSign(text, nextSign(text, from) + 1);
  while (text[at] !== '}') {
    const keyEnd = valueEnd(text, at);
    const value = nextSign(text, nextSign(text, keyEnd) + 1);
    const to = valueEnd(text, value);
    // The text is JSON, so what stands before the colon is a string.
    spans.set(JSON.parse(text.slice(at, keyEnd)) as string, { from: value, to });
    at = nextSign(text, to);
    if (text[at] === ',') at = nextSign(text, at + 1);
  }
  return spans;
}

/** The elements of the list at `from`. */
export function elementSpans(text: string, from: number): readonly JsonSpan[] {
  const spans: JsonSpan[] = [];
  let at = nextSign(text, nextSign(text, from) + 1);
  while (text[at] !== ']') {
    const to = valueEnd(text, at);
    spans.push({ from: at, to });
    at = nextSign(text, to);
    if (text[at] === ',') at = nextSign(text, at + 1);
  }
  return spans;
}

/** The offset of the next character that is no white space. */
function nextSign(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}

const STRING_OR_BRACKET = /"|[[\]{}]/g;
const SCALAR_END = /[\s,\]}]|$/g;

/** The offset after the value at `from`. */
function valueEnd(text: string, from: number): number {
  const first = text[from];
  if (first === '"') return stringEnd(text, from);
  if (first !== '{' && first !== '[') {
    SCALAR_END.lastIndex = from;
    return SCALAR_END.exec(text)?.index ?? text.length;
  }
  let depth = 0;
  STRING_OR_BRACKET.lastIndex = from;
  for (
    let sign = STRING_OR_BRACKET.exec(text);
    sign !== null;
    sign = STRING_OR_BRACKET.exec(text)
  ) {
    if (sign[0] === '"') {
      STRING_OR_BRACKET.lastIndex = stringEnd(text, sign.index);
      continue;
    }
    depth += sign[0] === '{' || sign[0] === '[' ? 1 : -1;
    if (depth === 0) return sign.index + 1;
  }
  throw new Error('the text is no JSON');
}

/** The offset after the string that opens at `from`. */
function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); ; at = text.indexOf('"', at + 1)) {
    if (at === -1) throw new Error('the text is no JSON');
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
}
