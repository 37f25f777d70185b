import type { Family } from './families.ts';

/**
 * CPU ms that one member of a family takes. It counts the whole process, because other threads
 * decode images, but no other process.
 */
export async function cpuMs(family: Family, bytes: number): Promise<number> {
  const run = await family.prepare(bytes);
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
