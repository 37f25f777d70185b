/** An image as the PDF embeds it (ISO 32000-2 §8.9.5): bytes, and how to read them. */
export interface PreparedImage {
  /** Upright: EXIF rotation is already applied. */
  readonly widthPx: number;
  readonly heightPx: number;
  readonly filter: 'DCTDecode' | 'FlateDecode';
  readonly colorSpace: 'DeviceGray' | 'DeviceRGB' | 'DeviceCMYK' | IndexedColor;
  readonly bitsPerComponent: 1 | 2 | 4 | 8 | 16;
  /** PNG predictors in Flate data (ISO 32000-2 §7.4.4.4), or null. */
  readonly predictor: { readonly colors: number; readonly columns: number } | null;
  /** An Adobe CMYK JPEG is stored inverted: /Decode [1 0 …]. */
  readonly invert: boolean;
  readonly data: Uint8Array;
  /** Grey image of the same or another size, or null where opaque. */
  readonly softMask: PreparedImage | null;
  /** Content hash: images of the same key are embedded once. */
  readonly key: string;
}

interface IndexedColor {
  readonly base: 'DeviceRGB';
  /** RGB triples. */
  readonly palette: Uint8Array;
}
