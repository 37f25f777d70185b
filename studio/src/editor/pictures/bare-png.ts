const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** The chunks that the pixels are made of (PNG 3 §11.2, §11.3.1). */
const PIXELS: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);
/** Chunks that say how colours are meant. Readers ignore them where sRGB is present (PNG 3 §4.3). */
const OUTRANKED: ReadonlySet<string> = new Set(['gAMA', 'cHRM']);
/** Chunks by which pixels are shown otherwise: colours, a turn, frames. */
const SHOWN_OTHERWISE: ReadonlySet<string> = new Set([
  'iCCP',
  'cICP',
  'mDCV',
  'cLLI',
  'eXIf',
  'acTL',
]);
/** Bit 5 of a type's first letter: a reader may skip the chunk (PNG 3 §5.4). */
const SKIPPABLE = 0x20;
/** Length, type and checksum of a chunk. */
const FRAME_BYTES = 12;

/**
 * Returns the PNG with nothing but its pixels: texts, times and all other chunks are left out, unread.
 * null: a chunk changes how the pixels are shown, or the file is no PNG.
 */
export function barePng(file: Uint8Array<ArrayBuffer>): readonly Uint8Array<ArrayBuffer>[] | null {
  if (!SIGNATURE.every((byte, index) => file[index] === byte)) return null;
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const kept = [file.subarray(0, SIGNATURE.length)];
  const types = new Set<string>();
  for (let at = SIGNATURE.length; at + FRAME_BYTES <= file.length;) {
    const end = at + FRAME_BYTES + view.getUint32(at);
    if (end > file.length) return null;
    const type = String.fromCharCode(...file.subarray(at + 4, at + 8));
    types.add(type);
    if (PIXELS.has(type)) kept.push(file.subarray(at, end));
    else if (SHOWN_OTHERWISE.has(type) || (view.getUint8(at + 4) & SKIPPABLE) === 0) return null;
    if (type === 'IEND') {
      const isPlain = types.has('sRGB') || types.isDisjointFrom(OUTRANKED);
      return isPlain ? kept : null;
    }
    at = end;
  }
  return null;
}
