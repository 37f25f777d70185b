import { readFileSync } from 'node:fs';

/** Files, the database and qpdf keep this share of the process's descriptors, and at least so many. */
const RESERVED_SHARE = 0.25;
const RESERVED_MIN = 64;
/** More connections than this would cost more memory than the service should spend on them. */
const CONNECTIONS_MAX = 16_384;
/** Where the limit cannot be read. The usual soft limit of a login is 1,024. */
const DESCRIPTORS_ASSUMED = 1_024;

/** How many connections may be open so that descriptors remain for everything else. */
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
