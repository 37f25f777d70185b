import { crc32, deflateSync } from 'node:zlib';

/**
 * For tests: image files built by hand, faulty ones and kinds that no encoder here makes, and the
 * CPU time of a call.
 */

export interface PngOptions {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly bitDepth?: number;
  readonly colorType?: number;
  readonly interlace?: number;
  /** Raw rows instead of a gradient: filter byte and samples, before deflating. */
  readonly rows?: Uint8Array;
  /** Compressed data instead of deflated rows. */
  readonly idat?: Uint8Array;
  /** Into how many IDAT chunks the data is cut. */
  readonly parts?: number;
  /** Further chunks before IDAT. */
  readonly chunks?: readonly (readonly [string, Uint8Array])[];
}

const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

export function pngRowBytes({ widthPx, bitDepth = 8, colorType = 2 }: PngOptions): number {
  return 1 + Math.ceil((widthPx * (CHANNELS[colorType] ?? 1) * bitDepth) / 8);
}

export function makePng(options: PngOptions): Buffer {
  const { widthPx, heightPx, bitDepth = 8, colorType = 2, interlace = 0, parts = 1 } = options;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(widthPx, 0);
  header.writeUInt32BE(heightPx, 4);
  header.set([bitDepth, colorType, 0, 0, interlace], 8);
  const rowBytes = pngRowBytes(options);
  const rows = options.rows ?? gradient(rowBytes, heightPx);
  const idat = options.idat ?? deflateSync(rows);
  const size = Math.ceil(idat.length / parts);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk('IHDR', header),
    ...(options.chunks ?? []).map(([type, data]) => pngChunk(type, data)),
    ...Array.from({ length: parts }, (_, at) =>
      pngChunk('IDAT', idat.subarray(at * size, (at + 1) * size)),
    ),
    pngChunk('IEND', new Uint8Array()),
  ]);
}

export function pngChunk(type: string, data: Uint8Array): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}

function gradient(rowBytes: number, rows: number): Buffer {
  const data = Buffer.alloc(rowBytes * rows);
  for (let at = 0; at < data.length; at++) {
    data[at] = at % rowBytes === 0 ? 0 : (at * 7 + Math.floor(at / rowBytes)) & 0xff;
  }
  return data;
}

/** A palette of 256 colours. */
export const PALETTE = Uint8Array.from({ length: 768 }, (_, at) => (at * 37) & 0xff);

/** An EXIF APP1 segment with an orientation. */
export function exifSegment(orientation: number): Buffer {
  const body = Buffer.alloc(6 + 8 + 2 + 12 + 4);
  body.write('Exif\0\0', 0, 'latin1');
  body.write('MM', 6, 'latin1');
  body.writeUInt16BE(42, 8);
  body.writeUInt32BE(8, 10);
  body.writeUInt16BE(1, 14);
  body.writeUInt16BE(0x0112, 16);
  body.writeUInt16BE(3, 18);
  body.writeUInt32BE(1, 20);
  body.writeUInt16BE(orientation, 24);
  return jpegSegment(0xe1, body);
}

export function jpegSegment(marker: number, body: Uint8Array): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}

/** The file with segments inserted right after SOI. */
export function insertSegments(jpeg: Uint8Array, ...segments: readonly Uint8Array[]): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}

export function dataUrl(bytes: Uint8Array, type: string): string {
  return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
}

/** CPU time of a call in this process: other work on the machine does not count. */
export function cpuMsOf(call: () => unknown): number {
  const before = process.cpuUsage();
  call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
