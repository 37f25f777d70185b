import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { LIMITS } from '../../src/limits.ts';
import { openPaper } from '../../src/workers/paper/paper.ts';
import { faultsOf } from '../render.ts';
import { hostilePdfs } from './hostile.ts';

/** A hundred hostile PDFs: each is a finding, or a file of pages that is sound. */

t.setTimeout(600_000);

const ACTIVE = /JavaScript|\/JS|\/AA|OpenAction|Launch|EmbeddedFile|AcroForm|etc\/passwd/;
/** Loading the reader and ending its thread, on a machine that is busy with other tests. */
const THREAD_MS_MAX = 8_000;
const MEMORY_MB_MAX = 256;

interface Report {
  readonly path: string;
  readonly fault: string | null;
  readonly ms: number;
  readonly peakMb: number;
}

t.test('hostile PDFs end in findings, within their time and memory', async (t) => {
  const folder = t.testdir();
  const paths = Array.from(hostilePdfs(), ([name, pdf]) => {
    const path = `${folder}/${name}.pdf`;
    writeFileSync(path, pdf);
    return path;
  });
  t.equal(paths.length, 100);
  const run = `${import.meta.dirname}/run.ts`;
  const output = execFileSync(process.execPath, [run, ...paths]).toString();
  // One line a file, as run.ts prints it.
  const reports = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Report);
  t.equal(reports.length, 100, 'the process outlives all of them');
  for (const { path, fault, ms, peakMb } of reports) {
    t.ok(ms < LIMITS.pdfCleanMsMax + THREAD_MS_MAX, `${path}: ${ms} ms`);
    t.ok(peakMb < MEMORY_MB_MAX, `${path}: ${peakMb} MB`);
    t.not(fault, 'busy', path);
    if (fault !== null) continue;
    const clean = readFileSync(`${path}.clean`);
    t.ok((openPaper(clean)?.length ?? 0) > 0, `${path}: pages`);
    t.notMatch(clean.toString('latin1'), ACTIVE, `${path}: nothing active`);
    t.equal(faultsOf(`${folder}/x.pdf`, clean), '', `${path}: sound`);
  }
  const faults = reports.filter(({ fault }) => fault !== null).length;
  t.ok(faults >= 50, `${faults} findings`);
});
