import type { StructElement } from '../../model/structure.ts';
import type { RowRun } from './row-run.ts';

/** Content of an element: elements in it, rows of them, marked content on a page, annotations. */
export type Kid =
  | { readonly order: number; readonly kind: 'element'; readonly held: Held }
  | { readonly order: number; readonly kind: 'rows'; readonly run: RowRun }
  | { readonly order: number; readonly kind: 'content'; page: number; readonly mcid: number }
  | { readonly order: number; readonly kind: 'annotation'; page: number; readonly object: number };

/** An element of the document, with what it holds. */
export interface Held {
  readonly element: StructElement;
  readonly kids: Kid[];
  /** Its object number; 0: none yet. */
  object: number;
}

/** The elements of a document, and what holds its content. */
export interface HeldContent {
  readonly root: Held;
  /** By page: what holds its marked content, in the order of the identifiers. */
  readonly pages: readonly (readonly (Held | RowRun)[])[];
  /** Elements of annotations, whose keys in the parent tree follow those of the pages. */
  readonly annotations: readonly Held[];
}

/** Brings what an element holds into reading order. */
export function sortKids(kids: Kid[]): void {
  let last = -1;
  for (const { order } of kids) {
    if (order < last) {
      kids.sort((one, other) => one.order - other.order);
      return;
    }
    last = order;
  }
}
