import { readFileSync, writeFileSync } from 'node:fs';
import { cleanApart } from '../../src/workers/paper/apart.ts';

/**
 * Cleans files, each as a check of a template does, and prints a line of JSON for each: the fault, or
 * where the cleaned file lies; the CPU time of this process in the meantime, starting the thread and
 * collecting its garbage included; and the most memory that this process has had so far. A process
 * of its own, so that whoever makes the files does not count.
 */
for (const path of process.argv.slice(2)) {
  const pdf = new Uint8Array(readFileSync(path));
  const before = process.cpuUsage();
  const cleaning = await cleanApart(pdf);
  const { user, system } = process.cpuUsage(before);
  const cpuMs = Math.round((user + system) / 1_000);
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
  if (cleaning.ok) writeFileSync(`${path}.clean`, cleaning.pdf);
  const fault = cleaning.ok ? null : cleaning.fault;
  process.stdout.write(`${JSON.stringify({ path, fault, cpuMs, peakMb })}\n`);
}
