import { LIMITS } from '../../../limits.ts';
import type { FontLibrary, FontStack } from '../../font/font.ts';
import type { FontFeatures } from '../../font/face.ts';
import type { Cascade } from './cascade.ts';
import { BLACK, parseColor } from '../../model/color.ts';
import type { Findings } from '../vocabulary/findings.ts';

import type { Decoration } from '../../model/nodes.ts';
import type { Rgb, TextStyle } from '../../model/style.ts';
import type { ColorSource } from '../vocabulary/values.ts';

/** Size of superscript and subscript as a share of the run's, as in pdfmake. */
const SCRIPT_SIZE = 0.58;

const DEFAULT_SIZE_PT = 12;

/** Where the named styles and the default style declare each font family: JSON paths. */
export type DeclaredFonts = ReadonlyMap<string, readonly string[]>;

/** Turns cascades into text styles; equal styles are one object. */
export class TextStyles {
  readonly #fonts: FontLibrary;
  readonly #defaultFamily: string;
  readonly #language: string;
  readonly #findings: Findings;
  readonly #declared: DeclaredFonts;
  /** Families that do not exist, reported where they are declared. */
  readonly #reported = new Set<string>();
  readonly #styles = new Map<string, TextStyle>();
  readonly #stacks = new Map<string, FontStack>();
  #featured = 0;

  /**
   * `language`: the document's, where a place has no other. `declared`: a family of these that does
   * not exist is reported where it is declared, not at each text that inherits it.
   */
  constructor(
    fonts: FontLibrary,
    defaultFamily: string,
    language: string,
    findings: Findings,
    declared: DeclaredFonts,
  ) {
    this.#declared = declared;
    this.#fonts = fonts;
    this.#defaultFamily = defaultFamily;
    this.#language = language;
    this.#findings = findings;
  }

  /** The text style of a cascade. `path` is where a family that does not exist is reported. */
  of(cascade: Cascade, path: string): TextStyle {
    const stack = this.#stack(cascade, path);
    const sizePt = sizeOf(cascade);
    const color = rgbOf(cascade.color) ?? BLACK;
    const opacity = cascade.opacity ?? 1;
    const characterSpacingPt = cascade.characterSpacing ?? 0;
    const key = `${stack.key}|${sizePt}|${color}|${opacity}|${characterSpacingPt}`;
    let style = this.#styles.get(key);
    if (style === undefined) {
      style = Object.freeze({ stack, sizePt, color, opacity, characterSpacingPt });
      this.#styles.set(key, style);
    }
    return style;
  }

  #stack(cascade: Cascade, path: string): FontStack {
    const features = featuresOf(cascade.fontFeatures);
    const family = this.#family(cascade.font ?? this.#defaultFamily, path);
    const bold = cascade.bold ?? false;
    const italics = cascade.italics ?? false;
    const language = cascade.language ?? this.#language;
    const asked = features === undefined ? '' : JSON.stringify(features);
    const key = `${family}|${bold}|${italics}|${language}|${asked}`;
    let stack = this.#stacks.get(key);
    if (stack === undefined) {
      const takesFeatures = features === undefined || this.#takesFeatures(path);
      const taken = takesFeatures ? features : undefined;
      stack = this.#fonts.stack(family, bold, italics, taken, language);
      this.#stacks.set(key, stack);
    }
    return stack;
  }

  /** Counts one more font with features; reports once when there are too many. */
  #takesFeatures(path: string): boolean {
    this.#featured++;
    if (this.#featured === LIMITS.featuredFontsMax + 1) {
      const message = `There are more than ${LIMITS.featuredFontsMax} fonts with different fontFeatures.`;
      this.#findings.error(path, message);
    }
    return this.#featured <= LIMITS.featuredFontsMax;
  }

  #family(family: string, path: string): string {
    if (this.#fonts.has(family)) return family;
    const { families } = this.#fonts;
    const hint =
      this.#findings.suggestion(family, families) || `; there are ${families.join(', ')}.`;
    const message = `There is no font ${JSON.stringify(family)}${hint}`;
    const declared = this.#declared.get(family);
    if (declared === undefined) this.#findings.error(path, message);
    else if (!this.#reported.has(family)) {
      this.#reported.add(family);
      for (const place of declared) this.#findings.error(place, message);
    }
    const instead = this.#fonts.has(this.#defaultFamily) ? this.#defaultFamily : families[0];
    if (instead === undefined) throw new Error('the font library is empty');
    return instead;
  }
}

/** The size in which a cascade prints, in points. */
export function sizeOf({ fontSize = DEFAULT_SIZE_PT, sup, sub }: Cascade): number {
  return fontSize * (sup === true || sub === true ? SCRIPT_SIZE : 1);
}

/** A checked colour as a number; null when there is none. */
export function rgbOf(color: ColorSource | undefined): Rgb | null {
  return color === undefined ? null : parseColor(color);
}

function featuresOf(source: Cascade['fontFeatures']): FontFeatures | undefined {
  if (source === undefined) return undefined;
  // An array lists the features that are on; an object says each one's value.
  if (isTagList(source)) return Object.fromEntries(source.map((tag) => [tag, true]));
  return source;
}

function isTagList(source: NonNullable<Cascade['fontFeatures']>): source is readonly string[] {
  return Array.isArray(source);
}

const LINES = ['underline', 'lineThrough', 'overline'] as const;

/** The decoration of a cascade; its colour is the text's unless given. */
export function decorationOf(cascade: Cascade, color: Rgb): Decoration | null {
  const { decoration } = cascade;
  if (decoration === undefined) return null;
  const wanted = typeof decoration === 'string' ? [decoration] : decoration;
  const lines = LINES.filter((line) => wanted.includes(line));
  if (lines.length === 0) return null;
  return {
    lines,
    style: cascade.decorationStyle ?? 'solid',
    color: rgbOf(cascade.decorationColor) ?? color,
    thicknessPt: cascade.decorationThickness ?? null,
  };
}
