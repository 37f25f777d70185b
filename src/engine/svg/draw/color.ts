import { parseColor as parseTemplateColor } from '../../model/color.ts';
import type { Rgb } from '../../model/style.ts';

export interface Color {
  readonly rgb: Rgb;
  /** 0 to 1. */
  readonly alpha: number;
}

/** Values of `fill` and `stroke` (SVG 2 §13.2). */
export type PaintValue =
  | PlainPaint
  | { readonly kind: 'server'; readonly id: string; readonly fallback: PlainPaint | null };

/** A paint without a reference; it may also be the fallback after `url(#id)`. */
export type PlainPaint =
  | { readonly kind: 'none' }
  | { readonly kind: 'current' }
  | { readonly kind: 'color'; readonly color: Color };

export const BLACK: Color = { rgb: 0, alpha: 1 };
const NONE: PlainPaint = { kind: 'none' };

/** A colour of CSS Color 4, sRGB forms only; null for anything else. */
export function parseCssColor(text: string): Color | null {
  const value = text.trim().toLowerCase();
  if (value === 'transparent') return { rgb: 0, alpha: 0 };
  const hex = /^#([0-9a-f]{3,8})$/.exec(value)?.[1];
  if (hex !== undefined) return parseHex(hex);
  const call = /^(rgba?|hsla?)\(([^()]*)\)$/.exec(value);
  if (call === null) {
    const rgb = parseTemplateColor(value);
    return rgb === null ? null : { rgb, alpha: 1 };
  }
  const parts = (call[2] ?? '').split(/[\s,/]+/).filter((part) => part !== '');
  if (parts.length < 3 || parts.length > 4) return null;
  const alpha = parts[3] === undefined ? 1 : share(parts[3], 1);
  const channels = call[1]?.startsWith('hsl') === true ? fromHsl(parts) : fromRgb(parts);
  if (alpha === null || channels === null) return null;
  return { rgb: packed(channels), alpha };
}

function parseHex(digits: string): Color | null {
  if (![3, 4, 6, 8].includes(digits.length)) return null;
  const full = digits.length < 5 ? digits.replaceAll(/./g, '$&$&') : digits;
  const alpha = full.length === 8 ? Number.parseInt(full.slice(6), 16) / 255 : 1;
  return { rgb: Number.parseInt(full.slice(0, 6), 16), alpha };
}

/** A number of 0 to `whole`, or a percentage, as 0 to 1. */
function share(text: string, whole: number): number | null {
  const value = Number.parseFloat(text);
  if (!Number.isFinite(value)) return null;
  return Math.min(1, Math.max(0, text.endsWith('%') ? value / 100 : value / whole));
}

function fromRgb(parts: readonly string[]): number[] | null {
  const channels = parts.slice(0, 3).map((part) => share(part, 255));
  return channels.every((channel) => channel !== null) ? channels : null;
}

/** CSS Color 4 §7.1. */
function fromHsl([hueText = '', saturationText = '', lightnessText = '']: readonly string[]):
  number[] | null {
  const hue = Number.parseFloat(hueText);
  const saturation = share(saturationText, 100);
  const lightness = share(lightnessText, 100);
  if (!Number.isFinite(hue) || saturation === null || lightness === null) return null;
  const reach = saturation * Math.min(lightness, 1 - lightness);
  return [0, 8, 4].map((offset) => {
    const turn = (((offset + hue / 30) % 12) + 12) % 12;
    return lightness - reach * Math.max(-1, Math.min(turn - 3, 9 - turn, 1));
  });
}

function packed(channels: readonly number[]): Rgb {
  return channels.reduce((rgb, channel) => rgb * 256 + Math.round(channel * 255), 0);
}

/** Null if the text is not a paint: the declaration counts as absent. */
export function parsePaint(text: string): PaintValue | null {
  const value = text.trim();
  const server = /^url\(\s*["']?#([^"'()\s]+)["']?\s*\)/i.exec(value);
  if (server === null) return parsePlainPaint(value);
  const rest = value.slice(server[0].length).trim();
  return { kind: 'server', id: server[1] ?? '', fallback: parsePlainPaint(rest) };
}

function parsePlainPaint(value: string): PlainPaint | null {
  if (value === 'none') return NONE;
  if (value.toLowerCase() === 'currentcolor') return { kind: 'current' };
  const color = parseCssColor(value);
  return color === null ? null : { kind: 'color', color };
}
