import { readFileSync, writeFileSync } from 'node:fs';
import { cleanApart } from '../../src/engine/letterhead/apart.ts';

/** So often a thread may be starved; one that hangs ends as `busy` after it, which the test refuses. */
const STARVED_MAX = 20;

/**
 * Cleans files as a check of a template does, and prints a line of JSON for each: its path; the
 * fault, or null when the cleaned file is PATH.clean; the CPU time that this process took, starting
 * the thread and collecting its garbage included; and the most memory that this process has had so
 * far. It is a separate process, so that the making of the files does not count.
 *
 * A thread that the machine gave no CPU says nothing of its file (`busy`), which is cleaned again.
 */
for (const path of process.argv.slice(2)) {
  const pdf = new Uint8Array(readFileSync(path));
  let before = process.cpuUsage();
  let cleaning = await cleanApart(pdf);
  for (
    let starved = 0;
    !cleaning.ok && cleaning.fault === 'busy' && starved < STARVED_MAX;
    starved++
  ) {
    before = process.cpuUsage();
    cleaning = await cleanApart(pdf);
  }
  const { user, system } = process.cpuUsage(before);
  const cpuMs = Math.round((user + system) / 1_000);
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
  if (cleaning.ok) writeFileSync(`${path}.clean`, cleaning.pdf);
  const fault = cleaning.ok ? null : cleaning.fault;
  process.stdout.write(`${JSON.stringify({ path, fault, cpuMs, peakMb })}\n`);
}
