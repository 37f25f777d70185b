import { encodePng } from './png.ts';

/** Draws the sample logo: 360 × 120 pixels, RGBA, 8 bits, with a soft edge in its alpha channel. */
const WIDTH = 360;
const HEIGHT = 120;

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

/** The PNG file. */
export const LOGO_PNG: Buffer = encodePng({ width: WIDTH, height: HEIGHT }, 4, pixels());
export const LOGO_DATA_URL = `data:image/png;base64,${LOGO_PNG.toString('base64')}`;
/** Drawn size: 3 pixels a point. */
export const LOGO_PT = { width: 120, height: 40 } as const;
