import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { deflateSync } from 'node:zlib';
import t from 'tap';
import { Random } from '../../../lab/fuzz-random.ts';
import { render, shareTemplate } from '../../../lab/render.ts';
import { SAMPLE_DATA, sampleTemplate } from '../mutations/sample.ts';

/**
 * The checker ends on every file, with a verdict or with the name of what it cannot read. Files are
 * damaged at random: `INTAGLIO_TEST_DAMAGED_FILES=2000 ./intaglio test tools/pdfa/ending`.
 */
const COUNT = Number(process.env['INTAGLIO_TEST_DAMAGED_FILES'] ?? '60');
/** A verdict takes a second, much longer on a busy machine; a checker that hangs gives none. */
const WAIT_MS = 180_000;
const TEMPLATES = join(import.meta.dirname, '..', '..', '..', 'templates');

class Judge {
  #worker = this.#start();

  #start(): Worker {
    const resourceLimits = { maxOldGenerationSizeMb: 768 };
    return new Worker(new URL('judging.ts', import.meta.url), { resourceLimits });
  }

  /** The number of violations, or what cannot be read; throws when there is no answer in time. */
  async ask(bytes: Uint8Array): Promise<number | string> {
    const worker = this.#worker;
    const answer = new Promise<number | string>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('no answer')), WAIT_MS);
      worker.once('error', reject);
      worker.once('message', (message: number | string) => {
        clearTimeout(timer);
        worker.removeAllListeners('error');
        resolve(message);
      });
    });
    worker.postMessage({ bytes, profile: 'ua' });
    try {
      return await answer;
    } catch (error) {
      await worker.terminate();
      this.#worker = this.#start();
      throw error;
    }
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

async function files(): Promise<readonly Buffer[]> {
  const sources = ['receipt', 'statement'].map((name) => {
    // The folder belongs to this repository; the compiler checks the rest.
    const file = JSON.parse(readFileSync(join(TEMPLATES, `${name}.json`), 'utf8')) as {
      samples: { data: unknown }[];
    };
    const source = JSON.stringify({ ...file, archive: 'PDF/A-3a' });
    return { source, data: file.samples[0]?.data };
  });
  const tagged = { tagged: true };
  sources.push({ source: sampleTemplate({}, tagged), data: SAMPLE_DATA });
  sources.push({ source: sampleTemplate({}, { ...tagged, compress: true }), data: SAMPLE_DATA });
  const pdfs = sources.map(async ({ source, data }) =>
    Buffer.from((await render(shareTemplate(source), data)).pdf),
  );
  return Promise.all(pdfs);
}

type Below = (below: number) => number;

const SYNTAX = (
  '/Prev 9|/Prev 99999999|/W[9 9 9]|/W[0 0 0]|/W[1 6 6]|/Index[0 99999999]|/Predictor 15|' +
  '/Columns 999999999|/Columns 0|/Length 999999|/Kids[1 0 R 2 0 R]|/K 5 0 R|[[[[[[[[|<<<<<<<<|' +
  '(((((|>>|endstream|endobj|%%EOF|9 0 R'
).split('|');

/** Damages a file in one of many ways. */
function damage(file: Buffer, others: readonly Buffer[], below: Below): Buffer {
  const at = below(file.length);
  switch (below(6)) {
    case 0: {
      const flipped = Buffer.from(file);
      for (let count = below(20); count >= 0; count--) flipped[below(file.length)] = below(256);
      return flipped;
    }
    case 1:
      return file.subarray(0, at);
    case 2: {
      const other = others[below(others.length)] ?? file;
      return Buffer.concat([file.subarray(0, at), other.subarray(below(other.length))]);
    }
    case 3: {
      const written = Buffer.from(file);
      written.write(SYNTAX[below(SYNTAX.length)] ?? '', at, 'latin1');
      return written;
    }
    case 4: {
      // References to other objects make loops of pages, elements, streams and fields.
      const text = file.toString('latin1');
      const places = [...text.matchAll(/(\d+) 0 R/g)];
      const damaged = Buffer.from(file);
      for (let count = below(8); count >= 0; count--) {
        const place = places[below(places.length)];
        const digits = String(1 + below(99)).padStart(place?.[1]?.length ?? 0, '0');
        if (place !== undefined && digits.length === place[1]?.length)
          damaged.write(digits, place.index);
      }
      return damaged;
    }
    default: {
      const nested = '['.repeat(1 + below(5_000));
      const middle = Buffer.from(below(2) === 0 ? nested : '<</K '.repeat(1 + below(5_000)));
      return Buffer.concat([file.subarray(0, at), middle, file.subarray(at)]);
    }
  }
}

