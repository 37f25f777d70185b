import type { LineItem } from '../model/frame.ts';
import type { Dash, Rgb, Stroke } from '../model/style.ts';
import { decimal } from './syntax.ts';

export function isPlainStroke(stroke: Stroke): boolean {
  return stroke.cap === 0 && stroke.join === 0 && stroke.miterLimit === 10;
}

export function paintOperator(rule: 'nonzero' | 'evenodd' | null, stroked: boolean): string {
  if (rule === null) return 'S\n';
  if (rule === 'evenodd') return stroked ? 'B*\n' : 'f*\n';
  return stroked ? 'B\n' : 'f\n';
}

export function sameDash(a: Dash | null, b: Dash | null): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  return a.phase === b.phase && a.lengths.join() === b.lengths.join();
}

export function dashOperator(dash: Dash | null): string {
  if (dash === null) return '[]0 d\n';
  return `[${dash.lengths.map((length) => decimal(length)).join(' ')}]${decimal(dash.phase)} d\n`;
}

/** Limit of the kept colour operators: a template uses a handful, but data may bring any number. */
const COLORS_MAX = 1_024;
const fillOperators = new Map<Rgb, Uint8Array>();
const strokeOperators = new Map<Rgb, Uint8Array>();

export function colorOperator(color: Rgb, filling: boolean): Uint8Array {
  const known = (filling ? fillOperators : strokeOperators).get(color);
  if (known !== undefined) return known;
  const [red, green, blue] = [color >> 16, (color >> 8) & 0xff, color & 0xff].map((value) =>
    decimal(value / 255, 3),
  );
  const gray = red === green && green === blue;
  const text = gray
    ? `${red} ${filling ? 'g' : 'G'}\n`
    : `${red} ${green} ${blue} ${filling ? 'rg' : 'RG'}\n`;
  const operator = new TextEncoder().encode(text);
  const operators = filling ? fillOperators : strokeOperators;
  if (operators.size >= COLORS_MAX) operators.clear();
  operators.set(color, operator);
  return operator;
}

/** Whether one path can hold both lines. */
export function sameLook(a: LineItem, b: LineItem): boolean {
  return a.color === b.color && a.widthPt === b.widthPt && sameDash(a.dash, b.dash);
}
