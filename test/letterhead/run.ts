import { readFileSync, writeFileSync } from 'node:fs';
import { cleanPatiently } from './clean.ts';

/**
 * Cleans files as a check of a template does, and prints a line of JSON for each: its path; the
 * fault, or null when the cleaned file is PATH.clean; the CPU time that this process took, starting
 * the thread and collecting its garbage included; and the most memory that this process has had so
 * far. It is a separate process, so that the making of the files does not count.
 */
for (const path of process.argv.slice(2)) {
  const { cleaning, cpuMs } = await cleanPatiently(new Uint8Array(readFileSync(path)));
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
  if (cleaning.ok) writeFileSync(`${path}.clean`, cleaning.pdf);
  const fault = cleaning.ok ? null : cleaning.fault;
  process.stdout.write(`${JSON.stringify({ path, fault, cpuMs, peakMb })}\n`);
}
