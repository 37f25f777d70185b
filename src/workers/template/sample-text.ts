import { isObject, type JsonObject } from '../../runtime/json-object.ts';

/** A value in a JSON text: it begins at `from` and ends before `to`. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * The data of samples as JSON text with the digits that their template has: a double loses digits
 * (1.10, 12345678901234567890). `file` is the parsed text of `source`, and holds the data.
 */
export function samplesAsText(
  source: Uint8Array,
  file: JsonObject | null,
): (data: unknown) => Uint8Array {
  const samples: readonly unknown[] = Array.isArray(file?.['samples']) ? file['samples'] : [];
  let text = '';
  let spans: readonly Span[] | null = null;
  return (data) => {
    // Only numbers at the top level are values of fields.
    if (!isObject(data) || !Object.values(data).some((value) => typeof value === 'number')) {
      return new TextEncoder().encode(JSON.stringify(data));
    }
    if (spans === null) {
      text = new TextDecoder().decode(source);
      spans = elementsOf(text, memberOf(text, 0, 'samples').from);
    }
    const index = samples.findIndex((sample) => isObject(sample) && sample['data'] === data);
    const { from, to } = memberOf(text, spans[index]?.from ?? 0, 'data');
    return new TextEncoder().encode(text.slice(from, to));
  };
}

// The functions below read JSON that was parsed before.

/** The value of a key of the object at `from`; of the last one if it is repeated, as JSON.parse. */
function memberOf(text: string, from: number, key: string): Span {
  let found: Span | null = null;
  let at = nextSign(text, from) + 1;
  for (at = nextSign(text, at); text[at] !== '}'; at = nextSign(text, at)) {
    const end = valueEnd(text, at);
    const value = nextSign(text, nextSign(text, end) + 1);
    const to = valueEnd(text, value);
    if (JSON.parse(text.slice(at, end)) === key) found = { from: value, to };
    at = nextSign(text, to);
    if (text[at] === ',') at += 1;
  }
  if (found === null) throw new Error(`the template has no ${key}`);
  return found;
}

/** The elements of the list at `from`. */
function elementsOf(text: string, from: number): readonly Span[] {
  const spans: Span[] = [];
  for (let at = nextSign(text, from + 1); text[at] !== ']'; at = nextSign(text, at)) {
    const to = valueEnd(text, at);
    spans.push({ from: at, to });
    at = nextSign(text, to);
    if (text[at] === ',') at += 1;
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
  throw new Error('the template is JSON');
}

/** The offset after the string that opens at `from`. */
function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); ; at = text.indexOf('"', at + 1)) {
    if (at === -1) throw new Error('the template is JSON');
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
}
