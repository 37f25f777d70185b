import { LIMITS } from '../../limits.ts';
import type { FieldCheck, FieldDefinition } from './definition.ts';
import { parseDataUrl } from '../image/data-url.ts';
import type { ImageHeader } from '../image/header.ts';
import { readImageHeader } from '../image/header.ts';
import type { DecodeBudget } from '../image/decode-budget.ts';
import { cachedImage, prepareImage } from '../image/image.ts';
import type { Reason } from './reasons.ts';
import { IMAGE_REASONS, REASONS } from './reasons.ts';
import type { FieldValue } from './types.ts';

/** An image whose header passed all limits; its data is still to be decoded. */
export class PendingImage {
  readonly bytes: Uint8Array;
  readonly header: ImageHeader;

  constructor(bytes: Uint8Array, header: ImageHeader) {
    this.bytes = bytes;
    this.header = header;
  }
}

/** image: a base64 data URL whose content has the stated type and is within the limits. */
export const IMAGE_FIELD: FieldDefinition = {
  formatKeys: [],
  validationKeys: [],
  prints: null,
  compile: compileImage,
};

function compileImage(): FieldCheck {
  return (value) => {
    if (typeof value !== 'string') return REASONS.image;
    const url = parseDataUrl(value);
    if (!url.ok) return IMAGE_REASONS[url.fault];
    const { bytes, format } = url.value;
    const header = readImageHeader(bytes);
    if (!header.ok) return IMAGE_REASONS[header.fault];
    return header.value.format === format
      ? new PendingImage(bytes, header.value)
      : REASONS.imageMismatch;
  };
}

/** What a field came to, if not a pending image. */
type Settled<Other> = FieldValue | Reason | Other | null;

/**
 * Settles the pending images of a request, in contract order. The sum of their pixels, cached ones
 * included, is checked before any is decoded, so that the outcome never depends on the cache. They
 * are decoded one at a time, so that a request needs memory for one decoded image only. Null when
 * other requests kept the decoders busy for too long.
 */
export function finishImages<Other extends object>(
  checked: readonly (Settled<Other> | PendingImage)[],
  budget: DecodeBudget,
): Settled<Other>[] | Promise<Settled<Other>[] | null> {
  let pixels = 0;
  let isComplete = true;
  const results = checked.map((result) => {
    if (!(result instanceof PendingImage)) return result;
    const { widthPx, heightPx, isReencoded } = result.header;
    pixels += widthPx * heightPx * (isReencoded ? 2 : 1);
    if (pixels > LIMITS.requestImagePixelsMax) return REASONS.imageSum;
    const image = cachedImage(result.bytes);
    if (image !== null) return { type: 'image' as const, image };
    isComplete = false;
    return result;
  });
  // No pending image is left among them.
  return isComplete ? (results as Settled<Other>[]) : decodeAll(results, budget);
}

async function decodeAll<Other extends object>(
  checked: readonly (Settled<Other> | PendingImage)[],
  budget: DecodeBudget,
): Promise<Settled<Other>[] | null> {
  const settled: Settled<Other>[] = [];
  for (const result of checked) {
    if (!(result instanceof PendingImage)) {
      settled.push(result);
      continue;
    }
    const outcome = await prepareImage(result.bytes, budget);
    if (outcome.ok) settled.push({ type: 'image', image: outcome.value });
    else if (outcome.fault === 'busy') return null;
    else settled.push(IMAGE_REASONS[outcome.fault]);
  }
  return settled;
}
