import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createProtector, type Protector } from '../../src/protect/protector.ts';
import { descendantsCpuMs } from '../../lab/process/cpu.ts';
import { printMachine } from '../harness/micro.ts';

/**
 * CPU and wall time of protecting one document through the host: `node bench/micro/protect.ts FILE
 * [--documents 100] [--runs 3]`. CPU counts the service's thread, the host and every qpdf (from
 * /proc, Linux only).
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '3' },
    documents: { type: 'string', default: '100' },
  },
});
const [file] = positionals;
if (file === undefined) throw new Error('name a PDF file');
const pdf = readFileSync(file);
const DOCUMENTS = Number(values.documents);
const RUNS = Number(values.runs);

/** Protects all documents of a run, `concurrency` at a time. */
async function protectAll(protector: Protector, concurrency: number): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next++ < DOCUMENTS) {
      const outcome = await protector.protect(pdf, {
        userPassword: `user ${next}`,
        ownerPassword: 'owner',
        permissions: { modify: false },
      });
      if (!outcome.ok) throw new Error(outcome.code);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
}

printMachine(`, ${pdf.length} bytes`);
for (const concurrency of [1, 2]) {
  const protector = createProtector({
    qpdf: 'qpdf',
    timeoutMs: 10_000,
    concurrencyMax: concurrency,
  });
  for (let run = 0; run < RUNS; run++) {
    const startMs = performance.now();
    const before = process.cpuUsage();
    const childrenBeforeMs = descendantsCpuMs();
    await protectAll(protector, concurrency);
    const { user, system } = process.cpuUsage(before);
    const wall = (performance.now() - startMs) / DOCUMENTS;
    const service = (user + system) / 1000 / DOCUMENTS;
    const children = (descendantsCpuMs() - childrenBeforeMs) / DOCUMENTS;
    console.log(
      `${concurrency} at a time: ${wall.toFixed(2)} ms wall, ` +
        `CPU ${(service + children).toFixed(2)} ms (service ${service.toFixed(2)}, ` +
        `host and qpdf ${children.toFixed(2)}) a document`,
    );
  }
  await protector.close();
}
