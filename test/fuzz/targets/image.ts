import { crc32 } from 'node:zlib';
import { dataUrl, exifSegment, insertSegments, makePng, PALETTE } from '../../fixtures/images.ts';
import { parseDataUrl } from '../../../src/engine/image/data-url.ts';
import { readImageHeader } from '../../../src/engine/image/header.ts';
import { prepareImage } from '../../../src/engine/image/image.ts';
import type { Target } from './target.ts';
import { ownDecodeBudget } from '../../../src/engine/image/decode-budget.ts';

const BUDGET = ownDecodeBudget();

/** Image files, which are decoded completely. */
export const imageTarget: Target = {
  async seeds() {
    const { default: sharp } = await import('sharp');
    const pixels = Buffer.from(Array.from({ length: 12 * 9 * 4 }, (_, at) => (at * 31) & 255));
    const raw = { raw: { width: 12, height: 9, channels: 4 } } as const;
    const picture = (): ReturnType<typeof sharp> => sharp(pixels, raw);
    const jpeg = await picture().jpeg().toBuffer();
    return [
      makePng({ widthPx: 9, heightPx: 7, parts: 2 }),
      makePng({ widthPx: 9, heightPx: 7, colorType: 3, chunks: [['PLTE', PALETTE]] }),
      makePng({ widthPx: 9, heightPx: 7, colorType: 0, bitDepth: 1 }),
      makePng({ widthPx: 9, heightPx: 7, colorType: 6, bitDepth: 16 }),
      await picture().png({ progressive: true }).toBuffer(),
      jpeg,
      insertSegments(jpeg, exifSegment(6)),
      await picture().jpeg({ progressive: true }).toBuffer(),
      await picture().toColourspace('cmyk').jpeg().toBuffer(),
      await picture().gif().toBuffer(),
      await picture().webp().toBuffer(),
      await picture().webp({ lossless: true }).toBuffer(),
    ];
  },
  dictionary: ['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'iCCP', 'eXIf', '\xff\xd9', 'VP8X', 'ANIM'],
  async run(input) {
    const outcome = await prepareImage(input, BUDGET);
    if (!outcome.ok) return outcome.fault;
    const { filter, colorSpace, bitsPerComponent, softMask } = outcome.value;
    const color = typeof colorSpace === 'string' ? colorSpace : 'Indexed';
    return [filter, color, bitsPerComponent, softMask !== null].join();
  },
  mend: mendPng,
};

/** Corrects the CRC of every chunk, so that a change reaches the code behind the check. */
function mendPng(input: Buffer): void {
  if (input[0] !== 0x89) return;
  for (let at = 8; at + 12 <= input.length;) {
    const end = at + 8 + input.readUInt32BE(at);
    if (end + 4 > input.length) return;
    input.writeUInt32BE(crc32(input.subarray(at + 4, end)), end);
    at = end + 4;
  }
}

/** Data URLs, and the headers of the images in them. */
export const dataUrlTarget: Target = {
  async seeds() {
    const files = await imageTarget.seeds();
    const types = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
    return files.flatMap((file) => types.map((type) => dataUrl(Buffer.from(file), type)));
  },
  dictionary:
    'data: image/png image/jpg ;base64 , ; = == - _ AAAA iVBORw0KGgo /9j/ R0lGOD UklGR'.split(' '),
  run(input) {
    const url = parseDataUrl(input.toString('latin1'));
    if (!url.ok) return url.fault;
    const header = readImageHeader(url.value.bytes);
    return header.ok ? `${url.value.format} ${header.value.format}` : header.fault;
  },
};
