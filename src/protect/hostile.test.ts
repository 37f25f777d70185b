import { deflateSync } from 'node:zlib';
import t from 'tap';
import { type Random, seededRandom } from '../../lab/random.ts';
import { isProtectedPdf } from './check.ts';
import { hostPid, passwords, procText, samplePdf } from './fixtures/protector.ts';
import { createProtector } from './protector.ts';

/**
 * The helper process of qpdf, fed with damaged and hostile files. A short list for every day; the long
 * one: INTAGLIO_TEST_HOSTILE=1000 ./intaglio test src/protect/hostile.test.ts
 */

const COUNT = Number(process.env['INTAGLIO_TEST_HOSTILE'] ?? 60);
const TIMEOUT_MS = 10_000;
/** Two attempts, each with the grace of the watchdog, on a machine that may be busy. */
const WAIT_MS_MAX = 2 * (TIMEOUT_MS + 2_000) + 20_000;
/** Most memory of the helper: a bomb is unpacked, and the file around it is written. */
const HOST_MB_MAX = 1_024;
const BOMB_BYTES = 64 * 1024 * 1024;
const WHOLE = samplePdf();

/** A file with these objects and a cross-reference table; `trailer` stands in its trailer. */
function fileOf(objects: readonly string[], trailer = '', xref: string | null = null): Buffer {
  const pieces = [Buffer.from('%PDF-1.7\n')];
  let length = 9;
  const offsets = objects.map((object, index) => {
    const piece = Buffer.from(`${index + 1} 0 obj\n${object}\nendobj\n`, 'latin1');
    pieces.push(piece);
    length += piece.length;
    return length - piece.length;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const table = xref ?? `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  const size = objects.length + 1;
  const end = `${table}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF\n`;
  return Buffer.concat([...pieces, Buffer.from(end)]);
}

const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>';
const PAGES = '<< /Type /Pages /Kids [3 0 R] /Count 1 >>';
const PAGE = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>';

function streamOf(data: Buffer, entries: string): string {
  const head = `<< /Length ${data.length} ${entries} >>`;
  return `${head}\nstream\n${data.toString('latin1')}\nendstream`;
}

const bomb = (): Buffer => deflateSync(Buffer.alloc(BOMB_BYTES, ' '));

type Make = (random: Random) => Buffer;

/** Changes of a whole file. */
const DAMAGE: Readonly<Record<string, Make>> = {
  'cut off': (random) => WHOLE.subarray(0, random.below(WHOLE.length)),
  'bytes changed': (random) => {
    const file = Buffer.from(WHOLE);
    for (let count = random.below(40) + 1; count > 0; count--) {
      file[random.below(file.length)] = random.below(256);
    }
    return file;
  },
  'a piece left out': (random) => {
    const from = random.below(WHOLE.length);
    return Buffer.concat([WHOLE.subarray(0, from), WHOLE.subarray(from + random.below(400))]);
  },
  'a piece repeated': (random) => {
    const at = random.below(WHOLE.length);
    const from = random.below(WHOLE.length);
    const piece = WHOLE.subarray(from, from + random.below(400));
    return Buffer.concat([WHOLE.subarray(0, at), piece, WHOLE.subarray(at)]);
  },
  'other numbers': (random) => {
    const numbers = ['-1', '0', '4294967295', '99999999999999999999', '2147483648'];
    const each = random.below(9) + 2;
    const text = WHOLE.toString('latin1').replaceAll(/\d+/g, (number) =>
      random.below(each) === 0 ? random.pick(numbers) : number,
    );
    return Buffer.from(text, 'latin1');
  },
  noise: (random) => Buffer.from(Array.from({ length: 500 }, () => random.below(256))),
};

/** Files that are made to hurt. */
const HOSTILE: Readonly<Record<string, Make>> = {
  'a huge cross-reference table': (random) =>
    fileOf([CATALOG, PAGES, PAGE], '', `xref\n0 ${random.pick(['999999999', '4294967295'])}\n`),
  'a huge size': () => fileOf([CATALOG, PAGES, PAGE], '/Size 2147483647'),
  'a huge object number': () =>
    fileOf([CATALOG, PAGES, PAGE.replace('>>', '/Contents 2147483646 0 R >>')]),
  'nested arrays': (random) => {
    const depth = 10_000 + random.below(90_000);
    return fileOf([CATALOG, PAGES, PAGE, '['.repeat(depth) + ']'.repeat(depth)], '/Info 4 0 R');
  },
  'nested dictionaries': (random) => {
    const depth = 1_000 + random.below(40_000);
    const nested = '<< /A '.repeat(depth) + '1' + ' >>'.repeat(depth);
    return fileOf([CATALOG, PAGES, PAGE.replace('>>', `/Resources ${nested} >>`)]);
  },
  'pages in a circle': () =>
    fileOf([CATALOG, '<< /Type /Pages /Kids [2 0 R 3 0 R 2 0 R] /Count 9 >>', PAGE]),
  'a length in a circle': () =>
    fileOf([CATALOG, PAGES, PAGE, '<< /Length 4 0 R >>\nstream\nx\nendstream'], '/Info 4 0 R'),
  'sections in a circle': () => {
    const whole = fileOf([CATALOG, PAGES, PAGE]);
    const at = whole.lastIndexOf('xref\n0');
    return fileOf([CATALOG, PAGES, PAGE], `/Prev ${at}`);
  },
  'a bomb in a stream': () =>
    fileOf([
      CATALOG,
      PAGES,
      PAGE.replace('>>', '/Contents 4 0 R >>'),
      streamOf(bomb(), '/Filter /FlateDecode'),
    ]),
  'a bomb in two filters': () =>
    fileOf([
      CATALOG,
      PAGES,
      PAGE.replace('>>', '/Contents 4 0 R >>'),
      streamOf(deflateSync(bomb()), '/Filter [/FlateDecode /FlateDecode]'),
    ]),
  'a bomb of objects': () => {
    const entries = '/Type /ObjStm /N 1000000 /First 8000000 /Filter /FlateDecode';
    return fileOf([CATALOG, PAGES, PAGE, streamOf(bomb(), entries)], '/Info 4 0 R');
  },
  'many objects': (random) =>
    fileOf([CATALOG, PAGES, PAGE, ...Array<string>(20_000 + random.below(30_000)).fill('[]')]),
  nothing: () => Buffer.alloc(0),
};

const makers = Object.entries({ ...DAMAGE, ...HOSTILE });

t.test(`${COUNT} damaged and hostile files`, async (t) => {
  const protector = createProtector({ qpdf: 'qpdf', timeoutMs: TIMEOUT_MS, concurrencyMax: 2 });
  t.teardown(() => protector.close());
  const random = seededRandom(8);
  const ends = new Map<string, number>();
  let hostMbMax = 0;
  const watch = setInterval(() => void (hostMbMax = Math.max(hostMbMax, hostMb())), 50);
  try {
    for (let index = 0; index < COUNT; index++) {
      const [name, make] = makers[index % makers.length] ?? ['', () => WHOLE];
      const file = make(random);
      const startMs = performance.now();
      const outcome = await protector.protect(file, passwords('secret'));
      const ms = performance.now() - startMs;
      const end = outcome.ok ? 'protected' : outcome.code;
      ends.set(end, (ends.get(end) ?? 0) + 1);
      if (outcome.ok && !isProtectedPdf(Buffer.from(outcome.value))) t.fail(`${name}: in clear`);
      if (!['protected', 'internal_error'].includes(end)) t.fail(`${name}: ${end}`);
      if (ms > WAIT_MS_MAX) t.fail(`${name}: it took ${ms} ms`);
      if (index % makers.length !== makers.length - 1) continue;
      const good = await protector.protect(Buffer.from(WHOLE), passwords('secret'));
      t.ok(good.ok, `after ${index + 1} files a whole one is protected`);
    }
  } finally {
    clearInterval(watch);
  }
  t.comment(`${JSON.stringify(Object.fromEntries(ends))}, the helper had ${hostMbMax} MB at most`);
  t.ok(hostMbMax <= HOST_MB_MAX, `${hostMbMax} MB`);
});

/** Resident memory of the helper; 0: it is being replaced. */
function hostMb(): number {
  try {
    const [, pages = '0'] = procText(`${hostPid()}/statm`).split(' ');
    return (Number(pages) * 4_096) / 1_048_576;
  } catch {
    return 0;
  }
}
