/**
 * The sRGB colour space as an ICC profile (ISO 15076-1, version 4.2): three primaries, one curve.
 * This profile alone defines the device colours of an archive document.
 */

/** Primaries of IEC 61966-2-1, adapted to D50 by Bradford's matrix, in 1/65536. */
const RED = [0x6fa2, 0x38f5, 0x0390];
const GREEN = [0x6299, 0xb785, 0x18da];
const BLUE = [0x24a0, 0x0f84, 0xb6cf];
const D50 = [0xf6d6, 0x10000, 0xd32d];
/** From D65, which sRGB is defined for, to D50, which profiles are written for. */
// prettier-ignore
const ADAPTATION = [
  1.0478112, 0.0228866, -0.050127,
  0.0295424, 0.9904844, -0.0170491,
  -0.0092345, 0.0150436, 0.7521316,
].map((value) => Math.round(value * 65_536));
/** g, a, b, c, d of `(a x + b)^g` above d and `c x` below. */
const CURVE = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].map((value) =>
  Math.round(value * 65_536),
);

const HEADER_BYTES = 128;

/** The profile's bytes: the same at every call. */
export function srgbProfile(): Buffer {
  const curve = Buffer.concat([Buffer.from('para\0\0\0\0\0\u0003\0\0', 'latin1'), fixed(CURVE)]);
  const tags: [string, Buffer][] = [
    ['desc', localized('sRGB')],
    ['cprt', localized('CC0')],
    ['wtpt', xyz(D50)],
    ['chad', Buffer.concat([Buffer.from('sf32\0\0\0\0', 'latin1'), fixed(ADAPTATION)])],
    ['rXYZ', xyz(RED)],
    ['gXYZ', xyz(GREEN)],
    ['bXYZ', xyz(BLUE)],
    ['rTRC', curve],
    ['gTRC', curve],
    ['bTRC', curve],
  ];
  const table = Buffer.alloc(4 + tags.length * 12);
  table.writeUInt32BE(tags.length, 0);
  const parts: Buffer[] = [];
  const offsets = new Map<Buffer, number>();
  let at = HEADER_BYTES + table.length;
  tags.forEach(([name, data], index) => {
    if (!offsets.has(data)) {
      offsets.set(data, at);
      parts.push(data);
      at += data.length;
    }
    table.write(name, 4 + index * 12, 'latin1');
    table.writeUInt32BE(offsets.get(data) ?? 0, 8 + index * 12);
    table.writeUInt32BE(data.length, 12 + index * 12);
  });
  return Buffer.concat([header(at), table, ...parts]);
}

function header(size: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.writeUInt32BE(size, 0);
  bytes.writeUInt32BE(0x04_20_00_00, 8);
  bytes.write('mntrRGB XYZ ', 12, 'latin1');
  // The date of the profile, not of the document: 1 January 2026.
  [2026, 1, 1, 0, 0, 0].forEach((part, index) => bytes.writeUInt16BE(part, 24 + index * 2));
  bytes.write('acsp', 36, 'latin1');
  fixed(D50).copy(bytes, 68);
  return bytes;
}

function fixed(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeInt32BE(value, index * 4));
  return bytes;
}

function xyz(values: readonly number[]): Buffer {
  return Buffer.concat([Buffer.from('XYZ \0\0\0\0', 'latin1'), fixed(values)]);
}

/** One English text (multiLocalizedUnicodeType), padded to a multiple of four bytes. */
function localized(text: string): Buffer {
  const characters = Buffer.from(text, 'utf16le').swap16();
  const head = Buffer.alloc(28);
  head.write('mluc', 0, 'latin1');
  head.writeUInt32BE(1, 8);
  head.writeUInt32BE(12, 12);
  head.write('enUS', 16, 'latin1');
  head.writeUInt32BE(characters.length, 20);
  head.writeUInt32BE(28, 24);
  const padding = Buffer.alloc((4 - (characters.length % 4)) % 4);
  return Buffer.concat([head, characters, padding]);
}
