import t from 'tap';
import { headerFault } from '#engine/light';
import { PartCutter, RowTooLong } from './part-cutter.ts';
import { readPartStart } from './part-start.ts';
import { readBlocks, readHeaderRow, rowEnds } from './row-reader.ts';
import { isWithin } from '../../test/hostile/machine.ts';

/** Far more than any of these texts needs, and far less than a quadratic search takes. */
const SLOW_MS = 1_500;
const BOUNDS = { rowsMax: 1_000_000, bytesMax: 64 * 1024 * 1024 };

/** CPU time of the work in ms. */
function timeOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** Cuts the text as the source of a run would, and ignores that a row is too long. */
function cut(bytes: Uint8Array): void {
  const cutter = new PartCutter('csv', bytes.length);
  try {
    for (const part of [...cutter.add(bytes), ...cutter.end()]) void part;
  } catch (error) {
    if (!(error instanceof RowTooLong)) throw error;
  }
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `c${n}`);
}

/** What is refused about the header; '' when nothing is. */
function refusalOf(text: string): string {
  const start = readPartStart(Buffer.from(text), 'csv', 'id');
  return start.ok ? '' : (start.message ?? '');
}

t.test('a header of more than 64 KB is refused without being searched further', async (t) => {
  const open = Buffer.from(`id,"${'\n'.repeat(8_000_000)}`);
  let refusal = '';
  const ms = timeOf(() => {
    const start = readPartStart(open, 'csv', 'id');
    refusal = start.ok ? '' : (start.message ?? '');
  });
  t.ok(isWithin(ms, SLOW_MS), `${Math.round(ms)} ms`);
  t.match(refusal, /header row.*65536 bytes/);
  t.match(refusalOf(`id,${'x'.repeat(65_536)}\nR-1,2\n`), /65536 bytes/);
  t.equal(refusalOf(`id,${'x'.repeat(65_532)}\nR-1,2\n`), '');
});

t.test('a header has at most 2,000 columns, each once', async (t) => {
  const row = (count: number): string => `id,${names(count - 1).join(',')}\n1\n`;
  t.equal(refusalOf(row(2_000)), '');
  t.match(refusalOf(row(2_001)), /2001 columns, at most 2000/);
  t.match(refusalOf('id,a,b,a\n1\n'), /column "a" stands twice/);
  const many = names(120_000);
  const ms = timeOf(() => t.match(headerFault(many), /120000 columns/));
  t.ok(isWithin(ms, SLOW_MS), `${Math.round(ms)} ms`);
});

t.test('finding records takes time in proportion to the text', async (t) => {
  const texts: Readonly<Record<string, string>> = {
    'line feeds in an open quote': `a,"${'\n'.repeat(1_000_000)}`,
    'short lines and no quote': 'a\n'.repeat(500_000),
    'quotes and no line feed': '"a",'.repeat(500_000),
    'empty lines before the last row': `a\n${'\n'.repeat(500_000)}b\n`,
  };
  for (const [what, text] of Object.entries(texts)) {
    const bytes = Buffer.from(text);
    for (const format of ['csv', 'ndjson'] as const) {
      const ms = timeOf(() => rowEnds(bytes, format, true, BOUNDS));
      t.ok(isWithin(ms, SLOW_MS), `${format}, ${what}: ${Math.round(ms)} ms`);
    }
    const ms = timeOf(() => cut(bytes));
    t.ok(isWithin(ms, SLOW_MS), `cutting, ${what}: ${Math.round(ms)} ms`);
  }
});

t.test('quoted line feeds and quotes belong to the header', async (t) => {
  const header = 'id,"a\nb","c""d"\r\n';
  t.strictSame(readHeaderRow(Buffer.from(`${header}1,2,3\n`)), {
    columns: ['id', 'a\nb', 'c"d'],
    delimiter: ',',
    bytes: header.length,
  });
});

/**
 * Number of rows in each block when a part with this text is read, in blocks of at most four rows.
 */
async function rowsOfBlocks(text: string, format: 'csv' | 'ndjson'): Promise<number[]> {
  const bytes = Buffer.from(text);
  const read = (from: number): Promise<Uint8Array> =>
    // Five bytes at a time, so that a block can end exactly where the bytes read so far end.
    Promise.resolve(new Uint8Array(bytes.subarray(from, from + 5)));
  const file = { bytes: bytes.length, read } as unknown as Parameters<typeof readBlocks>[0];
  const counts: number[] = [];
  let readTo = 0;
  for await (const block of readBlocks(file, format, 0, { rowsMax: 4, bytesMax: 1_000 })) {
    t.equal(block.fromByte, readTo);
    readTo = block.toByte;
    counts.push(block.ends.length);
  }
  t.equal(readTo, bytes.length, 'the whole part was read');
  return counts;
}

t.test('blank lines at the end of a file do not count as a row', async (t) => {
  for (const format of ['csv', 'ndjson'] as const) {
    for (const blanks of ['', '\n', '\r\n', '\n\n', '  ', '\n \r\n\t\n', '\n'.repeat(99)]) {
      for (let rows = 1; rows <= 13; rows += 1) {
        const text = `${Array.from({ length: rows }, () => '{"a":1}\n').join('')}${blanks}`;
        const counts = await rowsOfBlocks(text, format);
        const read = counts.reduce((sum, count) => sum + count, 0);
        t.equal(read, rows, `${format}, ${rows} rows and ${JSON.stringify(blanks)}`);
      }
    }
  }
});
