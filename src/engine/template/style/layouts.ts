import { compileDash } from '../blocks/canvas.ts';
import type { JsonObject } from '../../../runtime/json-object.ts';
import { checkValue } from '../vocabulary/check.ts';
import { isObject } from '../../../runtime/json-object.ts';
import { BLACK, parseColor } from '../../model/color.ts';
import type { Findings } from '../vocabulary/findings.ts';
import { memberPath, shown } from '../vocabulary/findings.ts';
import { LAYOUT_KEYS } from '../vocabulary/keys.ts';
import type { LayoutEntry, TableLayout } from '../../model/table-layout.ts';
import type { Patterns } from './hatches.ts';
import type { Dash } from '../../model/style.ts';
import type { ValueType } from '../vocabulary/values.ts';

/** Where a line, row or column stands, for the data forms of an entry. */
interface CellPosition {
  readonly index: number;
  readonly first: boolean;
  readonly last: boolean;
  readonly header: boolean;
}

/**
 * An entry of a layout: the same everywhere, or a function of the place; undefined: what the base
 * layout says.
 */
type LayoutRule<T> =
  | { readonly everywhere: NonNullable<T> }
  | { readonly at: (place: CellPosition) => NonNullable<T> | undefined };

type PlaceOf = LayoutEntry<CellPosition>;

export const PLACES = ['first', 'last', 'header', 'outer', 'even', 'odd', 'inner', 'rest'] as const;
type PlaceName = (typeof PLACES)[number];

/** pdfmake's default layout. */
export const DEFAULT_LAYOUT: TableLayout = {
  hLineWidth: () => 1,
  vLineWidth: () => 1,
  hLineColor: () => BLACK,
  vLineColor: () => BLACK,
  hLineDash: () => null,
  vLineDash: () => null,
  paddingLeft: () => 4,
  paddingRight: () => 4,
  paddingTop: () => 2,
  paddingBottom: () => 2,
  fillColor: () => null,
  fillOpacity: () => 1,
  defaultBorder: true,
};

/** Whether a line is not one of the table's edges. */
function inside(line: number, count: number): boolean {
  return line !== 0 && line !== count;
}

/** pdfmake's named layouts. */
export const NAMED_LAYOUTS: Readonly<Record<string, TableLayout>> = {
  noBorders: {
    ...DEFAULT_LAYOUT,
    hLineWidth: () => 0,
    vLineWidth: () => 0,
    paddingLeft: (column) => (column === 0 ? 0 : 4),
    paddingRight: (column, count) => (column < count - 1 ? 4 : 0),
  },
  headerLineOnly: {
    ...DEFAULT_LAYOUT,
    hLineWidth: (line, rows, header) => (inside(line, rows) && line === header ? 2 : 0),
    vLineWidth: () => 0,
    paddingLeft: (column) => (column === 0 ? 0 : 8),
    paddingRight: (column, count) => (column === count - 1 ? 0 : 8),
  },
  lightHorizontalLines: {
    ...DEFAULT_LAYOUT,
    hLineWidth: (line, rows, header) => {
      if (!inside(line, rows)) return 0;
      return line === header ? 2 : 1;
    },
    vLineWidth: () => 0,
    hLineColor: (line) => (line === 1 ? BLACK : 0xaaaaaa),
    paddingLeft: (column) => (column === 0 ? 0 : 8),
    paddingRight: (column, count) => (column === count - 1 ? 0 : 8),
  },
};

/** Lines 0…count; the header's line is the one below it. */
function linePlace(index: number, count: number, headerRows: number): CellPosition {
  const header = headerRows > 0 && index === headerRows;
  return { index, first: index === 0, last: index === count, header };
}

/** Rows or columns 0…count−1. */
function cellPlace(index: number, count: number, headerRows: number): CellPosition {
  return { index, first: index === 0, last: index === count - 1, header: index < headerRows };
}

/** A layout as data over a base layout, which gives the entries that it leaves out. */
export function compileLayout(
  source: JsonObject,
  path: string,
  findings: Findings,
  patterns: Patterns,
): TableLayout {
  const base = baseOf(source['extends'], `${path}.extends`, findings);
  for (const key of Object.keys(source)) {
    if (Object.hasOwn(LAYOUT_KEYS, key)) continue;
    const hint = findings.suggestion(key, Object.keys(LAYOUT_KEYS));
    findings.error(memberPath(path, key), `"${key}" is not a key of a table layout${hint}`);
  }
  const entry = <S, T>(
    key: keyof typeof LAYOUT_KEYS,
    type: ValueType<S>,
    convert: (value: S, at: string) => NonNullable<T> | null,
    placeOf: PlaceOf,
    byDefault: LayoutEntry<T>,
  ): LayoutEntry<T> => {
    const at = `${path}.${key}`;
    const rule = compileEntry(source[key], at, type, convert, findings, patterns);
    return rule === null ? byDefault : entryOf(rule, placeOf, byDefault);
  };
  const line = (key: 'hLineWidth' | 'vLineWidth'): LayoutEntry<number> =>
    entry(key, LAYOUT_KEYS[key], (value) => value, linePlace, base[key]);
  const color = (key: 'hLineColor' | 'vLineColor'): LayoutEntry<number> =>
    entry(key, LAYOUT_KEYS[key], (value) => parseColor(value) ?? BLACK, linePlace, base[key]);
  const padding = (
    key: 'paddingLeft' | 'paddingRight' | 'paddingTop' | 'paddingBottom',
  ): LayoutEntry<number> => entry(key, LAYOUT_KEYS[key], (value) => value, cellPlace, base[key]);
  const dash = (value: JsonObject, at: string): Dash | null => lineDash(value, at, findings);
  return {
    hLineWidth: line('hLineWidth'),
    vLineWidth: line('vLineWidth'),
    hLineColor: color('hLineColor'),
    vLineColor: color('vLineColor'),
    hLineDash: entry('hLineStyle', LAYOUT_KEYS.hLineStyle, dash, linePlace, base.hLineDash),
    vLineDash: entry('vLineStyle', LAYOUT_KEYS.vLineStyle, dash, linePlace, base.vLineDash),
    paddingLeft: padding('paddingLeft'),
    paddingRight: padding('paddingRight'),
    paddingTop: padding('paddingTop'),
    paddingBottom: padding('paddingBottom'),
    fillColor: entry(
      'fillColor',
      LAYOUT_KEYS.fillColor,
      (value, at) => patterns.paint(value, at),
      cellPlace,
      base.fillColor,
    ),
    fillOpacity: entry(
      'fillOpacity',
      LAYOUT_KEYS.fillOpacity,
      (value) => value,
      cellPlace,
      base.fillOpacity,
    ),
    defaultBorder: flag('defaultBorder', source, path, findings) ?? base.defaultBorder,
    hLineWhenBroken:
      flag('hLineWhenBroken', source, path, findings) ?? base.hLineWhenBroken ?? true,
  };
}

