import { shareTemplate, tryRender } from '../../lab/render.ts';
import type { Glyph } from './pdf-text.ts';
import { readPages } from './pdf-text.ts';

/** One value on a sheet: a field, the text that prints it, and what must be read back. */
export interface SheetItem {
  /** Type and format of the field, and its value; the text names it as `{{v}}`. */
  readonly type: 'number' | 'date' | 'cell';
  readonly fieldFormat: Readonly<Record<string, unknown>> | null;
  readonly value: string;
  /** `format` and other keys beside the text. */
  readonly keys: Readonly<Record<string, unknown>>;
  /** What stands before and after the value in its text. */
  readonly around: readonly [string, string];
  readonly widthPt: number;
  /** What the value must look like; more than one where ICU knows several forms. */
  readonly due: readonly string[];
  /** Whether it must stand on one line wherever the column is wide enough. */
  readonly isWord: boolean;
}

export interface SheetFault {
  readonly kind: string;
  readonly message: string;
  readonly item: SheetItem;
}

/** Prints all items in one document and reads them back. */
export async function trySheet(
  items: readonly SheetItem[],
  language: string,
): Promise<SheetFault[]> {
  const refused: SheetItem[] = [];
  let left = items;
  while (left.length > 0) {
    const { template, data } = makeSheet(left, language);
    const result = await tryRender(shareTemplate(JSON.stringify(template)), data);
    if (result.ok) {
      const lines = readLines(readPages(result.value.pdf).map((page) => page.glyphs));
      const faults = left.flatMap((item, index) => judge(item, lines.get(index + 1) ?? []));
      for (const item of refused) faults.push(...(await judgeRefusal(item, language)));
      return faults;
    }
    const names = new Set((result.fields ?? []).map(({ field }) => field));
    const wide = left.filter((_, index) => names.has(`v${index}`));
    const isForWidth = result.fields?.every(({ reason }) => reason === TOO_WIDE) ?? false;
    const [first] = wide;
    if (!isForWidth || first === undefined) {
      const [item] = left;
      const message = `${result.code}: ${result.message}`;
      return item === undefined ? [] : [{ kind: 'refused', message, item }];
    }
    refused.push(...wide);
    left = left.filter((item) => !wide.includes(item));
  }
  return [];
}

/** The reason of the contract for an amount that fits in no size. */
export const TOO_WIDE = 'amount is wider than its place on the page';

/** The reason for an amount that would leave the paper, as in columns of fixed widths. */
export const CUT = 'amount would be cut by the edge of the page';

/** The reason for amounts of columns without a gap, which would be read as one. */
export const TOUCHES = 'amount touches the amount beside it';

/** The least share of its size that an amount may be printed in. */
const SHRINK_LEAST = 0.6;

/** A refusal is right only when the amount is too wide even in its least size. */
async function judgeRefusal(item: SheetItem, language: string): Promise<SheetFault[]> {
  const wide = { ...item, widthPt: 5_000 };
  const { template, data } = makeSheet([wide], language);
  const result = await tryRender(shareTemplate(JSON.stringify(template)), data);
  if (!result.ok) return [{ kind: 'refused', message: result.message, item }];
  const glyphs = [...readLines(readPages(result.value.pdf).map((page) => page.glyphs)).values()];
  const widthPt = wordOf(item, glyphs.flat(2)).reduce((sum, one) => sum + one.right - one.left, 0);
  if (widthPt * SHRINK_LEAST > item.widthPt - 0.5) return [];
  const message = `${item.due[0]} is refused in ${item.widthPt} pt, and ${widthPt} pt wide`;
  return [{ kind: 'refused without need', message, item }];
}

export function makeSheet(
  items: readonly SheetItem[],
  language: string,
): { template: Record<string, unknown>; data: Record<string, unknown> } {
  const fields = items.map(({ type, fieldFormat }, index) => ({
    name: `v${index}`,
    type: type === 'cell' ? 'table' : type,
    ...(fieldFormat === null ? {} : { format: fieldFormat }),
  }));
  const data = items.map(({ type, value }, index) => [
    `v${index}`,
    type === 'cell' ? [[value]] : value,
  ]);
  const content = items.map((item, index) => {
    const [before, after] = item.around;
    const name = item.type === 'cell' ? '0' : `v${index}`;
    const color = `#${(index + 1).toString(16).padStart(6, '0')}`;
    const text = { text: `${before}{{${name}}}${after}`, color, ...item.keys };
    const each = item.type === 'cell' ? { each: `v${index}` } : {};
    return { columns: [{ width: item.widthPt, stack: [{ ...text, ...each }] }, { text: '' }] };
  });
  const document = { pageSize: { width: 6000, height: 2000 }, pageMargins: 20, content };
  return {
    template: { templateId: 'audited', language, fields, document },
    data: Object.fromEntries(data) as Record<string, unknown>,
  };
}

