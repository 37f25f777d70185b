import type { Matrix } from '../../model/style.ts';
import { BLACK, type Color, type PaintValue, parseCssColor, parsePaint } from './color.ts';
import { IDENTITY, parseTransform } from './matrix.ts';
import { parseLength, parseLengths, parseShare } from './number.ts';

/** Properties that children inherit (SVG 2 §6.6, CSS). */
export interface Inherited {
  readonly color: Color;
  readonly fill: PaintValue;
  readonly stroke: PaintValue;
  readonly fillOpacity: number;
  readonly strokeOpacity: number;
  readonly fillRule: 'nonzero' | 'evenodd';
  readonly clipRule: 'nonzero' | 'evenodd';
  readonly strokeWidth: number;
  readonly dashes: readonly number[];
  readonly dashOffset: number;
  readonly cap: 0 | 1 | 2;
  readonly join: 0 | 1 | 2;
  readonly miterLimit: number;
  readonly visible: boolean;
  readonly fontSize: number;
  /** Names asked for, first choice first; empty: the node's own family. */
  readonly families: readonly string[];
  /** null: as the node's own style. */
  readonly bold: boolean | null;
  readonly italics: boolean | null;
  readonly anchor: 'start' | 'middle' | 'end';
  readonly letterSpacing: number;
  readonly wordSpacing: number;
  readonly dominantBaseline: string;
  readonly preservesSpace: boolean;
  readonly markerStart: string | null;
  readonly markerMid: string | null;
  readonly markerEnd: string | null;
}

/** An element's style, all properties computed. */
export interface Style extends Inherited {
  readonly opacity: number;
  readonly displayed: boolean;
  readonly clipPath: string | null;
  readonly overflowHidden: boolean;
  readonly scalesStroke: boolean;
  readonly transform: Matrix;
  readonly stopColor: Color;
  readonly stopOpacity: number;
  readonly baselineShift: number;
  readonly alignmentBaseline: string | null;
  readonly underline: boolean;
  readonly overline: boolean;
  readonly lineThrough: boolean;
}

export const INITIAL: Inherited = {
  color: BLACK,
  fill: { kind: 'color', color: BLACK },
  stroke: { kind: 'none' },
  fillOpacity: 1,
  strokeOpacity: 1,
  fillRule: 'nonzero',
  clipRule: 'nonzero',
  strokeWidth: 1,
  dashes: [],
  dashOffset: 0,
  cap: 0,
  join: 0,
  miterLimit: 4,
  visible: true,
  fontSize: 16,
  families: [],
  bold: null,
  italics: null,
  anchor: 'start',
  letterSpacing: 0,
  wordSpacing: 0,
  dominantBaseline: 'auto',
  preservesSpace: false,
  markerStart: null,
  markerMid: null,
  markerEnd: null,
};

const FONT_SIZES: Readonly<Record<string, number>> = {
  'xx-small': 9,
  'x-small': 10,
  small: 13,
  medium: 16,
  large: 18,
  'x-large': 24,
  'xx-large': 32,
};

/** Longer values are ignored: each would be parsed again for every element that has it. */
const VALUE_LENGTH_MAX = 4_096;
const FAMILIES_MAX = 32;

const RULES = { nonzero: 'nonzero', evenodd: 'evenodd' } as const;
const CAPS = { butt: 0, round: 1, square: 2 } as const;
const JOINS = { miter: 0, round: 1, bevel: 2, 'miter-clip': 0, arcs: 0 } as const;
const VISIBILITIES = { visible: true, hidden: false, collapse: false };
const SLANTS = { normal: false, italic: true, oblique: true };
const ANCHORS = { start: 'start', middle: 'middle', end: 'end' } as const;

/** A value out of a table of words; the fallback for anything else. */
function word<T>(text: string | undefined, words: Readonly<Record<string, T>>, fallback: T): T {
  if (text === undefined) return fallback;
  const key = text.trim().toLowerCase();
  return Object.hasOwn(words, key) ? (words[key] ?? fallback) : fallback;
}

