import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { createProtector } from '../../src/protect/protector.ts';

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
const documents = Number(values.documents);
/** Clock ticks of /proc/<pid>/stat: 100 a second on every Linux. */
const TICK_MS = 10;

/** CPU ms of the host and of the children it has reaped. */
function hostCpuMs(): number {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    if (fields[1] !== String(process.pid)) continue;
    return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) * TICK_MS;
  }
  return 0;
}

console.log(`${cpus()[0]?.model ?? 'cpu'}, Node ${process.version}, ${pdf.length} bytes`);
for (const concurrencyMax of [1, 2]) {
  const protector = createProtector({ qpdf: 'qpdf', timeoutMs: 10_000, concurrencyMax });
  for (let run = 0; run < Number(values.runs); run++) {
    const startMs = performance.now();
    const own = process.cpuUsage();
    const hostBeforeMs = hostCpuMs();
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next++ < documents) {
        const outcome = await protector.protect(pdf, {
          userPassword: `user ${next}`,
          ownerPassword: 'owner',
          permissions: { modify: false },
        });
        if (!outcome.ok) throw new Error(outcome.code);
      }
    };
    await Promise.all(Array.from({ length: concurrencyMax }, worker));
    const used = process.cpuUsage(own);
    const wall = (performance.now() - startMs) / documents;
    const service = (used.user + used.system) / 1000 / documents;
    const host = (hostCpuMs() - hostBeforeMs) / documents;
    console.log(
      `${concurrencyMax} at a time: ${wall.toFixed(2)} ms wall, CPU ${(service + host).toFixed(2)} ms` +
        ` (service ${service.toFixed(2)}, host and qpdf ${host.toFixed(2)}) a document`,
    );
  }
  await protector.close();
}
