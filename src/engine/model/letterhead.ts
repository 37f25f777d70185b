import type { PreparedImage } from '../image/image.ts';

/** The picture of an image node. */
export type Picture = PreparedImage | LetterheadPage;

/**
 * A page of a PDF that the template places, such as a letterhead or a form. It may stand wherever
 * an image may and is measured like one, with a point as a pixel.
 */
export interface LetterheadPage {
  /** Content hash of the file, and the page: pages of the same key are embedded once. */
  readonly key: string;
  /** Upright size in points. */
  readonly widthPx: number;
  readonly heightPx: number;
  /** The cleaned file, owned by the template; all its pages share it. */
  readonly file: Uint8Array;
  /** Number of the page's form XObject in that file. */
  readonly form: number;
  readonly links: readonly LetterheadLink[];
}

/** An area that opens an address, in points from the upright page's top left corner. */
export interface LetterheadLink {
  readonly x: number;
  readonly y: number;
  readonly widthPt: number;
  readonly heightPt: number;
  readonly uri: string;
}
