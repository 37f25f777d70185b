import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as fc from 'fast-check';
import QRCode from 'qrcode';
import t from 'tap';
import { encodeQr, type QrOptions } from './qr.ts';
import type { EccLevel } from './tables.ts';

const LEVELS: readonly EccLevel[] = ['L', 'M', 'Q', 'H'];
const AUTO: QrOptions = { eccLevel: 'M', version: null, mask: null, mode: null };

interface ModuleGrid {
  readonly count: number;
  readonly version: number;
  /** Row by row, 1 dark, 0 light. */
  readonly modules: Uint8Array;
}

function symbolOf(text: string, options: Partial<QrOptions> = {}): ModuleGrid {
  const symbol = encodeQr(text, { ...AUTO, ...options });
  if (symbol === null) throw new Error('does not fit');
  const { count, version, bits } = symbol;
  const rowBytes = Math.ceil(count / 8);
  if (bits.length !== count * rowBytes) throw new Error(`${bits.length} bytes`);
  const modules = new Uint8Array(count * count);
  for (let row = 0; row < count; row++) {
    for (let column = 0; column < 8 * rowBytes; column++) {
      const bit = (bits[row * rowBytes + (column >> 3)]! >> (7 - (column & 7))) & 1;
      if (column < count) modules[row * count + column] = bit;
      else if (bit !== 0) throw new Error(`padding of row ${row}`);
    }
  }
  return { count, version, modules };
}

interface Scan {
  readonly data: string;
  readonly version: number;
}

// jsqr's typings describe an ES default export; Node hands out the CommonJS function itself.
const decode: (rgba: Uint8ClampedArray, width: number, height: number) => Scan | null =
  createRequire(import.meta.url)('jsqr');

/** Reads a symbol like a scanner, with 3 pixels per module and a quiet zone of 4 modules. */
function scan(symbol: ModuleGrid): { text: string; version: number } | null {
  const side = (symbol.count + 8) * 3;
  const rgba = new Uint8ClampedArray(side * side * 4).fill(255);
  for (let y = 0; y < symbol.count * 3; y++) {
    for (let x = 0; x < symbol.count * 3; x++) {
      const dark = symbol.modules[Math.floor(y / 3) * symbol.count + Math.floor(x / 3)] === 1;
      if (dark) rgba.fill(0, ((y + 12) * side + x + 12) * 4, ((y + 12) * side + x + 12) * 4 + 3);
    }
  }
  const found = decode(rgba, side, side);
  return found === null ? null : { text: found.data, version: found.version };
}

/** Table 11 of the standard, module by module. */
function slowPenalty(modules: Uint8Array, n: number): number {
  let score = 0;
  let dark = 0;
  for (let i = 0; i < n; i++) {
    for (const at of [(k: number) => i * n + k, (k: number) => k * n + i]) {
      const text = Array.from({ length: n }, (_, k) => String(modules[at(k)])).join('');
      for (const run of text.match(/0{5,}|1{5,}/g) ?? []) score += run.length - 2;
      score += 40 * (text.match(/(?=10111010000)/g) ?? []).length;
      score += 40 * (text.match(/(?=00001011101)/g) ?? []).length;
    }
    for (let j = 0; j < n; j++) {
      const own = modules[i * n + j] ?? 0;
      dark += own;
      if (i + 1 === n || j + 1 === n) continue;
      const same = [i * n + j + 1, (i + 1) * n + j, (i + 1) * n + j + 1];
      if (same.every((at) => modules[at] === own)) score += 3;
    }
  }
  return score + 10 * Math.floor(Math.abs((dark / (n * n)) * 100 - 50) / 5);
}

function lowestMask(text: string, options: Partial<QrOptions>): number {
  let best = 0;
  let lowest = Infinity;
  for (let mask = 0; mask < 8; mask++) {
    const symbol = symbolOf(text, { ...options, mask });
    const penalty = slowPenalty(symbol.modules, symbol.count);
    if (penalty < lowest) [best, lowest] = [mask, penalty];
  }
  return best;
}

