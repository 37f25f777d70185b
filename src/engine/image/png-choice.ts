/** How libvips writes the PNG that a PDF embeds. */
export interface PngOptions {
  readonly compressionLevel: number;
  readonly adaptiveFiltering: boolean;
}

/** For images of templates: the fewest bytes. */
export const FILTERED_9: PngOptions = { compressionLevel: 9, adaptiveFiltering: true };
export const FILTERED_6: PngOptions = { compressionLevel: 6, adaptiveFiltering: true };
/** For large photographs: trying all filters takes most of the time and saves a third of the bytes. */
export const FILTERED_1: PngOptions = { compressionLevel: 1, adaptiveFiltering: true };
/** For large flat art, which has fewer bytes without filters and takes a fifth of the time. */
export const UNFILTERED_2: PngOptions = { compressionLevel: 2, adaptiveFiltering: false };
/** For pixels that look like noise, but repeat here and there: under half the time of `FILTERED_1`. */
const UNFILTERED_1: PngOptions = { compressionLevel: 1, adaptiveFiltering: false };
/** For noise: deflating it would take four times as long and save a fifth of the bytes. */
const STORED: PngOptions = { compressionLevel: 0, adaptiveFiltering: false };

/** Pixels side by side, `channels` bytes each. */
export interface RawPixels {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly channels: 4;
}

/** The sample: this many strips at equal distances, each of one to eight rows. */
const STRIPS = 8;
const STRIP_ROWS_MAX = 8;
const SAMPLE_PIXELS_MAX = 500_000;

/** Some rows from all over the image. */
export function sampleOf({ data, width, height, channels }: RawPixels): RawPixels {
  const fitting = Math.floor(SAMPLE_PIXELS_MAX / (STRIPS * width));
  const stripRows = Math.max(1, Math.min(STRIP_ROWS_MAX, fitting));
  if (height <= STRIPS * stripRows) return { data, width, height, channels };
  const rowBytes = width * channels;
  const strips = Array.from({ length: STRIPS }, (_, strip) => {
    const row = Math.floor(((height - stripRows) * strip) / (STRIPS - 1));
    return data.subarray(row * rowBytes, (row + stripRows) * rowBytes);
  });
  return { data: Buffer.concat(strips), width, height: STRIPS * stripRows, channels };
}

/** A photograph of millions of pixels takes more bytes of file per pixel than this. */
const FILE_BYTES_PER_PIXEL_MIN = 0.25;
/** No format stores a picture in a fourth of the bytes that a filtered PNG takes. */
const GROWTH_MAX = 4;

/** Bytes of the same sample as it is, and written in two ways. */
export interface SampleBytes {
  readonly pixels: number;
  readonly raw: number;
  readonly plain: number;
  readonly filtered: number;
}

/**
 * Chooses the options for a large image. One in a small file, but with pixels that look like noise,
 * is no real picture: somebody chose filters for its rows that undo the noise. Filtering or deflating
 * its pixels again would take most of the time of the request and save few bytes.
 */
export function choosePng(sample: SampleBytes, fileBytesPerPixel: number): PngOptions {
  const { pixels, raw, plain, filtered } = sample;
  if (plain <= filtered && plain <= raw / 2) return UNFILTERED_2;
  const hasGrown = filtered > raw / 4 && filtered > GROWTH_MAX * fileBytesPerPixel * pixels;
  const isNoise = Math.min(plain, filtered) > raw / 2 || hasGrown;
  if (isNoise && fileBytesPerPixel < FILE_BYTES_PER_PIXEL_MIN) {
    return plain > raw / 2 ? STORED : UNFILTERED_1;
  }
  return plain <= filtered ? UNFILTERED_2 : FILTERED_1;
}
