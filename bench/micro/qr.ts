import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import QRCode from 'qrcode';
import { encodeQr, type QrOptions } from '../../src/workers/qr/qr.ts';

/**
 * CPU time of one QR symbol, all 8 masks scored, texts all different. Run:
 * `node bench/micro/qr.ts [--runs 7] [--symbols 2000]`
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '7' },
    symbols: { type: 'string', default: '2000' },
  },
});

const CASES = [
  { name: '100 characters, level M (version 6)', length: 100, eccLevel: 'M' },
  { name: '100 characters, level L (version 5)', length: 100, eccLevel: 'L' },
  { name: '400 characters, level M (version 15)', length: 400, eccLevel: 'M' },
  { name: '2,300 characters, level M (version 40)', length: 2300, eccLevel: 'M' },
] as const;

function textOf(length: number, index: number): string {
  const tail = String(index).padStart(8, '0');
  return 'https://bank.example/verify?id='.padEnd(length - tail.length, 'qr') + tail;
}

/** CPU µs of one call, one figure a run, ascending. */
function measure(call: (index: number) => unknown, symbols: number, runs: number): number[] {
  for (let i = 0; i < Math.min(symbols, 300); i++) call(i);
  const figures: number[] = [];
  for (let run = 0; run < runs; run++) {
    const before = process.cpuUsage();
    for (let i = 0; i < symbols; i++) call(i);
    const used = process.cpuUsage(before);
    figures.push((used.user + used.system) / symbols);
  }
  return figures.toSorted((a, b) => a - b);
}

function format(figures: readonly number[]): string {
  const at = (share: number): string =>
    (figures[Math.round(share * (figures.length - 1))] ?? Number.NaN).toFixed(1);
  return `min ${at(0)}  median ${at(0.5)}  max ${at(1)} µs`;
}

const runs = Number(values.runs);
console.log(`${cpus()[0]?.model ?? 'cpu'}, Node ${process.version}, ${runs} runs`);
for (const { name, length, eccLevel } of CASES) {
  const options: QrOptions = { eccLevel, version: null, mask: null, mode: 'octet' };
  const symbols = Math.max(1, Math.floor((Number(values.symbols) * 100) / length));
  const own = measure((i) => encodeQr(textOf(length, i), options), symbols, runs);
  const peer = measure(
    (i) =>
      QRCode.create([{ data: Buffer.from(textOf(length, i)), mode: 'byte' }], {
        errorCorrectionLevel: eccLevel,
      }),
    Math.max(1, symbols >> 4),
    runs,
  );
  console.log(`${name}\n  encodeQr     ${format(own)}\n  qrcode 1.5.4 ${format(peer)}`);
}
