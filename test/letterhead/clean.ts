import { cleanApart } from '../../src/engine/letterhead/apart.ts';
import type { Cleaning } from '../../src/engine/letterhead/faults.ts';

/** So often a thread may be starved; one that hangs ends as `busy` after it, which tests refuse. */
const STARVED_MAX = 20;

/** A file cleaned, and the CPU time of this process for it, the thread included. */
export interface Cleaned {
  readonly cleaning: Cleaning;
  readonly cpuMs: number;
}

/**
 * Cleans a file as a check of a template does, by `clean`. A thread that the machine gave no CPU says
 * nothing of its file (`busy`), which is cleaned again.
 */
export async function cleanPatiently(
  pdf: Uint8Array,
  clean: (pdf: Uint8Array) => Promise<Cleaning> = cleanApart,
): Promise<Cleaned> {
  for (let starved = 0; ; starved++) {
    const before = process.cpuUsage();
    const cleaning = await clean(pdf);
    const isStarved = !cleaning.ok && cleaning.fault === 'busy';
    if (isStarved && starved < STARVED_MAX) continue;
    const { user, system } = process.cpuUsage(before);
    return { cleaning, cpuMs: Math.round((user + system) / 1_000) };
  }
}