/** The same function for all places where the rule allows: tables call it for each of their rows. */
function entryOf<T>(
  rule: LayoutRule<T>,
  placeOf: PlaceOf,
  byDefault: LayoutEntry<T>,
): LayoutEntry<T> {
  if ('everywhere' in rule) {
    const { everywhere } = rule;
    return () => everywhere;
  }
  const { at } = rule;
  return (index, count, headerRows) =>
    at(placeOf(index, count, headerRows)) ?? byDefault(index, count, headerRows);
}

/** The named layout that a layout starts from; pdfmake's default unless it names one. */
function baseOf(source: unknown, path: string, findings: Findings): TableLayout {
  if (source === undefined || source === null) return DEFAULT_LAYOUT;
  const name = checkValue(source, path, LAYOUT_KEYS.extends, findings);
  return (name === null ? undefined : NAMED_LAYOUTS[name]) ?? DEFAULT_LAYOUT;
}

function flag(
  key: 'defaultBorder' | 'hLineWhenBroken',
  source: JsonObject,
  path: string,
  findings: Findings,
): boolean | null {
  if (source[key] === undefined || source[key] === null) return null;
  return checkValue(source[key], `${path}.${key}`, LAYOUT_KEYS[key], findings);
}

/** `{"dash": {"length", "space"}}` */
function lineDash(source: JsonObject, path: string, findings: Findings): Dash | null {
  const { dash } = source;
  if (isObject(dash)) return compileDash(dash, `${path}.dash`, findings);
  findings.error(path, 'must be {"dash": {"length": points, "space": points}}.');
  return null;
}

/** A value, an array by index, or an object of places; the most specific place wins. */
function compileEntry<S, T>(
  source: unknown,
  path: string,
  type: ValueType<S>,
  convert: (value: S, at: string) => NonNullable<T> | null,
  findings: Findings,
  patterns: Patterns,
): LayoutRule<T> | null {
  if (source === undefined || source === null) return null;
  const one = (value: unknown, at: string): NonNullable<T> | undefined => {
    if (value === null) return undefined;
    if (type.accepts(value)) return convert(value, at) ?? undefined;
    findings.error(at, `must be ${type.says}, not ${shown(value)}.`);
    return undefined;
  };
  if (Array.isArray(source) && !isOneValue(source, type, patterns)) {
    const values = source.map((value, index) => one(value, `${path}[${index}]`));
    return { at: ({ index }) => values[index] };
  }
  if (!isPlaces(source)) {
    const everywhere = one(source, path);
    return everywhere === undefined ? null : { everywhere };
  }
  const values = new Map<string, NonNullable<T>>();
  for (const [name, value] of Object.entries(source)) {
    const at = `${path}.${name}`;
    if (!isPlaceName(name)) findings.error(at, `must be one of ${PLACES.join(', ')}.`);
    const compiled = one(value, at);
    if (compiled !== undefined) values.set(name, compiled);
  }
  return { at: (place) => atPlace(values, place) };
}

/** An array that is a single colour or `[pattern, colour]`, not one value per index. */
function isOneValue(
  source: readonly unknown[],
  type: ValueType<unknown>,
  patterns: Patterns,
): boolean {
  if (!type.accepts(source)) return false;
  return typeof source[0] !== 'string' || patterns.has(source[0]);
}

function isPlaces(source: unknown): source is JsonObject {
  return isObject(source) && Object.keys(source).some(isPlaceName);
}

function isPlaceName(name: string): name is PlaceName {
  return (PLACES as readonly string[]).includes(name);
}

/** The value of the most specific place that has one. */
function atPlace<T>(values: ReadonlyMap<string, T>, place: CellPosition): T | undefined {
  for (const name of PLACES) {
    if (!holds(name, place)) continue;
    const value = values.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

function holds(name: PlaceName, { index, first, last, header }: CellPosition): boolean {
  switch (name) {
    case 'first':
      return first;
    case 'last':
      return last;
    case 'header':
      return header;
    case 'outer':
      return first || last;
    case 'even':
      return index % 2 === 0;
    case 'odd':
      return index % 2 === 1;
    case 'inner':
      return !first && !last;
    case 'rest':
      return true;
  }
}
