import type { PDFPageProxy } from 'pdfjs-dist';
import { OPS } from 'pdfjs-dist';

/** A picture that a page paints. */
export interface PagePicture {
  /** Its own size in pixels, as `300x20`. */
  readonly size: string;
  /** Equal for two pictures only if their pixels are. */
  readonly digest: string;
}

/** The pictures that a page paints, each once. */
export async function picturesOf(page: PDFPageProxy): Promise<readonly PagePicture[]> {
  const { fnArray, argsArray } = await page.getOperatorList();
  const names = new Set<string>();
  for (const [index, operator] of fnArray.entries()) {
    if (operator !== OPS.paintImageXObject) continue;
    const [name] = argsArray[index] as readonly unknown[];
    if (typeof name === 'string') names.add(name);
  }
  const found = await Promise.all([...names].map((name) => readPicture(page, name)));
  return found.filter((picture) => picture !== null);
}

/** Null: pdf.js has it in no form that has pixels. */
async function readPicture(page: PDFPageProxy, name: string): Promise<PagePicture | null> {
  // Pictures that several pages paint belong to the document.
  const objects = name.startsWith('g_') ? page.commonObjs : page.objs;
  const decoded = await new Promise<unknown>((resolve) => void objects.get(name, resolve));
  const pixels = pixelsOf(decoded);
  if (pixels === null) return null;
  const digest = await crypto.subtle.digest('SHA-256', pixels.bytes);
  return { size: `${pixels.width}x${pixels.height}`, digest: hex(digest) };
}

interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

function pixelsOf(decoded: unknown): Pixels | null {
  if (typeof decoded !== 'object' || decoded === null) return null;
  const { width, height, data, bitmap } = decoded as Readonly<Record<string, unknown>>;
  if (typeof width !== 'number' || typeof height !== 'number') return null;
  if (ArrayBuffer.isView(data)) {
    const { buffer, byteOffset, byteLength } = data;
    return { width, height, bytes: new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength) };
  }
  if (!(bitmap instanceof ImageBitmap)) return null;
  const context = new OffscreenCanvas(width, height).getContext('2d');
  if (context === null) throw new Error('the browser draws no pictures');
  context.drawImage(bitmap, 0, 0);
  const { buffer } = context.getImageData(0, 0, width, height).data;
  return { width, height, bytes: new Uint8Array(buffer) };
}

function hex(digest: ArrayBuffer): string {
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
