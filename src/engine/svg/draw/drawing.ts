import type { FontStack } from '../../font/font.ts';
import type { Item } from '../../model/frame.ts';
import type { GradientStop, Matrix, TextStyle } from '../../model/style.ts';
import type { SvgElement } from '../tree.ts';
import type { Inherited, Style } from './presentation.ts';
import type { Geometry, Viewport } from './shape.ts';

/** All that an element takes from the elements around it. */
export interface DrawingContext {
  /** From the element's user space to the space of the items. */
  readonly matrix: Matrix;
  readonly viewport: Viewport;
  readonly inherited: Inherited;
  /** Elements above it, through references too. */
  readonly depth: number;
}

/** An element with what is known about it once its style is computed. */
export interface Styled {
  readonly element: SvgElement;
  readonly declared: ReadonlyMap<string, string>;
  readonly style: Style;
  readonly geometry: Geometry;
  /** The context of its content, with its own transform and inherited properties applied. */
  readonly place: DrawingContext;
}

/**
 * One SVG being drawn, as the files see it that draw one kind of element each: the tree's ids, the
 * fonts, the counts that bound the work, and the way back to the elements inside an element.
 */
export interface Drawing {
  readonly ids: ReadonlyMap<string, SvgElement>;
  readonly textStyle: TextStyle;
  /** Stacks that text may use: those the template declares. */
  readonly stacks: readonly FontStack[];
  readonly textStyles: Map<string, TextStyle>;
  /** Counts one more element, and the characters it is written with; false when there are too many. */
  spend(characters: number): boolean;
  /** The stops of a gradient, read once; a plain colour after too many stops were painted. */
  stopsFor(element: SvgElement, read: () => readonly GradientStop[]): readonly GradientStop[];
  /**
   * The stack of a text's style, chosen once for all runs: each turned letter is a separate run.
   */
  stackFor(style: Style, choose: () => FontStack): FontStack;
  /** The properties that rules of the sheet and the element itself give an element. */
  declaredOf(element: SvgElement): ReadonlyMap<string, string>;
  /** An element with its style computed. */
  styled(element: SvgElement, place: DrawingContext): Styled;
  /** The items of an element's children. */
  children(element: SvgElement, place: DrawingContext): Item[];
}
