import type { Shape } from '../../font/font.ts';
import type { Decoration, Run } from '../../model/nodes.ts';
import type { LinkTarget } from '../../model/frame.ts';
import type { Rgb, TextStyle } from '../../model/style.ts';
import { type Words, wordsWith } from './words/words.ts';

/** Superscript and subscript shifts in shares of the (already reduced) size, as in pdfmake. */
const SUP_RISE = 0.75;
const SUB_DROP = 0.35;

/** The style of a run, prepared for measuring and painting once per template. */
export class RunStyle {
  readonly style: TextStyle;
  readonly sizePt: number;
  readonly spacingPt: number;
  /** Height of a line of this run: ascent − descent, times lineHeight. */
  readonly heightPt: number;
  /** Ascent without lineHeight: how far below a line's top its baseline lies. */
  readonly ascentPt: number;
  /** Added to the baseline; negative is up. */
  readonly shiftPt: number;
  /** Dictionaries that break its text where there are no spaces. */
  readonly words: Words;
  readonly noWrap: boolean;
  readonly breakAll: boolean;
  readonly keepsLeadingSpaces: boolean;
  readonly keepsTrailingSpaces: boolean;
  readonly background: Rgb | null;
  readonly decoration: Decoration | null;
  readonly link: LinkTarget | null;
  readonly id: string | null;
  readonly reference: Run['reference'];
  readonly script: Run['script'];
  /** BCP 47; null: the document's language. */
  readonly lang: string | null;
  /** Nothing but glyphs to paint: no background, decoration, link, anchor or reference. */
  readonly isPlain: boolean;
  readonly #run: Run;

  /**
   * `link` is the run's link with its bindings filled in; `like`: the run whose height and ascent
   * this one takes over, or null.
   */
  constructor(run: Run, link: LinkTarget | null, like: RunStyle | null = null) {
    const { stack, sizePt, characterSpacingPt } = run.style;
    this.#run = run;
    this.style = run.style;
    this.sizePt = sizePt;
    this.spacingPt = characterSpacingPt;
    this.heightPt = like?.heightPt ?? (stack.ascentEm - stack.descentEm) * sizePt * run.lineHeight;
    this.ascentPt = like?.ascentPt ?? stack.ascentEm * sizePt;
    this.shiftPt = shiftOf(run.script) * sizePt;
    this.words = wordsWith(run.words ?? null);
    this.noWrap = run.noWrap;
    this.breakAll = run.wordBreak === 'break-all';
    this.keepsLeadingSpaces = run.preserveLeadingSpaces;
    this.keepsTrailingSpaces = run.preserveTrailingSpaces ?? false;
    this.background = run.background;
    this.decoration = run.decoration;
    this.link = link;
    this.id = run.id;
    this.reference = run.reference;
    this.script = run.script;
    this.lang = run.lang ?? null;
    this.isPlain =
      run.background === null && run.decoration === null && this.link === null && run.id === null;
  }

  /** The same run in another size: its character spacing grows and shrinks with it. */
  scaled(factor: number): RunStyle {
    return new RunStyle(this.#sized(factor), this.link);
  }

  /** The run in a smaller size, in lines that stay as high as before. */
  narrowed(factor: number): RunStyle {
    return new RunStyle(this.#sized(factor), this.link, this);
  }

  #sized(factor: number): Run {
    const { style } = this;
    const sizePt = style.sizePt * factor;
    const characterSpacingPt = style.characterSpacingPt * factor;
    const scaled = { ...style, sizePt, characterSpacingPt };
    return { ...this.#run, style: scaled };
  }

  /** Width in points; character spacing counts between clusters, not after the last. */
  widthOf(text: string): number {
    return this.widthOfShape(this.style.stack.shape(text));
  }

  widthOfShape(shape: Shape): number {
    const width = shape.widthEm * this.sizePt;
    return this.spacingPt === 0 ? width : width + this.spacingPt * (shape.clusterCount - 1);
  }
}

function shiftOf(script: Run['script']): number {
  if (script === 'sup') return -SUP_RISE;
  return script === 'sub' ? SUB_DROP : 0;
}
