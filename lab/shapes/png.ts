import { crc32, deflateSync } from 'node:zlib';

/** PNG's colour type by the number of channels: RGB, and RGB with alpha. */
const COLOR_TYPES = { 3: 2, 4: 6 } as const;

function chunk(type: string, body: Buffer): Buffer {
  const head = Buffer.from(type, 'latin1');
  const out = Buffer.alloc(12 + body.length);
  out.writeUInt32BE(body.length, 0);
  head.copy(out, 4);
  body.copy(out, 8);
  out.writeUInt32BE(crc32(body, crc32(head)), 8 + body.length);
  return out;
}

/** A PNG of 8 bits a channel. Each row begins with the byte of its filter type, 0 for none. */
export function encodePng(
  size: { readonly width: number; readonly height: number },
  channels: 3 | 4,
  rows: Buffer,
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size.width, 0);
  header.writeUInt32BE(size.height, 4);
  // Bit depth 8, colour type; compression, filter and interlace methods 0.
  header.set([8, COLOR_TYPES[channels], 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
