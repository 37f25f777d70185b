import type { Family } from './families.ts';

/**
 * CPU time of one member of a family in ms: of the whole process, because images are decoded beside
 * the thread; other programs do not count.
 */
export async function cpuMs(family: Family, bytes: number): Promise<number> {
  const run = await family.prepare(bytes);
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