/** Properties that the computation below reads; whatever else is declared changes no style. */
const PROPERTIES: ReadonlySet<string> = new Set(
  `color fill stroke fill-opacity stroke-opacity fill-rule clip-rule stroke-width stroke-dasharray
  stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit visibility font font-size
  font-family font-weight font-style text-anchor letter-spacing word-spacing dominant-baseline
  white-space space marker marker-start marker-mid marker-end opacity display clip-path overflow
  vector-effect transform stop-color stop-opacity baseline-shift alignment-baseline
  text-decoration text-decoration-line`.split(/\s+/),
);

const NOTHING: ReadonlyMap<string, string> = new Map();
/** By parent, the style of a child that declares none, as most elements of a drawing do. */
const plain = new WeakMap<Inherited, Style>();

/** The style of an element with these declarations inside a parent. `diagonal`: 100 % of a length. */
export function computeStyle(
  declared: ReadonlyMap<string, string>,
  parent: Inherited,
  diagonal: number,
): Style {
  for (const name of declared.keys()) {
    if (PROPERTIES.has(name)) return computeDeclared(declared, parent, diagonal);
  }
  let style = plain.get(parent);
  if (style === undefined) {
    style = computeDeclared(NOTHING, parent, 0);
    plain.set(parent, style);
  }
  return style;
}

function computeDeclared(
  declared: ReadonlyMap<string, string>,
  parent: Inherited,
  diagonal: number,
): Style {
  const asked = (name: string): string | undefined => {
    const value = declared.get(name);
    if (value === undefined || value.length > VALUE_LENGTH_MAX) return undefined;
    const trimmed = value.trim();
    return trimmed === 'inherit' || trimmed === '' ? undefined : trimmed;
  };
  const font = withFontShorthand(asked);
  const fontSize = fontSizeOf(font('font-size'), parent.fontSize);
  const base = { whole: diagonal, fontSize };
  const length = (name: string, fallback: number): number =>
    parseLength(asked(name), base) ?? (asked(name) === 'normal' ? 0 : fallback);
  const ownColor = asked('color');
  const color = (ownColor === undefined ? null : parseCssColor(ownColor)) ?? parent.color;
  const decoration = asked('text-decoration') ?? asked('text-decoration-line') ?? '';
  return {
    color,
    fill: paintOf(asked('fill')) ?? parent.fill,
    stroke: paintOf(asked('stroke')) ?? parent.stroke,
    fillOpacity: parseShare(asked('fill-opacity')) ?? parent.fillOpacity,
    strokeOpacity: parseShare(asked('stroke-opacity')) ?? parent.strokeOpacity,
    fillRule: word(asked('fill-rule'), RULES, parent.fillRule),
    clipRule: word(asked('clip-rule'), RULES, parent.clipRule),
    strokeWidth: Math.max(0, length('stroke-width', parent.strokeWidth)),
    dashes: dashesOf(asked('stroke-dasharray'), base) ?? parent.dashes,
    dashOffset: length('stroke-dashoffset', parent.dashOffset),
    cap: word(asked('stroke-linecap'), CAPS, parent.cap),
    join: word(asked('stroke-linejoin'), JOINS, parent.join),
    miterLimit: Math.max(1, length('stroke-miterlimit', parent.miterLimit)),
    visible: word(asked('visibility'), VISIBILITIES, parent.visible),
    fontSize,
    families: familiesOf(font('font-family')) ?? parent.families,
    bold: weightOf(font('font-weight'), parent.bold),
    italics: word(font('font-style')?.split(/\s/)[0], SLANTS, parent.italics),
    anchor: word(asked('text-anchor'), ANCHORS, parent.anchor),
    letterSpacing: length('letter-spacing', parent.letterSpacing),
    wordSpacing: length('word-spacing', parent.wordSpacing),
    dominantBaseline: asked('dominant-baseline') ?? parent.dominantBaseline,
    preservesSpace: preservesSpace(asked('white-space') ?? asked('space'), parent.preservesSpace),
    markerStart: reference(asked('marker-start') ?? asked('marker'), parent.markerStart),
    markerMid: reference(asked('marker-mid') ?? asked('marker'), parent.markerMid),
    markerEnd: reference(asked('marker-end') ?? asked('marker'), parent.markerEnd),
    opacity: parseShare(asked('opacity')) ?? 1,
    displayed: asked('display') !== 'none',
    clipPath: reference(asked('clip-path'), null),
    overflowHidden: asked('overflow') !== 'visible',
    scalesStroke: asked('vector-effect') !== 'non-scaling-stroke',
    transform: transformOf(asked('transform')),
    stopColor: stopColorOf(asked('stop-color'), color),
    stopOpacity: parseShare(asked('stop-opacity')) ?? 1,
    baselineShift: baselineShiftOf(asked('baseline-shift'), fontSize),
    alignmentBaseline: asked('alignment-baseline') ?? null,
    underline: decoration.includes('underline'),
    overline: decoration.includes('overline'),
    lineThrough: decoration.includes('line-through'),
  };
}