/** The lines of each item, found by its colour. */
function readLines(pages: readonly (readonly Glyph[])[]): Map<number, Glyph[][]> {
  const lines = new Map<number, Glyph[][]>();
  for (const glyphs of pages) {
    let last = NaN;
    let color = -1;
    for (const glyph of glyphs) {
      const ofItem = lines.get(glyph.color) ?? [];
      lines.set(glyph.color, ofItem);
      const isNew = glyph.color !== color || Math.abs(glyph.baseline - last) > 0.3;
      if (isNew) ofItem.push([]);
      ofItem.at(-1)?.push(glyph);
      last = glyph.baseline;
      color = glyph.color;
    }
  }
  return lines;
}

const textOf = (glyphs: readonly Glyph[]): string => glyphs.map(({ text }) => text).join('');
const squeeze = (text: string): string => text.replaceAll(/\s/g, '');

function judge(item: SheetItem, lines: readonly (readonly Glyph[])[]): SheetFault[] {
  const texts = lines.map((line) => textOf(line));
  const [before, after] = item.around;
  const whole = squeeze(texts.join(''));
  const due = item.due.find((text) => whole === squeeze(before + text + after));
  const shown = texts.join(' / ');
  if (due === undefined) {
    return [{ kind: 'text wrong', message: `${shown}, not ${item.due.join(' or ')}`, item }];
  }
  if (!item.isWord) return [];
  if (!texts.some((text) => text.includes(due.trim()))) {
    return [{ kind: 'amount split', message: `${shown} in ${item.widthPt} pt`, item }];
  }
  return [...judgeSize(item, lines.flat()), ...judgePlace(item, lines.flat())];
}

/** An amount is printed smaller only when it is too wide in its own size. */
function judgeSize(item: SheetItem, glyphs: readonly Glyph[]): SheetFault[] {
  const size = item.keys['fontSize'];
  const word = wordOf(item, glyphs);
  const printed = Math.min(...word.map((glyph) => glyph.size));
  if (typeof size !== 'number' || printed > size - 0.05) return [];
  const shown = `${textOf(word)} has ${printed} of ${size} pt in ${item.widthPt} pt`;
  if (printed < size * SHRINK_LEAST - 0.05) return [{ kind: 'too small', message: shown, item }];
  const widthPt = word.reduce((sum, one) => sum + (one.right - one.left) * (size / one.size), 0);
  if (widthPt > item.widthPt - 0.5) return [];
  return [{ kind: 'small without need', message: shown, item }];
}

/** The glyphs of the value, and of what stands beside it without a blank. */
function wordOf(item: SheetItem, glyphs: readonly Glyph[]): Glyph[] {
  const [before, after] = item.around;
  const from = squeeze(before).length - (/\S+$/.exec(before)?.[0].length ?? 0);
  const whole = squeeze(textOf(glyphs)).length;
  const to = whole - squeeze(after).length + (/^\S+/.exec(after)?.[0].length ?? 0);
  let at = 0;
  return glyphs.filter(({ text }) => {
    const start = at;
    at += squeeze(text).length;
    return start >= from && start < to;
  });
}

/** No glyph of the value itself leaves the column; a comma beside it may. */
function judgePlace(item: SheetItem, glyphs: readonly Glyph[]): SheetFault[] {
  const value = wordOf({ ...item, around: blanks(item.around) }, glyphs);
  const inked = value.filter(({ text }) => text.trim() !== '');
  const left = Math.min(...inked.map((glyph) => glyph.left));
  const right = Math.max(...inked.map((glyph) => glyph.right));
  if (left > 19.5 && right < 20.5 + item.widthPt) return [];
  return [{ kind: 'outside', message: `${textOf(value)} in ${item.widthPt} pt`, item }];
}

/** The same texts around a value, parted from it by blanks. */
function blanks([before, after]: readonly [string, string]): readonly [string, string] {
  return [`${before} `, ` ${after}`];
}
