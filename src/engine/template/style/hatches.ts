import { checkIsObject, checkObject } from '../vocabulary/check.ts';
import type { JsonObject } from '../../../runtime/json-object.ts';
import { BLACK, parseColor } from '../../model/color.ts';
import type { Findings } from '../vocabulary/findings.ts';
import { memberPath } from '../vocabulary/findings.ts';
import { PATTERN_KEYS } from '../vocabulary/keys.ts';
import type { Paint, PathData, Rgb } from '../../model/style.ts';
import type { ColorSource, PaintSource } from '../vocabulary/values.ts';
import { CLOSE, CURVE, LINE, MOVE, RECTANGLE } from '../../model/path.ts';

/** A hatch as declared: a tile without its colour. */
interface Hatch {
  readonly widthPt: number;
  readonly heightPt: number;
  readonly path: PathData;
  readonly lineWidthPt: number;
}

/** The document's `patterns`: hatches that `[name, colour]` paints with. */
export class Patterns {
  readonly #hatches = new Map<string, Hatch>();
  readonly #findings: Findings;

  constructor(source: JsonObject, path: string, findings: Findings) {
    this.#findings = findings;
    for (const [name, value] of Object.entries(source)) {
      const at = memberPath(path, name);
      const object = checkIsObject(value, at, findings);
      const hatch = object === null ? null : compileHatch(object, at, findings);
      if (hatch !== null) this.#hatches.set(name, hatch);
    }
  }

  has(name: string): boolean {
    return this.#hatches.has(name);
  }

  /** A colour or `[pattern, colour]` as a paint. */
  paint(source: PaintSource, path: string): Paint {
    const color = parseColor(source);
    if (color !== null) return color;
    const [name, ink] = isHatchPaint(source) ? source : ['', ''];
    const hatch = this.#hatches.get(name);
    const rgb: Rgb = parseColor(ink) ?? BLACK;
    if (hatch !== undefined) return { kind: 'tile', ...hatch, color: rgb };
    const hint =
      this.#findings.suggestion(name, this.#hatches.keys()) || '; declare it in document.patterns.';
    this.#findings.error(path, `There is no pattern ${JSON.stringify(name)}${hint}`);
    return rgb;
  }
}

function isHatchPaint(source: PaintSource): source is readonly [string, ColorSource] {
  return Array.isArray(source) && typeof source[0] === 'string';
}

/** Operands of each operator of a tile's content stream (ISO 32000-2 §8.5) that is understood. */
const OPERANDS: Readonly<Record<string, number>> = {
  w: 1,
  m: 2,
  l: 2,
  c: 6,
  re: 4,
  h: 0,
  s: 0,
  S: 0,
  n: 0,
};

function compileHatch(source: JsonObject, path: string, findings: Findings): Hatch | null {
  const { pattern, xStep, yStep } = checkObject(source, path, PATTERN_KEYS, findings);
  if (pattern === undefined || xStep === undefined || yStep === undefined) {
    findings.error(path, 'A pattern needs "pattern", "xStep" and "yStep".');
    return null;
  }
  const drawn: number[] = [];
  let lineWidthPt = 1;
  let operands: number[] = [];
  for (const token of pattern.trim().split(/\s+/)) {
    const number = Number(token);
    if (Number.isFinite(number)) {
      operands.push(number);
      continue;
    }
    if (!Object.hasOwn(OPERANDS, token) || operands.length !== OPERANDS[token]) {
      const message = `"${token}" is not understood; draw lines and curves with w, m, l, c, re, h and S.`;
      findings.error(memberPath(path, 'pattern'), message);
      return null;
    }
    if (token === 'w') lineWidthPt = operands[0] ?? 1;
    else drawn.push(...pathCommand(token, operands));
    operands = [];
  }
  return { widthPt: xStep, heightPt: yStep, path: drawn, lineWidthPt };
}

function pathCommand(operator: string, operands: readonly number[]): readonly number[] {
  switch (operator) {
    case 'm':
      return [MOVE, ...operands];
    case 'l':
      return [LINE, ...operands];
    case 'c':
      return [CURVE, ...operands];
    case 're':
      return [RECTANGLE, ...operands];
    case 'h':
    case 's':
      return [CLOSE];
    case 'S':
    case 'n':
      return [];
    default:
      throw new RangeError('unknown path operator');
  }
}