function paintOf(text: string | undefined): PaintValue | null {
  return text === undefined ? null : parsePaint(text);
}

function transformOf(text: string | undefined): Matrix {
  return text === undefined ? IDENTITY : (parseTransform(text) ?? IDENTITY);
}

type Asked = (name: string) => string | undefined;

/** Reads `font: italic bold 12px/1.2 "A", B` where a longhand is missing. */
function withFontShorthand(asked: Asked): Asked {
  const shorthand = asked('font');
  if (shorthand === undefined) return asked;
  const match = /^(.*?)([\d.]+(?:px|pt|em|%|mm|cm|in|pc))(?:\/\S+)?\s+(.+)$/.exec(shorthand);
  if (match === null) return asked;
  const words = (match[1] ?? '').split(/\s+/);
  const parts: Readonly<Record<string, string | undefined>> = {
    'font-size': match[2],
    'font-family': match[3],
    'font-weight': words.find((part) => /^(?:bold|bolder|lighter|[1-9]00)$/.test(part)) ?? 'normal',
    'font-style': words.find((part) => /^(?:italic|oblique)$/.test(part)) ?? 'normal',
  };
  return (name) => asked(name) ?? parts[name];
}

function fontSizeOf(text: string | undefined, parent: number): number {
  const named = word(text, FONT_SIZES, 0);
  if (named > 0) return named;
  if (text === 'larger') return parent * 1.2;
  if (text === 'smaller') return parent / 1.2;
  const size = parseLength(text, { whole: parent, fontSize: parent }) ?? parent;
  return size >= 0 ? Math.min(size, 10_000) : parent;
}

/** Family names in order; generic ones stand for the node's own family. */
function familiesOf(text: string | undefined): string[] | null {
  if (text === undefined) return null;
  return text.split(',', FAMILIES_MAX).map((name) => name.trim().replaceAll(/["']/g, ''));
}

function weightOf(text: string | undefined, parent: boolean | null): boolean | null {
  const value = text?.toLowerCase();
  if (value === undefined) return parent;
  if (value === 'bold' || value === 'bolder') return true;
  if (value === 'normal' || value === 'lighter') return false;
  const number = Number(value);
  return Number.isFinite(number) ? number >= 600 : parent;
}

function dashesOf(
  text: string | undefined,
  base: { readonly whole: number; readonly fontSize: number },
): readonly number[] | null {
  if (text === undefined) return null;
  if (text === 'none') return [];
  const lengths = parseLengths(text, base);
  if (lengths === null || lengths.length > 64 || lengths.some((length) => length < 0)) return null;
  return lengths.some((length) => length > 0) ? lengths : [];
}

function preservesSpace(text: string | undefined, parent: boolean): boolean {
  if (text === undefined) return parent;
  return /^(?:preserve|pre|pre-wrap|break-spaces)$/.test(text);
}

/** The id of `url(#id)`; null for `none`. */
function reference(text: string | undefined, parent: string | null): string | null {
  if (text === undefined) return parent;
  return /^url\(\s*["']?#([^"'()\s]+)["']?\s*\)/.exec(text)?.[1] ?? null;
}

function stopColorOf(text: string | undefined, current: Color): Color {
  if (text === undefined) return BLACK;
  if (text.toLowerCase() === 'currentcolor') return current;
  return parseCssColor(text) ?? BLACK;
}

/** Positive values shift up, as the property defines. */
function baselineShiftOf(text: string | undefined, fontSize: number): number {
  if (text === 'sub') return -0.2 * fontSize;
  if (text === 'super') return 0.4 * fontSize;
  return parseLength(text, { whole: fontSize, fontSize }) ?? 0;
}