t.test('every version, level and mask gives the same modules as the qrcode package', async (t) => {
  let compared = 0;
  const wrong: string[] = [];
  for (const eccLevel of LEVELS) {
    for (let version = 1; version <= 40; version++) {
      const text = 'iso 18'.slice(0, 2 + (version % 5));
      for (const mask of [0, 1, 2, 3, 4, 5, 6, 7] as const) {
        const own = symbolOf(text, { eccLevel, version, mask, mode: 'octet' });
        const peer = QRCode.create([{ data: Buffer.from(text), mode: 'byte' }], {
          errorCorrectionLevel: eccLevel,
          version,
          maskPattern: mask,
        });
        compared++;
        if (Buffer.compare(own.modules, peer.modules.data) !== 0) {
          wrong.push(`${version}-${eccLevel}/${mask}`);
        }
      }
    }
  }
  t.equal(compared, 40 * 4 * 8);
  t.same(wrong, []);
});

t.test('full symbols agree with the qrcode package in every mode', async (t) => {
  const fill = {
    numeric: '0123456789',
    alphanumeric: 'AB $%*+-./:9',
    octet: 'สวัสดี é ok ',
  } as const;
  for (const mode of ['numeric', 'alphanumeric', 'octet'] as const) {
    for (const version of [1, 2, 6, 7, 9, 10, 13, 26, 27, 32, 40]) {
      for (const eccLevel of LEVELS) {
        let text = fill[mode].repeat(720).slice(0, 7089);
        let [low, high] = [0, text.length];
        while (low < high) {
          const middle = (low + high + 1) >> 1;
          const fits = encodeQr(text.slice(0, middle), { eccLevel, version, mask: 0, mode });
          if (fits === null) high = middle - 1;
          else low = middle;
        }
        text = text.slice(0, low);
        const own = symbolOf(text, { eccLevel, version, mask: 5, mode });
        const peer = QRCode.create(
          mode === 'octet'
            ? [{ data: Buffer.from(text), mode: 'byte' }]
            : mode === 'numeric'
              ? [{ data: text, mode: 'numeric' }]
              : [{ data: text, mode: 'alphanumeric' }],
          { errorCorrectionLevel: eccLevel, version, maskPattern: 5 },
        );
        t.equal(
          Buffer.compare(own.modules, peer.modules.data),
          0,
          `${mode} ${version}-${eccLevel}`,
        );
      }
    }
  }
});

t.test('the mask is the one with the lowest penalty of the standard', async (t) => {
  for (let version = 1; version <= 40; version++) {
    const options = { eccLevel: LEVELS[version % 4]!, version, mode: 'octet' } as const;
    const text = `v${version}`;
    const mask = lowestMask(text, options);
    t.same(
      symbolOf(text, options).modules,
      symbolOf(text, { ...options, mask }).modules,
      `version ${version}: mask ${mask}`,
    );
  }
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 80 }), (text) => {
      const mask = lowestMask(text, {});
      t.same(symbolOf(text).modules, symbolOf(text, { mask }).modules);
    }),
    { numRuns: 40 },
  );
});

/**
 * qrcode 1.5.4 rounds rule 4 up from below one half (⌈p/5⌉ − 10: 50.1 % costs 10, 49.9 % nothing);
 * the standard counts whole steps of 5 % on both sides. If nothing else decides, the masks differ.
 */
t.test('the qrcode package picks the same mask unless its rule 4 decides', async (t) => {
  let same = 0;
  let explained = 0;
  for (let i = 0; i < 120; i++) {
    const text = `https://bank.example/verify/${(i * 7919).toString(36)}`.padEnd(20 + i, 'q');
    const own = symbolOf(text, { mode: 'octet' });
    const peer = QRCode.create([{ data: Buffer.from(text), mode: 'byte' }], {
      errorCorrectionLevel: 'M',
    });
    t.equal(peer.version, own.version);
    if (Buffer.compare(own.modules, peer.modules.data) === 0) same++;
    else if (slowPenalty(peer.modules.data, own.count) >= slowPenalty(own.modules, own.count)) {
      explained++;
    }
  }
  t.equal(same + explained, 120);
  t.ok(same > 90, `${same} of 120 the same`);
});

