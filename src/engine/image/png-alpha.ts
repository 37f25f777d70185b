import { deflateSync } from 'node:zlib';
import type { Effort } from './decode.ts';
import type { PreparedImage } from './prepared.ts';
import type { PngFile } from './png-chunks.ts';
import { predict } from './png-filter.ts';

/**
 * Separates the alpha of a PNG from its colour without undoing the row filters. Every PNG filter
 * predicts a byte from the bytes of the same lane alone: left, above and above left, each a whole
 * pixel away (PNG 3 §9.2). So the filtered bytes of some channels, with the row's filter type
 * before them, are the filtered row of an image of these channels.
 *
 *     row   f RGBA RGBA RGBA …
 *     color f RGB  RGB  RGB  …
 *     alpha f A    A    A    …
 */
export function splitAlpha(
  file: PngFile,
  rows: Uint8Array,
  effort: Effort,
): Omit<PreparedImage, 'key'> {
  const { widthPx, heightPx, colors, bitDepth } = file;
  const alphaBytes = bitDepth / 8;
  const colorBytes = (colors - 1) * alphaBytes;
  const color = Buffer.allocUnsafe((1 + widthPx * colorBytes) * heightPx);
  const alpha = Buffer.allocUnsafe((1 + widthPx * alphaBytes) * heightPx);
  let from = 0;
  let toColor = 0;
  let toAlpha = 0;
  for (let row = 0; row < heightPx; row++) {
    const filter = rows[from++] ?? 0;
    color[toColor++] = filter;
    alpha[toAlpha++] = filter;
    for (let pixel = 0; pixel < widthPx; pixel++) {
      for (let at = 0; at < colorBytes; at++) color[toColor++] = rows[from++] ?? 0;
      for (let at = 0; at < alphaBytes; at++) alpha[toAlpha++] = rows[from++] ?? 0;
    }
  }
  const level = effort === 'best' ? 9 : 6;
  const common = {
    widthPx,
    heightPx,
    filter: 'FlateDecode',
    // 8 or 16: alpha has no other depths.
    bitsPerComponent: file.bitDepth,
    invert: false,
  } as const;
  const softMask: PreparedImage | null = isOpaque(alpha, widthPx * alphaBytes, alphaBytes)
    ? null
    : {
        ...common,
        colorSpace: 'DeviceGray',
        predictor: { colors: 1, columns: widthPx },
        data: deflateSync(alpha, { level }),
        softMask: null,
        key: '',
      };
  return {
    ...common,
    colorSpace: colors === 2 ? 'DeviceGray' : 'DeviceRGB',
    predictor: { colors: colors - 1, columns: widthPx },
    data: deflateSync(color, { level }),
    softMask,
  };
}

/** True when all alpha is 255: undoes the filters (PNG 3 §9.2) row by row, up to another value. */
function isOpaque(filtered: Uint8Array, rowLength: number, pixelBytes: number): boolean {
  let above = new Uint8Array(rowLength);
  let row = new Uint8Array(rowLength);
  for (let from = 0; from < filtered.length; from += rowLength + 1) {
    const filter = filtered[from] ?? 0;
    for (let at = 0; at < rowLength; at++) {
      const left = at < pixelBytes ? 0 : (row[at - pixelBytes] ?? 0);
      const up = above[at] ?? 0;
      const upLeft = at < pixelBytes ? 0 : (above[at - pixelBytes] ?? 0);
      const value = (filtered[from + 1 + at] ?? 0) + predict(filter, left, up, upLeft);
      if ((value & 0xff) !== 255) return false;
      row[at] = 255;
    }
    [above, row] = [row, above];
  }
  return true;
}
