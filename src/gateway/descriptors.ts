import { readdirSync } from 'node:fs';
import { readDescriptorsMax } from './http/descriptors.ts';

/** Above this share of used file descriptors, opening files and starting programs may soon fail. */
const SCARCE_SHARE = 0.9;
/** Counting takes a millisecond for each 2,000 descriptors, so it is not done for every request. */
const COUNTED_FOR_MS = 5_000;

let descriptorsMax: number | null = null;
let scarce = false;
let validUntilMs = Number.NEGATIVE_INFINITY;

/**
 * Whether over nine tenths of the file descriptors are in use; false on systems that do not report
 * it.
 */
export function descriptorsAreScarce(nowMs = performance.now()): boolean {
  if (process.platform !== 'linux' || nowMs < validUntilMs) return scarce;
  validUntilMs = nowMs + COUNTED_FOR_MS;
  try {
    descriptorsMax ??= readDescriptorsMax();
    scarce = readdirSync('/proc/self/fd').length > descriptorsMax * SCARCE_SHARE;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    // Counting takes a descriptor, too.
    scarce = error.code === 'EMFILE' || error.code === 'ENFILE';
  }
  return scarce;
}
