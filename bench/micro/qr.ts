import { parseArgs } from 'node:util';
import QRCode from 'qrcode';
import { encodeQr, type QrOptions } from '../../src/engine/qr/qr.ts';
import { cpuUsPerCall, printMachine, printRange, rangeOf } from '../harness/micro.ts';

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
const RUNS = Number(values.runs);
/** Characters to encode in a run, in texts of 100. */
const CHARACTERS = Number(values.symbols) * 100;
/** The qrcode package is slower: it encodes one symbol for so many of ours. */
const PEER_SHARE = 16;

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

printMachine(`, ${RUNS} runs`);
for (const { name, length, eccLevel } of CASES) {
  const options: QrOptions = { eccLevel, version: null, mask: null, mode: 'octet' };
  const encodeOwn = (index: number): unknown => encodeQr(textOf(length, index), options);
  const encodePeer = (index: number): unknown =>
    QRCode.create([{ data: Buffer.from(textOf(length, index)), mode: 'byte' }], {
      errorCorrectionLevel: eccLevel,
    });
  const symbols = Math.max(1, Math.floor(CHARACTERS / length));
  const peerSymbols = Math.max(1, Math.floor(symbols / PEER_SHARE));
  console.log(name);
  printRange('  encodeQr', rangeOf(await cpuUsPerCall(encodeOwn, symbols, RUNS)));
  printRange('  qrcode 1.5.4', rangeOf(await cpuUsPerCall(encodePeer, peerSymbols, RUNS)));
}
