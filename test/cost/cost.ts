import type { Family } from './families.ts';

/** CPU time of one member of a family in ms: of this thread, so that other work does not count. */
export async function cpuMs(family: Family, bytes: number): Promise<number> {
  const before = process.threadCpuUsage();
  await family.run(bytes);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
