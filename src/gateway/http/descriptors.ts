import { readFileSync } from 'node:fs';

/** Share of the descriptors that is reserved for files, database and qpdf, and its minimum. */
const RESERVED_SHARE = 0.25;
const RESERVED_MIN = 64;
/** Limit of the connections, because each costs memory. */
const CONNECTIONS_MAX = 16_384;
/** Assumed when the limit cannot be read: the usual soft limit. */
const DESCRIPTORS_ASSUMED = 1_024;

/** The number of connections that leaves enough descriptors for everything else. */
export function connectionsMax(descriptorsMax = readDescriptorsMax()): number {
  const reserved = Math.max(RESERVED_MIN, Math.ceil(descriptorsMax * RESERVED_SHARE));
  return Math.max(1, Math.min(CONNECTIONS_MAX, descriptorsMax - reserved));
}

/** The process's limit of open files (RLIMIT_NOFILE, the soft one). */
export function readDescriptorsMax(): number {
  if (process.platform !== 'linux') return DESCRIPTORS_ASSUMED;
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  if (soft === undefined) return DESCRIPTORS_ASSUMED;
  return soft === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(soft);
}
