import { crc32, deflateSync } from 'node:zlib';

/** Draws the sample logo: 360 × 120 pixels, RGBA, 8 bits, with a soft edge in its alpha channel. */
const WIDTH = 360;
const HEIGHT = 120;

function chunk(type: string, body: Buffer): Buffer {
  const head = Buffer.from(type, 'latin1');
  const out = Buffer.alloc(12 + body.length);
  out.writeUInt32BE(body.length, 0);
  head.copy(out, 4);
  body.copy(out, 8);
  out.writeUInt32BE(crc32(body, crc32(head)), 8 + body.length);
  return out;
}

function pixels(): Buffer {
  const rows = Buffer.alloc(HEIGHT * (1 + WIDTH * 4));
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const at = y * (1 + WIDTH * 4) + 1 + x * 4;
      const wave = 60 + 34 * Math.sin(x / 42) + 8 * Math.sin(x / 7);
      const distance = Math.hypot(x - 60, y - 60);
      const inside = Math.max(0, Math.min(1, (56 - distance) / 6));
      const stripe = x > 128 && Math.abs(y - wave) < 14 ? 1 : 0;
      rows[at] = 12 + ((x >> 5) << 3);
      rows[at + 1] = 70 + ((y >> 4) << 2);
      rows[at + 2] = 150;
      rows[at + 3] = Math.round(255 * Math.max(inside, stripe));
    }
  }
  return rows;
}

function encode(): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  // Bit depth 8, colour type 6 (RGBA); compression, filter and interlace methods 0.
  header.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels(), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The PNG file. */
export const LOGO_PNG: Buffer = encode();
export const LOGO_DATA_URL = `data:image/png;base64,${LOGO_PNG.toString('base64')}`;
/** Drawn size: 3 pixels a point. */
export const LOGO_PT = { width: 120, height: 40 } as const;
