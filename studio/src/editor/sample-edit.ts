import type { Data } from '../api/template-data.ts';
import { jsonOfTyped } from '../form/json-texts.ts';
import { formatJson, readTemplate, TOKENS } from './template-text.ts';

/** Replaces the characters of a text from `from` to `to`. */
export interface TextChange {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

export interface SampleEdit {
  readonly change: TextChange;
  /** Index of the sample among the well-formed samples of the changed text. */
  readonly index: number;
}

/**
 * Writes a sample into a template's text: in place of the well-formed sample with its name (the one
 * at `chosen`, if two have it), else after the last. Everything else keeps its characters, and so
 * do the values that the sample at `chosen` has already. null: the text is not a JSON object, or its
 * samples are not a list.
 */
export function editSample(
  text: string,
  sample: { readonly name: string; readonly data: Data },
  chosen: number,
): SampleEdit | null {
  const template = readTemplate(text);
  if (template === null) return null;
  const { samples } = template;
  const root = locate(text);
  const list = memberOf(root, 'samples');
  if (list !== null && text[list.from] !== '[') return null;
  const placeOf = (index: number): Place | null => {
    const position = samples[index]?.position;
    return position === undefined ? null : (list?.items[position]?.place ?? null);
  };
  const before = placeOf(chosen);
  const given = jsonOfTyped(template.fields, sample.data);
  const written = dataText(text, given, before === null ? null : memberOf(before, 'data'));
  const isNamed = samples[chosen]?.name === sample.name;
  const index = isNamed ? chosen : samples.findIndex(({ name }) => name === sample.name);
  const old = placeOf(index);
  const oldData = old === null ? null : memberOf(old, 'data');
  if (old !== null && oldData !== null) {
    const head = text.slice(old.from, oldData.from);
    const json = head + written + text.slice(oldData.to, old.to);
    const insert = formatJson(json, indentAt(text, old.from));
    return { change: { from: old.from, to: old.to, insert }, index };
  }
  const json = `{"name":${JSON.stringify(sample.name)},"data":${written}}`;
  const change =
    list === null
      ? addItem(text, root, (indent) => `"samples": ${formatJson(`[${json}]`, indent)}`)
      : addItem(text, list, (indent) => formatJson(json, indent));
  return { change, index: samples.length };
}

/** Data as JSON; a value that `before` has, too, keeps its digits. */
function dataText(text: string, data: ReadonlyMap<string, string>, before: Place | null): string {
  const members = Array.from(data, ([key, json]) => {
    const place = before === null ? null : memberOf(before, key);
    const typed = place === null ? json : text.slice(place.from, place.to);
    const isSame = typed === json || JSON.stringify(JSON.parse(typed)) === json;
    return `${JSON.stringify(key)}:${isSame ? typed : json}`;
  });
  return `{${members.join()}}`;
}

/** Adds what `write` gives after the last item of a list or the last member of an object. */
export function addItem(text: string, place: Place, write: (indent: string) => string): TextChange {
  const last = place.items.at(-1);
  if (last !== undefined) {
    const { to } = last.place;
    const indent = indentAt(text, last.from);
    return { from: to, to, insert: `,\n${indent}${write(indent)}` };
  }
  const outer = indentAt(text, place.from);
  const indent = `${outer}  `;
  const insert = `\n${indent}${write(indent)}\n${outer}`;
  return { from: place.from + 1, to: place.to - 1, insert };
}

/** The indentation of the line that contains the offset `at`. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** Where a JSON value stands in a text. */
export interface Place {
  readonly from: number;
  readonly to: number;
  readonly items: readonly Item[];
}

/** An item of a list, or a member of an object. */
interface Item {
  /** '' in a list. */
  readonly key: string;
  /** Where the item begins: at its key, if it has one. */
  readonly from: number;
  /** The place of its value. */
  readonly place: Place;
}

/** The value of a key; of the last one where the key is repeated, as JSON.parse reads it. */
export function memberOf(object: Place, key: string): Place | null {
  return object.items.findLast((item) => item.key === key)?.place ?? null;
}

/** Locates the values of a text that is JSON. */
export function locate(text: string): Place {
  const tokens = [...text.matchAll(TOKENS)].map(({ 0: token, index }) => ({
    token,
    from: index,
    to: index + token.length,
  }));
  let at = 0;
  const next = (): { token: string; from: number; to: number } => {
    const token = tokens[at];
    if (token === undefined) throw new Error('the text is not JSON');
    at += 1;
    return token;
  };
  const read = (): Place => {
    const open = next();
    if (open.token !== '{' && open.token !== '[') return { ...open, items: [] };
    const items: Item[] = [];
    while (tokens[at]?.token !== '}' && tokens[at]?.token !== ']') {
      const from = tokens[at]?.from ?? 0;
      const key = open.token === '{' ? String(JSON.parse(next().token)) : '';
      if (open.token === '{') next();
      items.push({ key, from, place: read() });
      if (tokens[at]?.token === ',') next();
    }
    return { from: open.from, to: next().to, items };
  };
  return read();
}