t.test('a scanner reads back what was encoded', async (t) => {
  const text = fc.oneof(
    fc.stringMatching(/^[0-9]{1,60}$/),
    fc.stringMatching(/^[0-9A-Z $%*+\-./:]{1,60}$/),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc.constantFrom('https://ตัวอย่าง.ไทย/ตรวจสอบ?เลขที่=๑๒๓', '😀 กำลังซื้อ', 'a'.repeat(300)),
  );
  fc.assert(
    fc.property(text, fc.constantFrom(...LEVELS), (value, eccLevel) => {
      const symbol = symbolOf(value, { eccLevel });
      t.same(scan(symbol), { text: value.toWellFormed(), version: symbol.version });
    }),
    { numRuns: 60 },
  );
});

t.test('mode and version are the ones pdfmake picks', async (t) => {
  // As in pdfmake 0.3.11: the whole text in the first mode that can carry it, smallest version.
  t.equal(symbolOf('', { eccLevel: 'L' }).version, 1);
  t.equal(symbolOf('1'.repeat(41), { eccLevel: 'L' }).version, 1);
  t.equal(symbolOf('1'.repeat(42), { eccLevel: 'L' }).version, 2);
  t.equal(symbolOf('A'.repeat(25), { eccLevel: 'L' }).version, 1);
  t.equal(symbolOf('A'.repeat(26), { eccLevel: 'L' }).version, 2);
  t.equal(symbolOf('a'.repeat(17), { eccLevel: 'L' }).version, 1);
  t.equal(symbolOf('a'.repeat(18), { eccLevel: 'L' }).version, 2);
  t.equal(symbolOf('x'.repeat(100)).version, 6);
  t.same(symbolOf('abc', { mode: 'alphanumeric' }), symbolOf('ABC'));
});

t.test('a text that does not fit, or that its mode cannot carry, gives null', async (t) => {
  t.equal(encodeQr('1'.repeat(7089), { ...AUTO, eccLevel: 'L' })?.version, 40);
  t.equal(encodeQr('1'.repeat(7090), { ...AUTO, eccLevel: 'L' }), null);
  t.equal(encodeQr('a'.repeat(2953), { ...AUTO, eccLevel: 'L' })?.version, 40);
  t.equal(encodeQr('a'.repeat(2954), { ...AUTO, eccLevel: 'L' }), null);
  t.equal(encodeQr('ก'.repeat(985), { ...AUTO, eccLevel: 'L' }), null);
  t.equal(encodeQr('a'.repeat(18), { ...AUTO, eccLevel: 'L', version: 1 }), null);
  t.equal(encodeQr('12a', { ...AUTO, mode: 'numeric' }), null);
  t.equal(encodeQr('a_b', { ...AUTO, mode: 'alphanumeric' }), null);
});

t.test('a symbol does not change when the next one is made', async (t) => {
  const first = encodeQr('first', AUTO)!.bits;
  const kept = first.slice();
  encodeQr('second '.repeat(40), AUTO);
  t.same(first, kept);
});

t.test('the kernel is compiled from its source', async (t) => {
  const folder = new URL('kernel/', import.meta.url);
  const lines = readFileSync(new URL('kernel.sha256', folder), 'utf8').trimEnd().split('\n');
  t.equal(lines.length, 2);
  for (const line of lines) {
    const [digest, name] = line.split('  ');
    const bytes = readFileSync(new URL(name!, folder));
    const message = `${name}: run node scripts/make-kernels.ts`;
    t.equal(createHash('sha256').update(bytes).digest('hex'), digest, message);
  }
});