t.test(`${COUNT} damaged files have a verdict or a reason`, { timeout: 0 }, async (t) => {
  const originals = await files();
  const judge = new Judge();
  t.teardown(() => judge.end());
  for (const original of originals)
    t.equal(await judge.ask(original), 0, 'the whole file conforms');
  const random = new Random(20_26);
  const below = (bound: number): number => random.below(bound);
  const slow: string[] = [];
  let unreadable = 0;
  for (let index = 0; index < COUNT; index++) {
    const file = originals[index % originals.length] ?? Buffer.alloc(0);
    const answer = await judge.ask(damage(file, originals, below)).catch((error: Error) => {
      slow.push(`file ${index}: ${error.message}`);
      return 'no answer';
    });
    if (typeof answer === 'string') unreadable++;
    t.ok(answer !== '', `file ${index}`);
  }
  t.strictSame(slow, []);
  t.ok(unreadable > 0 && unreadable < COUNT, `${unreadable} of ${COUNT} cannot be read`);
});

/** A file of these objects, the first of which is the catalog. */
function fileOf(objects: readonly (string | Buffer)[], trailer = ''): Buffer {
  let file = Buffer.from('%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n', 'latin1');
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file = Buffer.concat([
      file,
      Buffer.from(`${index + 1} 0 obj\n`),
      Buffer.from(object),
      Buffer.from('\nendobj\n'),
    ]);
    return offset;
  });
  const entries = offsets
    .map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
    .join('');
  const head = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  const end = `trailer\n<</Size ${objects.length + 1}/Root 1 0 R${trailer}>>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.concat([file, Buffer.from(head + end)]);
}

function stream(dictionary: string, data: Buffer): Buffer {
  const head = `<<${dictionary}/Length ${data.length}>>stream\n`;
  return Buffer.concat([Buffer.from(head), data, Buffer.from('\nendstream')]);
}

const CATALOG = '<</Type/Catalog/Pages 2 0 R/StructTreeRoot 4 0 R/Metadata 5 0 R/Outlines 6 0 R>>';
const PAGE = '<</Type/Page/Parent 2 0 R/Contents 5 0 R/MediaBox[0 0 9 9]>>';
const many = (reference: string): string => Array.from({ length: 200 }, () => reference).join(' ');

const CIRCLES: Readonly<Record<string, Buffer>> = {
  pages: fileOf([CATALOG, `<</Type/Pages/Kids[${many('2 0 R')}]>>`]),
  'two levels of pages': fileOf([
    CATALOG,
    `<</Type/Pages/Kids[${many('3 0 R')}]>>`,
    `<</Type/Pages/Kids[${many('2 0 R')}]>>`,
  ]),
  elements: fileOf([
    CATALOG,
    '<</Type/Pages/Kids[3 0 R]>>',
    PAGE,
    `<</K[${many('4 0 R')}]/S/P/ParentTree 4 0 R/Kids[${many('4 0 R')}]>>`,
  ]),
  outlines: fileOf([
    CATALOG,
    '<</Type/Pages/Kids[3 0 R]>>',
    PAGE,
    'null',
    'null',
    '<</First 6 0 R/Next 6 0 R/Title(x)>>',
  ]),
  'an endless stream': fileOf([
    CATALOG,
    '<</Type/Pages/Kids[3 0 R]>>',
    PAGE,
    'null',
    stream('/Filter/FlateDecode', deflateSync(Buffer.alloc(200 << 20, 0x20))),
  ]),
  'a deep array': fileOf([CATALOG, '['.repeat(100_000)]),
  'its own previous section': fileOf([CATALOG], '/Prev 9'),
};

for (const [name, file] of Object.entries(CIRCLES)) {
  t.test(`${name} in a circle or without end`, { timeout: 0 }, async (t) => {
    const judge = new Judge();
    t.teardown(() => judge.end());
    const answer = await judge.ask(file);
    t.ok(typeof answer === 'number' ? answer > 0 : answer.length > 5, String(answer));
  });
}
