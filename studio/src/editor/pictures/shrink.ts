import { barePng } from './bare-png.ts';

/** A picture as the template keeps it. */
export interface Shrunk {
  readonly url: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  /** Pixels of the file that was given. */
  readonly original: { readonly width: number; readonly height: number };
}

export type PictureFault = 'type' | 'bytes' | 'pixels' | 'broken';

export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
export const PICTURE_BYTES_MAX = 30 * 1_024 * 1_024;
/** Decoded, a pixel takes four bytes of the browser. */
const PIXELS_MAX = 60_000_000;
/** Higher values double the size of a photo, and nobody sees it in print. */
const JPEG_QUALITY = 0.9;

/**
 * Draws a picture anew, at the scale that is asked for. What remains is pixels: place, camera, author
 * and previews inside the file are left out, and a photo that says how it is turned stands upright. A
 * PNG that is not scaled keeps its compressed pixels where those take fewer bytes: the program that made
 * it may have compressed them better, or with a palette.
 */
export async function shrink(
  file: Blob,
  scaleFor: (size: { readonly width: number; readonly height: number }) => number,
): Promise<Shrunk | PictureFault> {
  if (!PICTURE_TYPES.includes(file.type)) return 'type';
  if (file.size > PICTURE_BYTES_MAX) return 'bytes';
  const bitmap = await decode(file);
  if (bitmap === null) return 'broken';
  try {
    if (bitmap.width * bitmap.height > PIXELS_MAX) return 'pixels';
    const scale = scaleFor(bitmap);
    const width = Math.max(1, Math.ceil(bitmap.width * scale));
    const height = Math.max(1, Math.ceil(bitmap.height * scale));
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d');
    if (context === null) return 'broken';
    context.imageSmoothingQuality = 'high';
    context.drawImage(bitmap, 0, 0, width, height);
    // A drawing keeps its edges and its transparency; a photo stays a photo.
    const type = file.type === 'image/jpeg' ? 'image/jpeg' : 'image/png';
    const drawn = await canvas.convertToBlob({ type, quality: JPEG_QUALITY });
    const original = { width: bitmap.width, height: bitmap.height };
    const isScaled = width !== original.width || height !== original.height;
    const made = isScaled ? drawn : await smaller(drawn, file);
    return { url: await dataUrl(made), width, height, bytes: made.size, original };
  } finally {
    bitmap.close();
  }
}

/** The drawn picture, or the pixels of the file as it has them if these are fewer bytes. */
async function smaller(drawn: Blob, file: Blob): Promise<Blob> {
  const bare = barePng(new Uint8Array(await file.arrayBuffer()));
  if (bare === null) return drawn;
  const kept = new Blob([...bare], { type: 'image/png' });
  return kept.size < drawn.size ? kept : drawn;
}

async function decode(file: Blob): Promise<ImageBitmap | null> {
  try {
    return await createImageBitmap(file, { imageOrientation: 'from-image' });
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}

function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => {
      if (typeof reader.result === 'string') resolve(reader.result);
    });
    reader.addEventListener('error', () => {
      reject(reader.error ?? new Error('the picture cannot be read'));
    });
    reader.readAsDataURL(blob);
  });
}
